"""A table as plain cells, the same for Markdown, terminal and both languages.

Cells may hold names from outside: whoever shows them makes them harmless for where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.reports.munbench.figures import ABSENT
from jatdae.reports.munbench.words import Words

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: title, header, rows of as many cells, and a line below it."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def sheet(name: str, words: Words, header: Sequence[str], rows: Iterator[tuple[str, ...]], note: str = "") -> Sheet:
    """A table with the title that goes by a name."""
    return Sheet(words.title(name), tuple(header), tuple(rows), note)


def named(row: Record) -> str:
    """A model's name with its marks: anchor, and a route that sets it apart."""
    route = f" [{row['route']}]" if row["route"] in ("cli", "file") else ""
    return row["model"] + (" ⚓" if row["anchor"] else "") + route


def tracks_of(record: Record) -> list[str]:
    """The tracks of the run, by number."""
    return [name for name in ("1", "2", "3") if name in record["units"]]


def rank_range(ends: Sequence[int] | None) -> str:
    return ABSENT if ends is None else f"{ends[0]}-{ends[1]}"
