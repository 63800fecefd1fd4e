"""Rubrics: V17 and V18."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from jatdae.benchmarks.munbench.reading.layout import RUBRIC_FILES
from jatdae.benchmarks.munbench.reading.rubrics import MAX_CRITERIA, WEIGHT_TOLERANCE
from jatdae.benchmarks.munbench.validation.findings import Finding, error
from jatdae.benchmarks.munbench.validation.folder import Folder


def check(folder: Folder) -> Iterator[Finding]:
    """V17 (number of criteria, weights) and V18 (names that a judge's answer can be matched to)."""
    for file in RUBRIC_FILES.values():
        if isinstance(folder.mapping(file).get("criteria"), list):
            rows = folder.rows(file, "criteria")
            yield from _weights(file, rows)
            yield from _names(file, rows)


def _weights(file: str, rows: list[Mapping[str, Any]]) -> Iterator[Finding]:
    if not 1 <= len(rows) <= MAX_CRITERIA:
        yield error("V17", file, f"{len(rows)} criteria where 1 to {MAX_CRITERIA} are expected", field="criteria")
        return
    weights = [row.get("weight") for row in rows]
    usable = [float(weight) for weight in weights if weight is not None and _is_weight(weight)]
    for number, weight in enumerate(weights, 1):
        if not _is_weight(weight):
            message = "a finite number above 0 is expected"
            yield error("V17", file, message, item=f"criterion {number}", field="weight")
    if len(usable) == len(weights) and abs(sum(usable) - 1) > WEIGHT_TOLERANCE:
        yield error("V17", file, f"the weights sum to {sum(usable):g} instead of 1", field="weight")


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _names(file: str, rows: list[Mapping[str, Any]]) -> Iterator[Finding]:
    names = [row["name_ko"] for row in rows if isinstance(row.get("name_ko"), str)]
    for at, name in enumerate(names):
        for other in names[:at]:
            short, long = sorted((_plain(name), _plain(other)), key=len)
            if not short:
                continue
            if short == long:
                yield error("V18", file, f"{name!r} and {other!r} are one name", item=name, field="name_ko")
            elif short in long:
                yield error("V18", file, f"one of {name!r} and {other!r} holds the other", item=name, field="name_ko")


def _plain(name: str) -> str:
    """Letters and digits only, compatibility forms and case folded: what a judge's spelling is compared by."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalnum())
