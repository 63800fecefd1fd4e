"""What a judge can reach at most: one person against the others. Source: judging specification, section 3.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jatdae.stats.agreement import resampled
from jatdae.stats.agreement.correlation import spearman_value
from jatdae.stats.agreement.pairs import accuracy_of_sums, pair_sums
from jatdae.stats.clusters import Floats
from jatdae.types import Estimate

_FEWEST_SHARED = 3


def human_ceiling(
    ratings: Sequence[Mapping[str, float]], cases: Sequence[str], items: Sequence[str], *, draws: int, seed: int
) -> tuple[Estimate | None, Estimate | None]:
    """Spearman and pair accuracy of each rater against the mean of the others, leaving one out, over all raters.

    `ratings` maps raters to scores, one mapping a response; `cases` and `items` name its prompt and its item. Spearman
    is the plain mean over raters who share three responses or more with others; None without any.
    """
    raters = sorted({rater for row in ratings for rater in row})
    if len(raters) < 2:
        return None, None
    table = np.array([[row.get(rater, np.nan) for rater in raters] for row in ratings], dtype=np.float64)
    correlation = resampled(table, _left_out, "Spearman, one rater left out", items, draws, seed)
    sums = []
    for place in range(len(raters)):
        columns, shared = _against_others(table, place)
        kept = np.flatnonzero(shared).tolist()
        sums += pair_sums(columns, [cases[at] for at in kept], [items[at] for at in kept])
    return correlation, accuracy_of_sums(sums, draws, seed)


def _left_out(table: Floats) -> float:
    values = []
    for place in range(table.shape[1]):
        columns, _ = _against_others(table, place)
        if len(columns) >= _FEWEST_SHARED:
            values.append(spearman_value(columns))
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


def _against_others(table: Floats, place: int) -> tuple[Floats, np.ndarray]:
    """The mean of the others and this rater's score, for responses that have both; and which those are."""
    others = np.delete(table, place, axis=1)
    counts = (~np.isnan(others)).sum(axis=1)
    shared = (counts > 0) & ~np.isnan(table[:, place])
    means = np.nansum(others[shared], axis=1) / counts[shared]
    return np.stack([means, table[shared, place]], axis=1), shared
