"""What a metric returns, and how it is drawn again for an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.errors import JatdaeError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Combine = Callable[[Floats], Floats]
"""Totals (..., parts) to values (...) in 0..100, NaN where the metric is undefined."""

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Additive:
    """A metric of sums: `counts` is (items, parts), and `combine` turns the summed parts into values in 0..100.

    Called with weights (draws, items), how often each item was drawn, it gives one value a draw, NaN where undefined.
    """

    counts: Floats
    combine: Combine

    def __call__(self, weights: Floats) -> Floats:
        return self.combine(np.asarray(weights, dtype=np.float64) @ self.counts)


Reweigh = Callable[[Floats], Floats]
"""Weights (draws, items) to values (draws,) in the metric's own unit, NaN where it is undefined."""


@dataclass(frozen=True, slots=True)
class Resample:
    """The metric as a function of how often each item is drawn: for a bootstrap over items or over clusters of items.

    A cluster bootstrap draws counts per cluster and passes `counts[:, cluster_of_item]` as the weights.
    """

    official: Reweigh
    clean: Reweigh


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value, as the benchmark's own scorer computes it and as the benchmark's text describes it.

    Both are on the scale 0..100 (a correlation: -100..100), equal where the scorer has no artefact, and None where the
    metric is undefined; `reason` then says why. `n` counts the items: sentences, questions, turns. `missing` of their
    predictions were None and `invalid` were outside the label set; both count as wrong. `items` holds values in 0..1
    where the official metric is their mean. `detail` names what the value depends on. Raises JatdaeError for a value
    that is not a number in range, since that can only be a fault of the metric.
    """

    official: float | None
    clean: float | None
    n: int
    missing: int = 0
    invalid: int = 0
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    items: Floats | None = field(default=None, repr=False, compare=False)
    resample: Resample | None = field(default=None, repr=False, compare=False)
    lowest: float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        for name in ("official", "clean"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else _bounded(value, self.lowest, name))
        if not self.reason and (self.official is None or self.clean is None):
            raise JatdaeError("internal error: an undefined metric carries no reason; please report it")


def _bounded(value: float, lowest: float, name: str) -> float:
    """The value as a float, rounding beyond the ends cut off."""
    if not (math.isfinite(value) and lowest - ROUNDING <= value <= 100 + ROUNDING):
        raise JatdaeError(f"internal error: {name} metric {value} is outside [{lowest}, 100]; please report it")
    return min(max(float(value), lowest), 100.0)


def undefined(reason: str, n: int, missing: int = 0, invalid: int = 0, **detail: object) -> Score:
    """A score without a value."""
    return Score(None, None, n, missing, invalid, reason, detail)


def nothing_valid(n: int, missing: int = 0, invalid: int = 0) -> Score | None:
    """The undefined score for no items or no valid prediction among them; None where there is something to score."""
    if n == 0:
        return undefined("no items", 0)
    if missing + invalid >= n:
        return undefined(f"no valid prediction: 0 of {n} valid", n, missing, invalid)
    return None


def additive(
    counts: Floats,
    official: Combine,
    clean: Combine | None = None,
    *,
    reason: str,
    missing: int = 0,
    invalid: int = 0,
    detail: Mapping[str, Any] | None = None,
    items: Floats | None = None,
) -> Score:
    """The score of a metric that is a function of summed counts (items, parts); `reason` is kept where it is NaN."""
    clean = clean or official
    totals = counts.sum(axis=0)
    values = [_defined(combine(totals)) for combine in (official, clean)]
    return Score(
        *values,
        n=len(counts),
        missing=missing,
        invalid=invalid,
        reason=reason if None in values else "",
        detail=detail or {},
        items=items,
        resample=Resample(Additive(counts, official), Additive(counts, clean)),
    )


def mean_score(
    official: Floats, clean: Floats | None = None, *, missing: int = 0, invalid: int = 0, **detail: object
) -> Score:
    """The score of a metric that is the mean of per-item values in 0..1; there has to be at least one item."""
    clean = official if clean is None else clean
    counts = np.stack([official, clean, np.ones(len(official))], axis=1)
    return additive(
        counts,
        lambda totals: _share(totals[..., 0], totals[..., 2]),
        lambda totals: _share(totals[..., 1], totals[..., 2]),
        reason="no items",
        missing=missing,
        invalid=invalid,
        detail=detail,
        items=official,
    )


def merged(official: Score, clean: Score) -> Score:
    """One score whose official value comes from the first and whose clean value from the second, over the same items.

    For metrics whose two variants read different predictions, as named-entity tags spread in two ways.
    """
    if official.n != clean.n:
        raise JatdaeError(f"internal error: merging a score of {official.n} items with one of {clean.n}")
    both = official.resample and clean.resample and Resample(official.resample.official, clean.resample.clean)
    reasons = [score.reason for score, value in ((official, official.official), (clean, clean.clean)) if value is None]
    return Score(
        official.official,
        clean.clean,
        official.n,
        official.missing,
        official.invalid,
        "; ".join(dict.fromkeys(reasons)),
        {**official.detail, "clean": dict(clean.detail)},
        official.items,
        both,
        official.lowest,
    )


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * part / whole


def _defined(value: Floats) -> float | None:
    number = float(value)
    return None if math.isnan(number) else number
