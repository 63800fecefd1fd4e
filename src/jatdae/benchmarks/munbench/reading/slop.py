"""The list of overused expressions, version 1 (phrases) or 2 (entries with kinds, families and examples)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

from jatdae.benchmarks.munbench.reading.layout import SLOP_KINDS, SLOP_STRENGTHS
from jatdae.benchmarks.munbench.reading.rows import Row, rows_of
from jatdae.benchmarks.munbench.records import SlopEntry, SlopList
from jatdae.errors import DataError, RequestError
from jatdae.korean.bounded_regex import compile_bounded


def read_slop(value: Any, path: Path) -> SlopList:
    """A slop list. A version 1 list's phrases become strong literal entries `v1-001`, `v1-002`, and so on.

    Raises DataError for an entry without id or pattern, an id or a pattern twice, and a regular expression that
    could take long.
    """
    document = Row.of(value, path, "slop list")
    if "entries" in document.record:
        entries = tuple(_entry(row) for row in rows_of(document.record["entries"], path, "entry"))
        version = "2"
    else:
        entries = _phrases(document)
        version = "1"
    _check_unique(entries, path)
    return SlopList(version, entries)


def _phrases(document: Row) -> tuple[SlopEntry, ...]:
    phrases = document.record.get("phrases")
    if not isinstance(phrases, list):
        document.fail("phrases", "neither `phrases` nor `entries` is there")
    for number, phrase in enumerate(phrases, 1):
        if not isinstance(phrase, str) or not phrase.strip():
            document.fail("phrases", f"phrase {number} is not a string with characters")
    return tuple(SlopEntry(f"v1-{number:03d}", "literal", phrase) for number, phrase in enumerate(phrases, 1))


def _entry(row: Row) -> SlopEntry:
    kind = cast("Literal['literal', 'stem', 'regex']", row.choice("kind", SLOP_KINDS))
    pattern = row.text("pattern")
    if kind == "regex":
        check_regex(row, "pattern", pattern)
    return SlopEntry(
        id=row.text("id"),
        kind=kind,
        pattern=pattern,
        family=row.optional("family") or "",
        strength=cast("Literal['strong', 'weak']", row.choice("strength", SLOP_STRENGTHS, default="strong")),
        gloss=row.optional("gloss") or "",
        positives=row.texts("positives"),
        negatives=row.texts("negatives"),
    )


def check_regex(row: Row, field: str, pattern: str) -> None:
    """Raises DataError for a pattern that must not run on untrusted text."""
    try:
        compile_bounded(pattern)
    except RequestError as refused:
        row.fail(field, str(refused))


def _check_unique(entries: tuple[SlopEntry, ...], path: Path) -> None:
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        for mark in (("id", entry.id), ("pattern", f"{entry.kind}:{entry.pattern}")):
            if mark in seen:
                raise DataError(f"{entry.id}: this {mark[0]} occurs twice", path=path, field=mark[0])
            seen.add(mark)
