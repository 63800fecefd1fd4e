"""How often a judge puts two texts in the order in which people put them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.resampling import DRAWS, paired_columns, resampled
from jatdae.stats.clusters import Clusters, Floats, cluster_codes
from jatdae.types import Estimate

Ratings = Sequence[float] | NDArray[np.generic]


def pairwise_accuracy(
    human: Ratings, judge: Ratings, *, within: Clusters | None = None, draws: int = DRAWS, seed: int = 0
) -> Estimate | None:
    """The share of pairs that the judge orders as people do; a tie of the judge is half right, human ties are dropped.

    `within` (one label a text) pairs only texts of one label, such as answers to one item, and then items are
    resampled; else all pairs count and texts are resampled. Needs memory for texts^2. None without a pair that people
    order. Raises ValueError on lists that do not match.

    >>> estimate = pairwise_accuracy([3, 1, 2, 2, 5], [7, 2, 6, 5, 6])
    >>> round(estimate.value, 4)
    0.8333
    """
    columns = paired_columns(human, judge, "pairwise_accuracy")
    if within is None:
        credit, weight = pair_credits(columns)

        def statistic(drawn: NDArray[np.intp]) -> float:
            times = np.bincount(drawn, minlength=len(columns)).astype(np.float64)
            total = float(times @ weight @ times)
            return float(times @ credit @ times) / total if total else float("nan")

        estimate = resampled(np.arange(len(columns)), statistic, "pairwise accuracy", None, draws, seed)
    else:
        sums = _sums_by_label(columns, within)
        estimate = resampled(sums, _ratio, "pairwise accuracy within items", None, draws, seed)
    return estimate


def pair_credits(columns: Floats) -> tuple[Floats, Floats]:
    """Credit (0, 0.5, 1) of each ordered pair, and whether people order it: two n x n arrays."""
    human, judge = (np.sign(column[:, None] - column[None, :]) for column in columns.T)
    weight = (human != 0).astype(np.float64)
    return (1 + human * judge) / 2 * weight, weight


def _sums_by_label(columns: Floats, within: Clusters) -> Floats:
    """Credit and number of pairs of each label that has any."""
    codes = cluster_codes(within, len(columns))
    tables = (pair_credits(columns[codes == code]) for code in range(int(codes.max(initial=-1)) + 1))
    sums = [(float(credit.sum()), float(weight.sum())) for credit, weight in tables if weight.any()]
    return np.array(sums).reshape(-1, 2)


def _ratio(sums: Floats) -> float:
    total = float(sums[:, 1].sum())
    return float(sums[:, 0].sum()) / total if total else float("nan")
