"""Which prediction belongs to which item: by identifier, or by order where the file has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.klue.scoring.entries import Entry
from jatdae.errors import DataError

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Matched:
    """An entry, or None, for each item in the items' order; identifiers that stand several times or are no item's."""

    entries: tuple[Entry | None, ...]
    duplicates: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    by_order: bool = False

    @property
    def notes(self) -> list[str]:
        """What had to be decided."""
        told = []
        if self.by_order:
            told.append(f"no identifiers in the file: its {len(self.entries):,} predictions are taken in gold's order")
        if self.duplicates:
            told.append(
                f"{len(self.duplicates):,} identifiers have several predictions; the last complete one counts: "
                f"{some(self.duplicates)}"
            )
        if self.unknown:
            told.append(f"{len(self.unknown):,} predictions are for no item of gold and left out: {some(self.unknown)}")
        return told


def some(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def match(ids: Sequence[str], entries: Sequence[Entry], is_complete: Callable[[Entry], bool]) -> Matched:
    """Give each item its entry. Of several with one identifier the last complete one counts, else the last.

    Raises DataError where no identifier is an item's, and without identifiers where the counts differ.
    """
    path = entries[0].path
    if entries[0].guid is None:
        if len(entries) != len(ids):
            mend = "add a column `guid`, or a prediction for every item in gold's order"
            raise DataError(f"{len(entries):,} predictions without guid for {len(ids):,} items", path=path, mend=mend)
        return Matched(tuple(entries), by_order=True)
    kept: dict[str, Entry] = {}
    duplicates: dict[str, None] = {}
    for entry in entries:
        guid = entry.guid or ""
        if guid in kept:
            duplicates[guid] = None
        if guid not in kept or is_complete(entry) or not is_complete(kept[guid]):
            kept[guid] = entry
    known = set(ids)
    unknown = tuple(guid for guid in kept if guid not in known)
    if len(unknown) == len(kept):
        what = f"none of {len(kept):,} identifiers is an item's: {unknown[0]!r} here, {ids[0]!r} in gold"
        raise DataError(what, path=path, line=entries[0].line, field="guid")
    return Matched(tuple(kept.get(guid) for guid in ids), tuple(duplicates), unknown)
