"""Whether the files behind a result are the published ones, byte for byte; KoNUBench asks the same of its files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHOWN = 5
"""Names of altered files that a note gives."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is known of the files that were read: the pinned revision, the files that differ, those without a pin.

    Empty where no file was read, or where the bundled items were.
    """

    revision: str = ""
    altered: tuple[str, ...] = ()
    unpinned: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """What a title says of it."""
        return "altered data" if self.altered else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the data's origin."""
        notes = []
        if self.altered:
            notes.append(f"altered data: not the published files of revision {self.revision[:8]}: {_few(self.altered)}")
        if self.unpinned:
            notes.append(f"data: no published hash is known to compare these files with: {_few(self.unpinned)}")
        if self.revision and not (self.altered or self.unpinned):
            notes.append(f"data: published files, revision {self.revision[:8]}")
        return tuple(notes)


def compare(files: Iterable[tuple[Path, str | None]], revision: str) -> Provenance:
    """Hold each file to its published SHA-256 (hexadecimal); None means that none is known. Every file is read once."""
    pairs = dict(files)
    altered = [path.name for path, sha256 in pairs.items() if sha256 and sha256_of(path) != sha256]
    unpinned = [path.name for path, sha256 in pairs.items() if not sha256]
    return Provenance(revision, tuple(altered), tuple(unpinned))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def problem(name: str, revision: str) -> str:
    """What a check of the data says of a file whose bytes are others than the published ones."""
    return f"{name}: not the published file (its SHA-256 is not that of revision {revision[:8]}); fetch it again"


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:SHOWN]) + (f", ... ({len(names)} files)" if len(names) > SHOWN else "")
