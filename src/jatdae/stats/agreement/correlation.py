"""Rank correlation of two raters over the same items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.resampling import DRAWS, paired_columns, resampled
from jatdae.stats.clusters import Clusters, Floats
from jatdae.types import Estimate

Ratings = Sequence[float] | NDArray[np.generic]


def spearman(
    a: Ratings, b: Ratings, *, clusters: Clusters | None = None, draws: int = DRAWS, seed: int = 0
) -> Estimate | None:
    """Spearman's rho, ties at their middle rank; None where a side has fewer than two different values.

    Raises ValueError on lists that do not match or numbers that are not finite.
    """
    return resampled(paired_columns(a, b, "spearman"), spearman_value, "Spearman", clusters, draws, seed)


def kendall_tau(
    a: Ratings, b: Ratings, *, clusters: Clusters | None = None, draws: int = DRAWS, seed: int = 0
) -> Estimate | None:
    """Kendall's tau-b, which allows for ties; None where a side has fewer than two different values.

    Raises ValueError as `spearman` does.
    """
    return resampled(paired_columns(a, b, "kendall_tau"), kendall_value, "Kendall tau-b", clusters, draws, seed)


def spearman_value(columns: Floats) -> float:
    """Rho of n x 2 ratings, NaN where undefined."""
    return pearson_value(middle_ranks(columns[:, 0]), middle_ranks(columns[:, 1]))


def kendall_value(columns: Floats) -> float:
    """Tau-b of n x 2 ratings, NaN where undefined."""
    from scipy.stats import kendalltau

    if any(np.ptp(column) == 0 for column in columns.T):
        return math.nan
    if len(columns) == 2:  # one pair, told apart by both; scipy's p-value divides by n - 2
        return float(np.sign(np.diff(columns, axis=0)).prod())
    tau: Any = kendalltau(columns[:, 0], columns[:, 1], method="asymptotic")
    return float(tau.statistic)


def pearson_value(a: Floats, b: Floats) -> float:
    """Pearson's r; NaN where a side does not vary by more than rounding."""
    first, second = a - a.mean(), b - b.mean()
    norm_a, norm_b = np.linalg.norm(first), np.linalg.norm(second)
    if norm_a <= 1e-12 * np.linalg.norm(a) or norm_b <= 1e-12 * np.linalg.norm(b):
        return math.nan
    return float(np.clip(first @ second / (norm_a * norm_b), -1.0, 1.0))


def middle_ranks(values: Floats) -> Floats:
    """Ranks from 1 on, equal values sharing the mean of their places."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[codes]
