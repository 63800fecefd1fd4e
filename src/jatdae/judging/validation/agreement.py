"""How far a judge agrees with people, how far people agree with each other, and whether that is enough.

Source: judging specification, section 3.1; MunBench specification, requirement B1.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.judging.cases import RubricScore, Verdict
from jatdae.judging.summary import SampleScore, SummaryPolicy, summarise_sample
from jatdae.judging.validation.ceiling import human_ceiling
from jatdae.judging.validation.human_scores import HumanPreference, HumanScore, SampleKey
from jatdae.stats.agreement import (
    kendall_tau,
    krippendorff_alpha,
    pairwise_accuracy,
    resampled,
    spearman,
    weighted_kappa,
)
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.stats.ratings import points
from jatdae.types import Estimate

OVERALL, ENSEMBLE = "overall", "ensemble"
FEWEST_SAMPLES, LEAST_RHO = 100, 0.5


@dataclass(frozen=True, slots=True)
class RatedRow:
    """One response as a judge and as people score it. `case` is its item with its variant."""

    item: str
    case: str
    judge: float
    human: float
    ratings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HumanHuman:
    """People among themselves: alpha over all raters, and each rater against the mean of the others."""

    raters: int
    alpha: Estimate | None
    spearman: Estimate | None
    pair_accuracy: Estimate | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against the mean of people, on one criterion of one track (None: all tracks together).

    `judge` may be the ensemble. `alpha` is ordinal over all human raters and the judge; pairs are of responses to one
    prompt. Measures are None where undefined.
    """

    judge: str
    track: int | None
    criterion: str
    samples: int
    spearman: Estimate | None
    kendall: Estimate | None
    kappa: Estimate | None
    alpha: Estimate | None
    pair_accuracy: Estimate | None
    people: HumanHuman

    @property
    def not_validated(self) -> str:
        """Why the judge is not validated here; empty where it is: 100 rated samples and a rho surely from .5 on."""
        if self.samples < FEWEST_SAMPLES:
            return f"not human-validated: {self.samples} rated samples, {FEWEST_SAMPLES} are needed"
        low = self.spearman.low if self.spearman else None
        if low is None:
            return "not human-validated: rank correlation cannot be estimated"
        if low < LEAST_RHO:
            return f"not human-validated: the lower bound of rho is {low:.2f}, {LEAST_RHO} is needed"
        return ""


def judge_agreement(
    scores: Sequence[RubricScore], human: Mapping[SampleKey, HumanScore], *, draws: int = DRAWS, seed: int = 0
) -> list[Agreement]:
    """Every judge and their ensemble against people: all tracks together, each track, each criterion.

    Samples that people did not score, or the judge gave nothing valid on, are left out.
    """
    judges = tuple(sorted({one.judge for one in scores}))
    samples = [sample for sample in summaries(scores, judges) if key_of(sample) in human]
    results = []
    known: dict[Hashable, HumanHuman] = {}
    for judge in (*judges, *((ENSEMBLE,) if len(judges) > 1 else ())):
        for track, criterion in _scopes(samples):
            rows = list(_rows(samples, human, judge, track, criterion))
            if rows:
                results.append(_agreement(judge, track, criterion, rows, known, draws, seed))
    return results


def summaries(scores: Sequence[RubricScore], judges: tuple[str, ...]) -> list[SampleScore]:
    """One summary a sample with every judge counted, its own author's included: here it is the judges that are seen."""
    by_sample: dict[SampleKey, list[RubricScore]] = defaultdict(list)
    for one in scores:
        by_sample[SampleKey(one.item, one.variant, one.model, one.index)].append(one)
    policy = SummaryPolicy(judges, self_judging="include")
    return [summarise_sample(records, policy) for records in by_sample.values()]


def key_of(sample: SampleScore) -> SampleKey:
    """The key under which people scored a sample."""
    return SampleKey(sample.item, sample.variant, sample.model, sample.index)


def _scopes(samples: Sequence[SampleScore]) -> list[tuple[int | None, str]]:
    scopes: list[tuple[int | None, str]] = [(None, OVERALL)]
    for track in sorted({sample.track for sample in samples}):
        names = dict.fromkeys(name for sample in samples if sample.track == track for name in sample.criteria)
        scopes += [(track, OVERALL), *((track, name) for name in names)]
    return scopes


