"""The honorific criterion by itself: a mean must not hide that a model speaks to people wrongly.

Source: MunBench specification, requirement B10.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.judging.cases import Criterion
from jatdae.judging.summary import SampleScore
from jatdae.stats import mean
from jatdae.stats.agreement import spearman
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.types import Estimate

_HONORIFIC = re.compile(r"존댓말|존대|높임|경어|화계|존비|honorific|speech level", re.IGNORECASE)


def honorific_criteria(criteria: Sequence[Criterion]) -> tuple[str, ...]:
    """The names of a rubric's criteria about honorifics; a rubric without any cannot show them."""
    return tuple(one.name for one in criteria if _HONORIFIC.search(one.name))


@dataclass(frozen=True, slots=True)
class HonorificScore:
    """A model's mean on the honorific criteria of a track, and their rho with the mean of all other criteria."""

    model: str
    track: int
    mean: Estimate
    rho_with_rest: Estimate | None


def honorific_scores(samples: Sequence[SampleScore], *, draws: int = DRAWS, seed: int = 0) -> list[HonorificScore]:
    """By model and track; samples without a score on such a criterion are left out. Intervals are by item."""
    groups: dict[tuple[str, int], list[tuple[str, float, float | None]]] = defaultdict(list)
    for sample in samples:
        own = [score for name, score in sample.criteria.items() if _HONORIFIC.search(name)]
        rest = [score for name, score in sample.criteria.items() if not _HONORIFIC.search(name)]
        if own:
            groups[sample.model, sample.track].append(
                (sample.item, float(np.mean(own)), float(np.mean(rest)) if rest else None)
            )
    return [_score(model, track, rows, draws, seed) for (model, track), rows in sorted(groups.items())]


def _score(
    model: str, track: int, rows: Sequence[tuple[str, float, float | None]], draws: int, seed: int
) -> HonorificScore:
    whole = [(item, own, rest) for item, own, rest in rows if rest is not None]
    rho = spearman(
        [own for _, own, _ in whole],
        [rest for _, _, rest in whole],
        clusters=[item for item, _, _ in whole],
        draws=draws,
        seed=seed,
    )
    return HonorificScore(model, track, mean([own for _, own, _ in rows], [item for item, _, _ in rows]), rho)
