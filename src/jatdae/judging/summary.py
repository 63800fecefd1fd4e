"""Iterations to judges to a sample: means, spreads, who is missing, who may not count.

Source: MunBench specification, sections 1.6 (gate) and 3.5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jatdae.judging.cases import RubricScore
from jatdae.judging.identity import Identities

SelfJudging = Literal["include", "exclude_self", "exclude_family"]
_COUNTED = ("ok", "forced")
_GATE = 3.0


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    """`judges` are all that were to score. `min_judges` None is all of them that are not excluded for the sample.

    `gate` names criteria of which each must reach a mean of 3, as far as it is scored at all. For the published
    arithmetic take `min_judges=1` and `self_judging="include"`.
    """

    judges: tuple[str, ...]
    min_judges: int | None = None
    self_judging: SelfJudging = "exclude_self"
    identities: Identities = field(default_factory=Identities)
    gate: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeMean:
    """One judge over its valid iterations: mean, population standard deviation (0 for one), and how many there are.

    `mean` and `std` are None without any. `missing` counts iterations that gave nothing that counts.
    """

    judge: str
    mean: float | None
    std: float | None
    iterations: int
    missing: int
    criteria: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SampleScore:
    """A sample's scores. `final_mean` is None unless `complete`: judges differ too much to average over fewer.

    `raw_mean` is over every judge that answered, the model's own included. `judge_disagreement_std` is the population
    standard deviation of the judge means that count. `judges_failed` gave no valid iteration, `judges_excluded` may not
    count. `forced` says that nothing was asked because the response was empty.
    """

    item: str
    variant: str
    track: int
    model: str
    index: int
    judges: tuple[JudgeMean, ...]
    final_mean: float | None
    raw_mean: float | None
    judge_disagreement_std: float | None
    judges_failed: tuple[str, ...]
    judges_excluded: tuple[str, ...]
    complete: bool
    gate_failed: bool
    forced: bool
    criteria: Mapping[str, float]


def summarise_sample(scores: Sequence[RubricScore], policy: SummaryPolicy) -> SampleScore:
    """One sample's records in any order; of several for one iteration the first valid one counts.

    Raises ValueError without records, or if they are of more than one sample.
    """
    if len({(one.item, one.variant, one.track, one.model, one.index) for one in scores}) != 1:
        raise ValueError(f"records of one sample are needed, got {len(scores)} of others or none")
    some = scores[0]
    judges = tuple(_judge_mean(judge, scores) for judge in policy.judges)
    excluded = policy.identities.excluded(some.model, policy.judges, policy.self_judging)
    allowed = [one for one in judges if one.judge not in excluded]
    means = [one.mean for one in allowed if one.mean is not None]
    needed = policy.min_judges if policy.min_judges is not None else len(allowed)
    complete = bool(means) and len(means) >= needed
    criteria = _mean_by_name([one.criteria for one in allowed])
    return SampleScore(
        some.item,
        some.variant,
        some.track,
        some.model,
        some.index,
        judges,
        final_mean=_mean(means) if complete else None,
        raw_mean=_mean([one.mean for one in judges if one.mean is not None]),
        judge_disagreement_std=_deviation(means),
        judges_failed=tuple(one.judge for one in judges if one.mean is None),
        judges_excluded=excluded,
        complete=complete,
        gate_failed=any(criteria[name] < _GATE for name in policy.gate if name in criteria),
        forced=any(one.status == "forced" for one in scores),
        criteria=criteria,
    )


def _judge_mean(judge: str, scores: Sequence[RubricScore]) -> JudgeMean:
    by_iteration: dict[int, RubricScore] = {}
    for one in scores:
        kept = by_iteration.get(one.iteration)
        if one.judge == judge and (kept is None or not _counts(kept)):
            by_iteration[one.iteration] = one
    valid = [one for one in by_iteration.values() if _counts(one)]
    weighted = [one.weighted for one in valid if one.weighted is not None]
    return JudgeMean(
        judge,
        _mean(weighted),
        _deviation(weighted),
        len(valid),
        len(by_iteration) - len(valid),
        _mean_by_name([one.scores for one in valid]),
    )


def _counts(score: RubricScore) -> bool:
    return score.status in _COUNTED and score.weighted is not None


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _deviation(values: Sequence[float]) -> float | None:
    """The population standard deviation, as published; None without values."""
    mean = _mean(values)
    return None if mean is None else math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def _mean_by_name(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: math.fsum(row[name] for row in rows if name in row) / sum(name in row for row in rows) for name in names
    }
