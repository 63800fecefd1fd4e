"""The slop list: V19 and V20. How an entry is found is the matter of `jatdae.korean.slop`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from jatdae.benchmarks.munbench.reading.layout import SLOP_FILE, SLOP_KINDS
from jatdae.benchmarks.munbench.records import SlopEntry
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem
from jatdae.korean.slop_review import entry_faults, has_empty_slot, nested_phrases

SHORTEST = 2


def check(folder: Folder) -> Iterator[Finding]:
    """V19 (patterns that cannot work or get into each other's way) and V20 (regular expressions, examples)."""
    entries = _entries(folder)
    yield from _patterns(entries)
    yield from _twice(entries)
    yield from _nested(entries)
    for entry in entries:
        if entry.id.startswith("phrase "):
            continue
        for name, examples in (("positives", entry.positives), ("negatives", entry.negatives)):
            if not examples:
                yield error("V20", SLOP_FILE, "at least one example is needed", item=entry.id, field=name)
        for fault in entry_faults(entry):
            yield error("V20", SLOP_FILE, fault, item=entry.id, field="pattern")


def _entries(folder: Folder) -> list[SlopEntry]:
    """What can be read of the list, either version. Faulty entries are V03's and left out."""
    phrases = folder.mapping(SLOP_FILE).get("phrases")
    if "entries" not in folder.mapping(SLOP_FILE) and isinstance(phrases, list):
        return [
            SlopEntry(f"phrase {number}", "literal", phrase)
            for number, phrase in enumerate(phrases, 1)
            if isinstance(phrase, str) and phrase.strip()
        ]
    rows = enumerate(folder.rows(SLOP_FILE, "entries"), 1)
    return [_entry(row, number) for number, row in rows if row.get("kind") in SLOP_KINDS and _has_pattern(row)]


def _has_pattern(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("pattern"), str) and bool(row["pattern"].strip())


def _entry(row: Mapping[str, Any], number: int) -> SlopEntry:
    raw = RawItem(3, SLOP_FILE, number, row)
    return SlopEntry(
        id=raw.text("id") or f"entry {number}",
        kind=cast("Literal['literal', 'stem', 'regex']", row["kind"]),
        pattern=row["pattern"],
        positives=tuple(raw.texts("positives")),
        negatives=tuple(raw.texts("negatives")),
    )


def _patterns(entries: list[SlopEntry]) -> Iterator[Finding]:
    for entry in entries:
        if not unicodedata.is_normalized("NFC", entry.pattern):
            message = "is not in the composed form of Unicode (NFC)"
            yield error("V19", SLOP_FILE, message, item=entry.id, field="pattern")
        if len(entry.pattern.strip()) < SHORTEST:
            message = f"{entry.pattern!r} is shorter than {SHORTEST} characters"
            yield error("V19", SLOP_FILE, message, item=entry.id, field="pattern")
        elif entry.kind != "regex" and has_empty_slot(entry.pattern):
            message = f"{entry.pattern!r:.60} never matches: the noun before a particle is missing"
            yield warning("V19", SLOP_FILE, message, item=entry.id, field="pattern")


def _twice(entries: list[SlopEntry]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        for field, value in (("id", entry.id), ("pattern", " ".join(entry.pattern.split()))):
            if (field, value) in seen:
                yield error("V19", SLOP_FILE, f"{value!r:.60} occurs twice", item=entry.id, field=field)
            seen.add((field, value))


def _nested(entries: list[SlopEntry]) -> Iterator[Finding]:
    names = {entry.pattern: entry.id for entry in entries if entry.kind != "regex"}
    for inner, outer in nested_phrases(list(names)):
        message = f"{inner!r:.60} stands within {outer!r:.60}; a literal count counts both"
        yield warning("V19", SLOP_FILE, message, item=names[inner], field="pattern")
