"""May a judge stand in for a person? The alternative annotator test.

Each rater is left out in turn, and the judge competes with that rater: on each item, who is nearer to the other raters?
The judge wins against a rater where its advantage is not worse than the rater's by EPSILON or more; it may stand in
where it wins against half of the raters. Source: Calderon, Reichart and Dror 2025, with its correction for several
raters (Benjamini and Yekutieli 2001); judging specification, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from jatdae.stats import benjamini_hochberg
from jatdae.stats.clusters import Floats

FEWEST_RATERS, FEWEST_ITEMS = 3, 50
EPSILON = 0.15
"""What a trained rater costs more than a judge, as an advantage that the judge need not have."""
LEVEL, WINNING = 0.05, 0.5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One rater against the judge over `items`: how often each is at least as near to the others, and the p-value.

    `p` is corrected for all raters; below LEVEL the judge wins.
    """

    rater: str
    items: int
    judge_advantage: float
    rater_advantage: float
    p: float


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """`winning_rate` is the share of raters that the judge wins against; the raters are those with enough items.

    `not_run` says why there is no result; then the rate is None and nobody was left out.
    """

    left_out: tuple[LeftOut, ...] = ()
    winning_rate: float | None = None
    advantage: float | None = None
    not_run: str = ""

    @property
    def passed(self) -> bool | None:
        return None if self.winning_rate is None else self.winning_rate >= WINNING


def alternative_test(
    ratings: Sequence[Mapping[str, float]], judge: Sequence[float | None], measure: Literal["distance", "match"]
) -> AlternativeTest:
    """The test over items: each rater's number by name, and the judge's number or None.

    `distance`: nearness is the negative root mean squared difference from the others, for scores. `match`: the share of
    others who said the same, for choices. Not run under 3 raters who share 50 items with another and the judge.
    """
    rows = [(row, value) for row, value in zip(ratings, judge, strict=True) if value is not None and len(row) > 1]
    names = sorted({name for row, _ in rows for name in row})
    compared = {name: _advantages(rows, name, measure) for name in names}
    kept = {name: found for name, found in compared.items() if len(found) >= FEWEST_ITEMS}
    if len(kept) < FEWEST_RATERS:
        return AlternativeTest(
            not_run=f"{len(kept)} raters share {FEWEST_ITEMS} items or more with another and the judge;"
            f" {FEWEST_RATERS} are needed"
        )
    corrected = benjamini_yekutieli([_p_value(found) for found in kept.values()])
    left_out = [
        LeftOut(name, len(found), float(found[:, 0].mean()), float(found[:, 1].mean()), p)
        for (name, found), p in zip(kept.items(), corrected, strict=True)
    ]
    won = sum(one.p < LEVEL for one in left_out) / len(left_out)
    return AlternativeTest(tuple(left_out), won, float(np.mean([one.judge_advantage for one in left_out])))


def _advantages(rows: Sequence[tuple[Mapping[str, float], float]], name: str, measure: str) -> Floats:
    """For every item of a rater, whether the judge and whether the rater is at least as near: n x 2 of 0 and 1."""
    found = []
    for row, value in rows:
        if name in row:
            others = np.array([score for rater, score in row.items() if rater != name])
            near_judge, near_rater = (_nearness(one, others, measure) for one in (value, row[name]))
            found.append((near_judge >= near_rater, near_rater >= near_judge))
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def _nearness(value: float, others: Floats, measure: str) -> float:
    if measure == "match":
        return float((others == value).mean())
    return -float(np.sqrt(np.square(others - value).mean()))


def _p_value(found: Floats) -> float:
    """One-sided t test that the rater's mean advantage over the judge is below EPSILON."""
    from scipy.stats import ttest_1samp

    ahead = found[:, 1] - found[:, 0]
    if np.ptp(ahead) == 0:  # no spread, for which the t test has no answer
        return 0.0 if ahead[0] < EPSILON else 1.0
    tested: Any = ttest_1samp(ahead, EPSILON, alternative="less")
    return float(tested.pvalue)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values that keep the expected share of false claims below the level under any dependence."""
    harmonic = sum(1 / place for place in range(1, len(p_values) + 1))
    return [min(1.0, harmonic * p) for p in benjamini_hochberg(p_values)]
