"""What a look at a benchmark's files finds: facts, irregularities with their ids, and what makes the data unusable."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Fact = int | float | str


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file that was read: its path and name, how many items it holds, and the SHA-256 of its bytes."""

    path: str
    name: str
    items: int
    sha256: str

    @classmethod
    def of(cls, path: Path, items: int) -> FileFact:
        """The facts of a file on disk."""
        return cls(str(path), path.name, items, hashlib.sha256(path.read_bytes()).hexdigest())


@dataclass(frozen=True, slots=True)
class Finding:
    """An irregularity of the data that is known and reported, not mended: its count, the items, what it means."""

    name: str
    count: int
    ids: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that `jatdae data info` and `jatdae data validate` print about one benchmark's files.

    `problems` are faults that make a result wrong or impossible; the data are valid when there are none.
    """

    benchmark: str
    files: tuple[FileFact, ...]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether a result can be measured on these files."""
        return not self.problems

    def finding(self, name: str) -> Finding:
        """The finding of a name. Raises KeyError."""
        for found in self.findings:
            if found.name == name:
                return found
        raise KeyError(name)
