"""Rubrics, and how far each criterion applies to each subtype of track 3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.reading.rows import Row, entries_of, rows_of
from jatdae.benchmarks.munbench.records import SUBTYPES, Rubric
from jatdae.errors import DataError, did_you_mean
from jatdae.judging.cases import Criterion

MAX_CRITERIA = 12
WEIGHT_TOLERANCE = 1e-6

PUBLISHED_APPLICABILITY: Mapping[str, tuple[float, float, float, float]] = {
    "경어 층위 전환 정확성": (1.0, 0.5, 1.0, 1.0),
    "층위 전환의 자연성(억지스러움 없음)": (1.0, 1.0, 1.0, 1.0),
    "반어·서브텍스트 해석": (0.0, 0.5, 0.5, 1.0),
    "관용구·연어의 자연 구사": (0.5, 1.0, 0.5, 0.5),
    "문화 기본값 유지(비명시 상황의 한국 규범)": (0.5, 0.0, 1.0, 0.5),
    "절제·진정성(과잉 검증·아부 배격)": (1.0, 1.0, 1.0, 1.0),
}
"""Factors on the weights of the published criteria, in the order of `SUBTYPES` (specification, section 1.6)."""


def read_rubric(track: int, value: Any, path: Path) -> Rubric:
    """A track's rubric. Raises DataError for weights that do not sum to 1, for a criterion twice, and the like."""
    document = Row.of(value, path, "rubric")
    rows = rows_of(document.record.get("criteria"), path, "criteria")
    if not 1 <= len(rows) <= MAX_CRITERIA:
        raise DataError(f"{len(rows)} criteria where 1 to {MAX_CRITERIA} are expected", path=path, field="criteria")
    criteria = tuple(_criterion(row) for row in rows)
    _check_weights(criteria, path)
    return Rubric(track, criteria)


def _criterion(row: Row) -> Criterion:
    weight = row.number("weight")
    if weight <= 0:
        row.fail("weight", f"{weight:g} is not above 0")
    signals = row.either("failure_signals_ko", separator=";")
    return Criterion(row.text("name_ko"), row.text("description_ko"), weight, signals)


def _check_weights(criteria: tuple[Criterion, ...], path: Path) -> None:
    names = [criterion.name for criterion in criteria]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"the criterion {name!r} occurs twice", path=path, field="name_ko")
    total = sum(criterion.weight for criterion in criteria)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        raise DataError(f"the weights sum to {total:g} instead of 1", path=path, field="weight")


def default_applicability(rubric: Rubric) -> dict[str, dict[str, float]]:
    """The published factors, for those criteria of the rubric that bear published names; others apply in full."""
    known = {_plain(name): factors for name, factors in PUBLISHED_APPLICABILITY.items()}
    matrix: dict[str, dict[str, float]] = {subtype: {} for subtype in SUBTYPES}
    for criterion in rubric.criteria:
        if _plain(criterion.name) not in known:
            continue
        for subtype, factor in zip(SUBTYPES, known[_plain(criterion.name)], strict=True):
            matrix[subtype][criterion.name] = factor
    return {subtype: row for subtype, row in matrix.items() if row}


def read_applicability(value: Any, rubric: Rubric, path: Path) -> dict[str, dict[str, float]]:
    """A matrix of subtype, criterion's name and factor. Raises DataError for names that nothing else knows."""
    matrix = {name: _factors(name, row, rubric, path) for name, row in entries_of(value, path)}
    for subtype in matrix:
        if subtype not in SUBTYPES:
            raise DataError(
                f"unknown subtype {subtype!r:.60}", path=path, field=subtype, mend=did_you_mean(subtype, SUBTYPES)
            )
    return matrix


def _factors(subtype: str, value: Any, rubric: Rubric, path: Path) -> dict[str, float]:
    row = Row.of(value, path, subtype)
    names = [criterion.name for criterion in rubric.criteria]
    factors = {name: row.number(name) for name in row.record}
    for name, factor in factors.items():
        if name not in names:
            row.fail(name, "no criterion of track 3 has this name", did_you_mean(name, names))
        if factor < 0:
            row.fail(name, "a factor must be at least 0")
    if all(factors.get(name, 1.0) == 0 for name in names):
        row.fail(None, "no criterion would be left to judge by")
    return factors


def _plain(name: str) -> str:
    return "".join(name.split())
