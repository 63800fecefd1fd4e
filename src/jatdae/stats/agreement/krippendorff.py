"""Krippendorff's alpha: any number of raters, missing ratings allowed, four levels of measurement."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.correlation import middle_ranks
from jatdae.stats.agreement.resampling import DRAWS, resampled
from jatdae.stats.clusters import Clusters, Floats
from jatdae.types import Estimate

Level = Literal["nominal", "ordinal", "interval", "ratio"]
_LEVELS = ("nominal", "ordinal", "interval", "ratio")


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]] | NDArray[np.generic],
    level: Level = "ordinal",
    *,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate | None:
    """1 - observed / expected disagreement of raters (rows) over units (columns); None or NaN is a missing rating.

    Units with fewer than two ratings say nothing and are left out; `n` counts the others. The interval resamples units,
    or clusters of them (one label a column). At .80 agreement is good, from .667 tentative, below not usable. None
    where no unit has two ratings or all ratings are one value. `ratio` needs numbers from 0 on. Raises ValueError on an
    unknown level, ragged rows or infinite numbers. Source: Krippendorff 2018, chapter 12.

    >>> estimate = krippendorff_alpha([[1, 2, 3, 3], [1, 3, 3, 4], [2, 2, 4, None]])
    >>> round(estimate.value, 4)
    0.6747
    """
    if level not in _LEVELS:
        raise ValueError(f"level {level!r}: one of {', '.join(_LEVELS)} is needed")
    units = _units(ratings)
    if level == "ratio" and (units < 0).any():
        raise ValueError("krippendorff_alpha: a ratio scale has no numbers below 0")
    if clusters is not None and len(clusters) != len(units):
        raise ValueError(f"clusters: {len(clusters)} labels for {len(units)} units; one label a unit is needed")
    pairable = (~np.isnan(units)).sum(axis=1) >= 2
    kept = None if clusters is None else [label for label, usable in zip(clusters, pairable, strict=True) if usable]
    statistic = partial(alpha_value, level=level)
    return resampled(units[pairable], statistic, f"Krippendorff's alpha, {level}", kept, draws, seed)


def _units(ratings: Sequence[Sequence[float | None]] | NDArray[np.generic]) -> Floats:
    try:
        table = np.array(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("krippendorff_alpha: rows of numbers of one length are needed, one row a rater") from None
    if table.ndim != 2:
        raise ValueError(f"krippendorff_alpha: shape {table.shape}; raters x units are needed")
    if np.isinf(table).any():
        raise ValueError("krippendorff_alpha: a rating is infinite")
    return table.T


def alpha_value(units: Floats, level: Level) -> float:
    """The coefficient of units x raters, each unit with two ratings or more; NaN where all ratings are equal.

    For ordinal data the distance of two values is the squared difference of their middle ranks, so it is the
    interval formula over ranks.
    """
    known = ~np.isnan(units)
    values, sizes = units[known], known.sum(axis=1)
    rows = np.repeat(np.arange(len(units)), sizes)
    if level == "ordinal":
        values = middle_ranks(values)
    if level in ("ordinal", "interval"):
        observed, expected = _squares(values, rows, sizes)
    elif level == "nominal":
        observed, expected = _mismatches(values, rows, sizes)
    else:
        observed, expected = _ratios(values, rows, sizes)
    return float(1 - observed / expected) if expected > 1e-12 else float("nan")


def _squares(values: Floats, rows: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[float, float]:
    """Mean squared distance of pairs within units, and of all pairs."""
    n = values.size
    values = values - values.mean()
    sums = np.bincount(rows, values, minlength=len(sizes))
    squares = np.bincount(rows, values**2, minlength=len(sizes))
    observed = (2 * (sizes * squares - sums**2) / (sizes - 1)).sum() / n
    return float(observed), float(2 * (n * squares.sum() - values.sum() ** 2) / (n * (n - 1)))


def _mismatches(values: Floats, rows: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[float, float]:
    """Share of unequal pairs within units, and of all pairs."""
    n = values.size
    _, codes = np.unique(values, return_inverse=True)
    kinds = int(codes.max()) + 1
    table = np.bincount(rows * kinds + codes, minlength=len(sizes) * kinds).reshape(len(sizes), kinds)
    observed = ((sizes**2 - (table**2).sum(axis=1)) / (sizes - 1)).sum() / n
    return float(observed), float((n**2 - (table.sum(axis=0) ** 2).sum()) / (n * (n - 1)))


def _ratios(values: Floats, rows: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[float, float]:
    """Mean of ((a - b) / (a + b))^2 over pairs within units, and over all pairs; two zeros are no distance."""
    n = values.size
    steps, codes = np.unique(values, return_inverse=True)
    total = steps[:, None] + steps[None, :]
    distance = np.square(np.divide(steps[:, None] - steps[None, :], total, out=np.zeros_like(total), where=total > 0))
    table = np.zeros((len(sizes), steps.size))
    np.add.at(table, (rows, codes), 1.0)
    observed = (((table @ distance) * table).sum(axis=1) / (sizes - 1)).sum() / n
    counts = table.sum(axis=0)
    return float(observed), float(counts @ distance @ counts / (n * (n - 1)))
