"""A data folder as the rules see it: every file that could be read, whatever is wrong inside (V01, V02)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.reading.documents import parse_json
from jatdae.benchmarks.munbench.reading.layout import (
    FIELDS,
    ITEM_FILES,
    REQUIRED,
    RUBRIC_FILES,
    SIDECARS,
    SLOP_FILE,
    VARIANT_FIELDS,
    VARIANTS,
    Field,
)
from jatdae.benchmarks.munbench.validation.findings import Finding, error
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError


@dataclass(frozen=True, slots=True)
class RawItem:
    """An item's object as it stands in its file."""

    track: int
    file: str
    number: int
    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id, or the place in the file where there is none that can be shown."""
        given = self.record.get("id")
        return given if isinstance(given, str) and given.strip() and given.isprintable() else f"item {self.number}"

    def text(self, field: str) -> str:
        """A field's string; empty where it is absent or something else."""
        value = self.record.get(field)
        return value if isinstance(value, str) else ""

    def texts(self, field: str) -> list[str]:
        """The strings of a field that is a string or a list."""
        value = self.record.get(field)
        parts = value if isinstance(value, list) else [value]
        return [part for part in parts if isinstance(part, str)]

    @property
    def fields(self) -> tuple[Field, ...]:
        return FIELDS[self.track]

    def seen_by(self, *readers: str) -> Iterator[tuple[str, str]]:
        """(field, text) of everything that these readers get to see."""
        for field in self.fields:
            if field.seen in readers:
                yield from ((field.name, text) for text in self.texts(field.name))


@dataclass(frozen=True)
class Folder:
    """The values of the files that could be parsed, by relative name. A file that could not is absent."""

    path: Path
    values: Mapping[str, Any]

    @cached_property
    def items(self) -> tuple[RawItem, ...]:
        """Every object of the item files, in order, with the variants' sidecar laid over."""
        found = []
        for track, file in ITEM_FILES.items():
            value = self.values.get(file)
            rows = value if isinstance(value, list) else []
            found += [RawItem(track, file, n, row) for n, row in enumerate(rows, 1) if isinstance(row, dict)]
        return tuple(self._laid_over(item) for item in found)

    def of_track(self, track: int) -> list[RawItem]:
        return [item for item in self.items if item.track == track]

    def _laid_over(self, item: RawItem) -> RawItem:
        entry = self.mapping(VARIANTS).get(item.id)
        if item.track != 3 or not isinstance(entry, dict):
            return item
        given = {VARIANT_FIELDS[name]: value for name, value in entry.items() if name in VARIANT_FIELDS and value}
        return RawItem(item.track, item.file, item.number, {**item.record, **given})

    def mapping(self, file: str) -> Mapping[str, Any]:
        """A file's object; empty where there is none."""
        value = self.values.get(file)
        return value if isinstance(value, dict) else {}

    def rows(self, file: str, member: str) -> list[Mapping[str, Any]]:
        """The objects of a list inside a file's object."""
        value = self.mapping(file).get(member)
        return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def open_folder(path: Path) -> tuple[Folder, list[Finding]]:
    """Read all files. Findings: V01 (missing, not UTF-8, no JSON, a key twice, NaN) and V02 (type at the top)."""
    values: dict[str, Any] = {}
    findings: list[Finding] = []
    for name in (*REQUIRED, *SIDECARS):
        if (path / name).is_file():
            found = _read(path, name, values)
        else:
            found = [error("V01", name, "this file is missing")] if name in REQUIRED else []
        findings += found
    findings += [finding for name, value in values.items() for finding in _check_type(name, value)]
    return Folder(path, values), findings


def _read(path: Path, name: str, values: dict[str, Any]) -> list[Finding]:
    try:
        text = read_text(path / name)
    except DataError as fault:
        return [error("V01", name, str(fault).removeprefix(str(path / name)).lstrip(":, "))]
    try:
        values[name], faults = parse_json(text)
    except json.JSONDecodeError as fault:
        return [error("V01", name, f"not valid JSON: {fault.msg} in line {fault.lineno}")]
    except ValueError as fault:
        return [error("V01", name, f"not valid JSON: {fault}")]
    return [error("V01", name, fault) for fault in faults]


def _check_type(name: str, value: Any) -> Iterator[Finding]:
    if name in ITEM_FILES.values():
        if not isinstance(value, list):
            yield error("V02", name, "a list of items is expected")
            return
        for number, row in enumerate(value, 1):
            if not isinstance(row, dict):
                yield error("V02", name, "an object is expected", item=f"item {number}")
        return
    if not isinstance(value, dict):
        yield error("V02", name, "an object is expected")
        return
    yield from _check_members(name, value)


def _check_members(name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    member = "criteria" if name in RUBRIC_FILES.values() else None
    if name == SLOP_FILE:
        member = "entries" if "entries" in value else "phrases"
    if member is None:
        return
    rows = value.get(member)
    if not isinstance(rows, list):
        yield error("V02", name, "a list is expected", field=member)
        return
    for number, row in enumerate(rows, 1):
        if member == "phrases" and not (isinstance(row, str) and row.strip()):
            yield error("V02", name, f"phrase {number}: a string that is not blank is expected", field=member)
        elif member != "phrases" and not isinstance(row, dict):
            yield error("V02", name, f"member {number}: an object is expected", field=member)
