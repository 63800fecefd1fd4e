"""The sidecars' own structure (V03) and their references (V28)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jatdae.benchmarks.munbench.reading.checks import read_checks
from jatdae.benchmarks.munbench.reading.layout import (
    APPLICABILITY,
    CHECKS,
    CONSENSUS,
    RUBRIC_FILES,
    VARIANT_FIELDS,
    VARIANTS,
)
from jatdae.benchmarks.munbench.records import SUBTYPES
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder
from jatdae.errors import DataError


def check(folder: Folder) -> Iterator[Finding]:
    """V03 for entries that cannot be read; V28 for item ids, subtypes and criteria that do not exist."""
    yield from _check_entries(folder.mapping(CHECKS))
    yield from _variant_entries(folder)
    yield from _factors(folder.mapping(APPLICABILITY), _criteria(folder))
    yield from _references(folder)


def _criteria(folder: Folder) -> list[str]:
    return [str(row.get("name_ko")) for row in folder.rows(RUBRIC_FILES[3], "criteria")]


def _check_entries(checks: Mapping[str, Any]) -> Iterator[Finding]:
    for name, value in checks.items():
        for rows in value if isinstance(value, list) else [value]:
            try:
                read_checks({name: [rows] if isinstance(value, list) else rows}, CHECKS)
            except DataError as fault:
                message = str(fault).removeprefix(f"{CHECKS}").lstrip(":, ")
                yield error("V03", CHECKS, message, item=name, field=fault.field)


def _variant_entries(folder: Folder) -> Iterator[Finding]:
    texts = {item.id: item.text(VARIANT_FIELDS["text"]) for item in folder.of_track(3)}
    for name, entry in folder.mapping(VARIANTS).items():
        if not isinstance(entry, dict):
            yield error("V03", VARIANTS, "an object is expected", item=name)
            continue
        for field, value in entry.items():
            if field not in VARIANT_FIELDS:
                yield warning("V03", VARIANTS, "unknown field; it is not read", item=name, field=field)
            elif value is not None and not isinstance(value, str):
                yield error("V03", VARIANTS, "must be a string", item=name, field=field)
        if name in texts and not texts[name].strip():
            yield error("V03", VARIANTS, "neither this entry nor the item has a text", item=name, field="text")


def _factors(matrix: Mapping[str, Any], criteria: list[str]) -> Iterator[Finding]:
    for subtype, factors in matrix.items():
        if not isinstance(factors, dict):
            yield error("V03", APPLICABILITY, "an object is expected", item=subtype)
            continue
        for name, factor in factors.items():
            if not _is_factor(factor):
                message = "a finite number of at least 0 is expected"
                yield error("V03", APPLICABILITY, message, item=subtype, field=name)
        if criteria and all(factors.get(name, 1) == 0 for name in criteria):
            yield error("V03", APPLICABILITY, "no criterion would be left to judge by", item=subtype)


def _is_factor(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _references(folder: Folder) -> Iterator[Finding]:
    every = {item.id for item in folder.items}
    nuance = {item.id for item in folder.of_track(3)}
    for file, known in ((CHECKS, every), (CONSENSUS, every), (VARIANTS, nuance)):
        for name in _unknown(folder.mapping(file), known):
            yield error("V28", file, f"there is no item {name!r:.60}", field=name)
    criteria = _criteria(folder)
    for name in _unknown(folder.mapping(APPLICABILITY), SUBTYPES):
        yield error("V28", APPLICABILITY, f"there is no subtype {name!r:.60}", field=name)
    for subtype, factors in folder.mapping(APPLICABILITY).items():
        for name in _unknown(factors if isinstance(factors, dict) else (), criteria):
            message = f"there is no criterion of track 3 {name!r:.60}"
            yield error("V28", APPLICABILITY, message, item=subtype, field=name)


def _unknown(names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    return (name for name in names if name not in known)
