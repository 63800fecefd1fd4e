"""How often a judge puts two texts in the order in which people put them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.resampling import DRAWS, paired_columns, resampled
from jatdae.stats.clusters import Clusters, Floats, cluster_codes
from jatdae.types import Estimate

Ratings = Sequence[float] | NDArray[np.generic]


def pairwise_accuracy(
    human: Ratings,
    judge: Ratings,
    *,
    within: Clusters | None = None,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate | None:
    """The share of pairs that the judge orders as people do; a tie of the judge is half right, human ties are dropped.

    `within` (one label a text) pairs only texts of one label, such as answers to one prompt; then labels are resampled,
    or clusters of them. Without it all pairs count and texts are resampled, or clusters of them. Needs memory for
    texts^2. None without a pair that people order. Raises ValueError on lists that do not match.

    >>> estimate = pairwise_accuracy([3, 1, 2, 2, 5], [7, 2, 6, 5, 6])
    >>> round(estimate.value, 4)
    0.8333
    """
    columns = paired_columns(human, judge, "pairwise_accuracy")
    if within is not None:
        return accuracy_of_sums(pair_sums(columns, within, clusters), draws, seed)
    order = np.lexsort(columns.T)  # so that the draws do not depend on the order of the texts
    labels = None if clusters is None else np.asarray(cluster_codes(clusters, len(columns)))[order]
    credit, weight = _pair_credits(columns[order])

    def statistic(drawn: NDArray[np.intp]) -> float:
        times = np.bincount(drawn, minlength=len(columns)).astype(np.float64)
        total = float(times @ weight @ times)
        return float(times @ credit @ times) / total if total else float("nan")

    return resampled(np.arange(len(columns)), statistic, "pairwise accuracy", labels, draws, seed)


def pair_sums(
    columns: Floats, within: Clusters, clusters: Clusters | None = None
) -> list[tuple[Hashable, float, float]]:
    """For every label with a pair that people order: its cluster (or itself), the judge's credit, the pairs."""
    codes = cluster_codes(within, len(columns))
    labels = list(within if clusters is None else clusters)
    sums: list[tuple[Hashable, float, float]] = []
    for code in range(int(codes.max(initial=-1)) + 1):
        members = np.flatnonzero(codes == code)
        credit, weight = _pair_credits(columns[members])
        if weight.any():
            sums.append((labels[members[0]], float(credit.sum()), float(weight.sum())))
    return sums


def accuracy_of_sums(sums: Sequence[tuple[Hashable, float, float]], draws: int, seed: int) -> Estimate | None:
    """The accuracy over the sums of `pair_sums`, resampled by cluster."""
    rows = np.array([(credit, pairs) for _, credit, pairs in sums], dtype=np.float64).reshape(-1, 2)
    clusters = [label for label, _, _ in sums]
    return resampled(rows, _ratio, "pairwise accuracy within prompts", clusters, draws, seed)


def _pair_credits(columns: Floats) -> tuple[Floats, Floats]:
    """Credit (0, 0.5, 1) of each ordered pair, and whether people order it: two n x n arrays."""
    human, judge = (np.sign(column[:, None] - column[None, :]) for column in columns.T)
    weight = (human != 0).astype(np.float64)
    return (1 + human * judge) / 2 * weight, weight


def _ratio(sums: Floats) -> float:
    return float(sums[:, 0].sum() / sums[:, 1].sum())
