"""What the validator reports: findings by rule, and their sum."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `rule` is `V01` to `V28`; `file` is relative to the folder; `item` is an id or a place in the file."""

    rule: str
    level: Level
    file: str
    item: str | None
    field: str | None
    message: str

    def __str__(self) -> str:
        """One line: rule, level, where, what."""
        where = ", ".join(part for part in (self.file, self.item, self.field) if part)
        return f"{self.rule} {self.level} {where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All findings on a folder, ordered by rule, file, place in the file, field and message."""

    folder: Path
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == "warning")

    @property
    def passed(self) -> bool:
        """No errors; warnings do not count."""
        return not self.errors

    def counts(self) -> dict[str, int]:
        """Number of findings by rule, of the rules that found something."""
        return dict(sorted(Counter(finding.rule for finding in self.findings).items()))


def error(rule: str, file: str, message: str, *, item: str | None = None, field: str | None = None) -> Finding:
    """A finding that stands in the way of use."""
    return _finding(rule, "error", file, message, item, field)


def warning(rule: str, file: str, message: str, *, item: str | None = None, field: str | None = None) -> Finding:
    """A finding that somebody should look at."""
    return _finding(rule, "warning", file, message, item, field)


def _finding(rule: str, level: Level, file: str, message: str, item: str | None, field: str | None) -> Finding:
    return Finding(rule, level, file, _printable(item), _printable(field), _printable(message) or "")


def _printable(text: str | None) -> str | None:
    """What a file holds goes to terminals and reports: control characters and the like are shown as escapes."""
    if text is None or text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