def _rows(
    samples: Iterable[SampleScore],
    human: Mapping[SampleKey, HumanScore],
    judge: str,
    track: int | None,
    criterion: str,
) -> Iterable[RatedRow]:
    for sample in samples:
        if track not in (None, sample.track):
            continue
        judged = _judged(sample, judge, criterion)
        ratings = _ratings(human[key_of(sample)], criterion)
        if judged is not None and ratings:
            case = f"{sample.item}/{sample.variant}"
            yield RatedRow(sample.item, case, judged, math.fsum(ratings.values()) / len(ratings), ratings)


def _judged(sample: SampleScore, judge: str, criterion: str) -> float | None:
    if judge == ENSEMBLE:
        return sample.final_mean if criterion == OVERALL else sample.criteria.get(criterion)
    one = next(one for one in sample.judges if one.judge == judge)
    return one.mean if criterion == OVERALL else one.criteria.get(criterion)


def _ratings(score: HumanScore, criterion: str) -> dict[str, float]:
    """Each rater's score; a bare number is a rater without a name."""
    if criterion != OVERALL:
        return {one.rater: one.criteria[criterion] for one in score.ratings if criterion in one.criteria}
    known = {one.rater: one.score for one in score.ratings if one.score is not None}
    return known or ({} if score.score is None else {"": score.score})


def _agreement(
    judge: str,
    track: int | None,
    criterion: str,
    rows: Sequence[RatedRow],
    known: dict[Hashable, HumanHuman],
    draws: int,
    seed: int,
) -> Agreement:
    """`known` keeps what people are among themselves, which is the same for all judges of the same responses."""
    people, judged = [row.human for row in rows], [row.judge for row in rows]
    items, cases = [row.item for row in rows], [row.case for row in rows]
    table = _by_rater(rows)
    same = tuple((row.case, *sorted(row.ratings.items())) for row in rows)
    if same not in known:
        known[same] = _people(rows, draws, seed)
    return Agreement(
        judge,
        track,
        criterion,
        len(rows),
        spearman(people, judged, clusters=items, draws=draws, seed=seed),
        kendall_tau(people, judged, clusters=items, draws=draws, seed=seed),
        weighted_kappa(people, judged, clusters=items, draws=draws, seed=seed),
        krippendorff_alpha([*table, judged], clusters=items, draws=draws, seed=seed),
        pairwise_accuracy(people, judged, within=cases, clusters=items, draws=draws, seed=seed),
        known[same],
    )


def _people(rows: Sequence[RatedRow], draws: int, seed: int) -> HumanHuman:
    items, table = [row.item for row in rows], _by_rater(rows)
    ceiling = human_ceiling([row.ratings for row in rows], [row.case for row in rows], items, draws=draws, seed=seed)
    return HumanHuman(len(table), krippendorff_alpha(table, clusters=items, draws=draws, seed=seed), *ceiling)


def _by_rater(rows: Sequence[RatedRow]) -> list[list[float | None]]:
    raters = sorted({rater for row in rows for rater in row.ratings})
    return [[row.ratings.get(rater) for row in rows] for rater in raters]


@dataclass(frozen=True, slots=True)
class PairKey:
    """Two responses that people compared: `A` in their votes is the one of model `a`."""

    item: str
    variant: str
    a: str
    b: str


def preference_accuracy(
    verdicts: Sequence[Verdict], human: Mapping[PairKey, HumanPreference], *, draws: int = DRAWS, seed: int = 0
) -> dict[str, Estimate]:
    """By judge, the share of verdicts that people share; a judge's tie is half right, human ties are dropped."""
    won_by: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for one in verdicts:
        preferred = _preferred(one, human)
        if preferred and one.winner is not None and one.status == "ok":
            first = points(one.winner)
            won = first if one.first == preferred else 1 - first
            won_by[one.judge].append((one.item, won))
    results: dict[str, Estimate] = {}
    for judge, rows in sorted(won_by.items()):
        values = np.array([credit for _, credit in rows])
        estimate = resampled(
            values, lambda drawn: float(drawn.mean()), "pair accuracy", [item for item, _ in rows], draws, seed
        )
        if estimate is not None:
            results[judge] = estimate
    return results


def _preferred(verdict: Verdict, human: Mapping[PairKey, HumanPreference]) -> str | None:
    """The model that people prefer, None where they tie or were not asked."""
    for a, b in ((verdict.first, verdict.second), (verdict.second, verdict.first)):
        found = human.get(PairKey(verdict.item, verdict.variant, a, b))
        if found is not None:
            return {"A": a, "B": b, "tie": None}[found.preference]
    return None
