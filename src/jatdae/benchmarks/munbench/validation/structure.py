"""Fields, ids and vocabularies: V03, V04, V08, V16."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jatdae.benchmarks.munbench.reading.layout import (
    CRITERION_FIELDS,
    ID_PATTERN,
    RUBRIC_FILES,
    SLOP_FIELDS,
    SLOP_FILE,
    SLOP_KINDS,
    SLOP_STRENGTHS,
    Field,
)
from jatdae.benchmarks.munbench.records import DOMAINS, FORMS, KIND_OF, SUBTYPES
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem

LABELS: Mapping[int, tuple[str, tuple[str, ...]]] = {
    1: ("domain", DOMAINS),
    2: ("form", FORMS),
    3: ("subtype", SUBTYPES),
}
GROUPS: Mapping[int, tuple[str, ...]] = {
    1: DOMAINS,
    2: ("단편소설 장면", "수필", "시", "대화문", "장르물", "제약 스토리"),
    3: SUBTYPES,
}
"""The label of each group number, in order. In track 2 it is what a group was authored for, not a rule."""
SHORTEST_NOTES = 80


def check(folder: Folder) -> Iterator[Finding]:
    """V03, V04, V08 and V16 over all items, rubrics and the slop list."""
    for item in folder.items:
        yield from _fields(item)
        yield from _vocabulary(item)
        yield from _id(item)
        yield from _notes(item)
    yield from _twice(folder)
    yield from _rubric_fields(folder)
    yield from _slop_fields(folder)


def _fields(item: RawItem) -> Iterator[Finding]:
    for field in item.fields:
        problem = _field_problem(field, item.record)
        if problem is not None:
            yield error("V03", item.file, problem, item=item.id, field=field.name)
    known = {field.name for field in item.fields}
    for name in item.record:
        if name not in known:
            yield warning("V03", item.file, "unknown field; it is not read", item=item.id, field=name)


def _field_problem(field: Field, record: Mapping[str, Any]) -> str | None:
    """What is wrong with a field, or None. Lists of turns and tags have rules of their own for their members."""
    value = record.get(field.name)
    if value is None:
        return "is missing" if field.required else None
    if isinstance(value, str) and field.kind != "texts":
        return "is blank" if not value.strip() and not field.blank else None
    if field.kind == "text":
        return "must be a string"
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        return "must be a list of strings" if field.kind == "texts" else "must be a string or a list of strings"
    return None


def _vocabulary(item: RawItem) -> Iterator[Finding]:
    name, known = LABELS[item.track]
    value = item.text(name)
    if value and value not in known:
        yield error("V08", item.file, f"unknown value {value!r:.60}", item=item.id, field=name)
    kind = item.text("variant_kind")
    if item.track == 3 and kind and kind not in KIND_OF.values():
        yield error("V08", item.file, f"unknown value {kind!r:.60}", item=item.id, field="variant_kind")


def _id(item: RawItem) -> Iterator[Finding]:
    given = item.text("id")
    if not given.strip():
        return
    if not re.fullmatch(ID_PATTERN, given):
        yield error("V04", item.file, "an id has the form T1-01-01", item=item.id, field="id")
    elif given[1] != str(item.track):
        yield error("V04", item.file, f"this file is for track {item.track}", item=item.id, field="id")
    else:
        yield from _group(item, int(given[3:5]))


def _group(item: RawItem, number: int) -> Iterator[Finding]:
    """Groups and labels go together in tracks 1 and 3; an authoring group of track 2 may hold other forms too."""
    name, known = LABELS[item.track]
    groups, label = GROUPS[item.track], item.text(name)
    if not 1 <= number <= len(groups):
        yield error(
            "V04", item.file, f"track {item.track} has the groups 01 to {len(groups):02d}", item=item.id, field="id"
        )
    elif item.track != 2 and label in known and label != groups[number - 1]:
        message = f"group {number:02d} is {groups[number - 1]}, but the {name} is {label}"
        yield error("V04", item.file, message, item=item.id, field="id")


def _twice(folder: Folder) -> Iterator[Finding]:
    first: dict[str, RawItem] = {}
    for item in folder.items:
        if not item.text("id").strip():
            continue
        if item.id in first:
            yield error("V04", item.file, f"this id is already in {first[item.id].file}", item=item.id, field="id")
        first.setdefault(item.id, item)


def _notes(item: RawItem) -> Iterator[Finding]:
    length = len(item.text("judge_notes_ko").strip())
    if 0 < length < SHORTEST_NOTES:
        message = f"{length} characters of notes for judges; at least {SHORTEST_NOTES} are advised"
        yield warning("V16", item.file, message, item=item.id, field="judge_notes_ko")


def _rubric_fields(folder: Folder) -> Iterator[Finding]:
    for file in RUBRIC_FILES.values():
        for number, row in enumerate(folder.rows(file, "criteria"), 1):
            place = f"criterion {number}"
            for name in ("name_ko", "description_ko"):
                yield from _text(row, name, file, place)
            signals = row.get("failure_signals_ko")
            if signals is not None and not _is_either(signals):
                message = "must be a string or a list of strings"
                yield error("V03", file, message, item=place, field="failure_signals_ko")
            yield from _unknown(row, CRITERION_FIELDS, file, place)


def _slop_fields(folder: Folder) -> Iterator[Finding]:
    choices = (("kind", SLOP_KINDS), ("strength", SLOP_STRENGTHS))
    for number, row in enumerate(folder.rows(SLOP_FILE, "entries"), 1):
        given = row.get("id")
        place = given if isinstance(given, str) and given.strip() else f"entry {number}"
        for name in ("id", "kind", "pattern"):
            yield from _text(row, name, SLOP_FILE, place)
        for name in ("positives", "negatives"):
            if not isinstance(row.get(name), list) or not _is_either(row[name]):
                yield error("V03", SLOP_FILE, "must be a list of strings", item=place, field=name)
        for name in ("family", "strength", "gloss"):
            if row.get(name) is not None and not isinstance(row[name], str):
                yield error("V03", SLOP_FILE, "must be a string", item=place, field=name)
        for name, known in choices:
            if isinstance(row.get(name), str) and row[name].strip() and row[name] not in known:
                yield error("V08", SLOP_FILE, f"unknown value {row[name]!r:.60}", item=place, field=name)
        yield from _unknown(row, SLOP_FIELDS, SLOP_FILE, place)


def _text(row: Mapping[str, Any], name: str, file: str, place: str) -> Iterator[Finding]:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        message = "is missing" if value is None else "must be a string that is not blank"
        yield error("V03", file, message, item=place, field=name)


def _unknown(row: Mapping[str, Any], known: tuple[str, ...], file: str, place: str) -> Iterator[Finding]:
    for name in row:
        if name not in known:
            yield warning("V03", file, "unknown field; it is not read", item=place, field=name)


def _is_either(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))
