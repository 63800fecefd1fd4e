"""A table of the report as plain cells, the same in both languages. Cells hold names from outside, unescaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jatdae.reports.munbench.escaping import markdown_text
from jatdae.reports.negation.report import NegationReport
from jatdae.reports.negation.selection import Cell
from jatdae.reports.negation.words import Words
from jatdae.reports.tables import short_name


@dataclass(frozen=True, slots=True)
class Section:
    """A title, what to know, a table, and sentences below it."""

    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The section with every cell made harmless."""
        table = [self.header, ("---",) * len(self.header), *self.rows]
        parts = [f"## {markdown_text(self.title)}"]
        parts += [markdown_text(self.note)] if self.note else []
        parts.append("\n".join(f"| {' | '.join(map(markdown_text, row))} |" for row in table))
        parts += ["\n".join(f"- {markdown_text(line)}" for line in self.lines)] if self.lines else []
        return "\n\n".join(parts)


def section(
    title: str, note: str, header: Iterable[str], rows: Iterable[Sequence[str]], lines: Iterable[str] = ()
) -> Section:
    """A section of any cells."""
    return Section(title, note, tuple(header), tuple(map(tuple, rows)), tuple(lines))


def names(report: NegationReport) -> dict[str, str]:
    """What a table calls each model: the name of the models file, else a short reference; never one name for two."""
    wanted = {one.reference: one.facts.name if one.facts else short_name(one.reference) for one in report.models}
    shared = {name for name in wanted.values() if list(wanted.values()).count(name) > 1}
    return {reference: reference if name in shared else name for reference, name in wanted.items()}


def cell_name(cell: Cell, words: Words) -> str:
    """`cloze, 5-shot`."""
    return f"{cell.mode}, {words('shots', shots=str(cell.shots))}"
