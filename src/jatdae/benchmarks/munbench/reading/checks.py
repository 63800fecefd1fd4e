"""Declarative checks of `checks.json`: item id to a list of checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast, get_args

from jatdae.benchmarks.munbench.reading.rows import Row, entries_of, rows_of
from jatdae.benchmarks.munbench.reading.slop import check_regex
from jatdae.benchmarks.munbench.records import Check

CheckType = Literal[
    "must_include", "must_not_include", "min_of", "count_range", "line_range", "char_range", "first_or_last_line"
]
TYPES: tuple[CheckType, ...] = get_args(CheckType)
MATCHES = ("literal", "stem", "regex")
BOUNDED = frozenset({"min_of", "count_range", "line_range", "char_range"})
"""Checks that need `low` or `high`."""
WITHOUT_VALUES = frozenset({"line_range", "char_range"})


def read_checks(value: Any, path: Path | str) -> dict[str, tuple[Check, ...]]:
    """The checks by item id. Raises DataError for an unknown type, missing values or bounds, low above high."""
    path = Path(path)
    return {
        name: tuple(_check(Row(row.record, path, f"{name}, {row.name}")) for row in rows_of(rows, path, "check"))
        for name, rows in entries_of(value, path)
    }


def _check(row: Row) -> Check:
    kind = cast("CheckType", row.choice("type", TYPES))
    match = cast("Literal['literal', 'stem', 'regex']", row.choice("match", MATCHES, default="literal"))
    values = row.either("values")
    low, high = row.whole("low"), row.whole("high")
    if not values and kind not in WITHOUT_VALUES:
        row.fail("values", f"a check of type {kind} needs at least one")
    if kind in BOUNDED and low is None and high is None:
        row.fail("low", f"a check of type {kind} needs `low` or `high`")
    if low is not None and high is not None and low > high:
        row.fail("low", f"{low} is above `high`, {high}")
    if match == "regex":
        for pattern in values:
            check_regex(row, "values", pattern)
    return Check(kind, values, match, low, high)
