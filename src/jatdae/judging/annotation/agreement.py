"""How far the raters of a set agree with each other, and how far judges agree with them.

Source: judging specification, section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from jatdae.judging.annotation.alternative import AlternativeTest, alternative_test
from jatdae.judging.validation.ceiling import human_ceiling
from jatdae.stats.agreement import intraclass_correlation, krippendorff_alpha, pairwise_accuracy, spearman
from jatdae.stats.agreement.kappa import Weights, weighted_kappa
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.types import Estimate

Standing = Literal["usable", "tentative", "not usable", "n/a"]
GOOD, TENTATIVE = 0.8, 0.667
FEWEST_ITEMS = 50
"""Under so many rated units every figure of the page is a first impression."""


@dataclass(frozen=True, slots=True)
class RatedUnit:
    """A unit with each rater's number. `item` is what is resampled, `case` the prompt within which texts compare."""

    unit: str
    item: str
    case: str
    ratings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters over the units that both rated. Spearman is None for choices."""

    one: str
    other: str
    units: int
    kappa: Estimate | None
    spearman: Estimate | None


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """All raters of a set on one criterion ("overall", or "preferred" for pairs). `units` have two raters or more.

    ICCs are over the `complete` units that every rater rated. The ceilings leave one rater out against the others: no
    judge can be expected to do better. Measures are None where undefined, and for choices where they mean nothing.
    """

    criterion: str
    raters: tuple[str, ...]
    units: int
    complete: int
    alpha: Estimate | None
    alpha_interval: Estimate | None
    icc_absolute: Estimate | None
    icc_order: Estimate | None
    ceiling_spearman: Estimate | None
    ceiling_accuracy: Estimate | None
    pairs: tuple[RaterPair, ...]

    @property
    def standing(self) -> Standing:
        """By alpha: usable from .80 on, tentative from .667 on."""
        return standing(self.alpha)

    @property
    def reaches_lower(self) -> bool:
        return reaches_lower(self.alpha)


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """A judge beside the mean (or most votes) of the raters over the units that have both, on one criterion.

    `alpha` is over all raters and the judge. `stand_in` is the alternative annotator test. A single criterion is not
    `is_whole`: it has kappa and alpha alone.
    """

    judge: str
    criterion: str
    units: int
    kappa: Estimate | None
    spearman: Estimate | None
    alpha: Estimate | None
    accuracy: Estimate | None
    stand_in: AlternativeTest | None
    is_whole: bool = True

    @property
    def standing(self) -> Standing:
        return standing(self.alpha)

    @property
    def reaches_lower(self) -> bool:
        return reaches_lower(self.alpha)


def standing(alpha: Estimate | None) -> Standing:
    """The rule of the specification; without an interval nothing is said."""
    if alpha is None or alpha.low is None:
        return "n/a"
    return _named(alpha.value)


def _named(alpha: float) -> Standing:
    return "usable" if alpha >= GOOD else "tentative" if alpha >= TENTATIVE else "not usable"


def reaches_lower(alpha: Estimate | None) -> bool:
    """Whether the interval leaves room for a lower verdict."""
    return alpha is not None and alpha.low is not None and _named(alpha.low) != _named(alpha.value)


def score_agreement(
    criterion: str, units: Sequence[RatedUnit], *, by_pairs: bool = True, draws: int = DRAWS, seed: int = 0
) -> RaterAgreement:
    """Raters who gave scores. Units of one rater say nothing and are left out; `by_pairs` adds two raters at a time."""
    shared = [unit for unit in units if len(unit.ratings) > 1]
    raters = _raters(units)
    items = [unit.item for unit in shared]
    table = _table(shared, raters)
    whole = [unit for unit in shared if len(unit.ratings) == len(raters)]
    cells = [[unit.ratings[rater] for rater in raters] for unit in whole]
    ceilings = human_ceiling(
        [unit.ratings for unit in shared], [unit.case for unit in shared], items, draws=draws, seed=seed
    )
    kept = [unit.item for unit in whole]
    return RaterAgreement(
        criterion,
        raters,
        len(shared),
        len(whole),
        krippendorff_alpha(table, clusters=items, draws=draws, seed=seed) if shared else None,
        krippendorff_alpha(table, "interval", clusters=items, draws=draws, seed=seed) if shared else None,
        intraclass_correlation(cells, "2,1", clusters=kept, draws=draws, seed=seed) if cells else None,
        intraclass_correlation(cells, "3,1", clusters=kept, draws=draws, seed=seed) if cells else None,
        *ceilings,
        _rater_pairs(shared, raters, "quadratic", draws, seed) if by_pairs else (),
    )


def choice_agreement(units: Sequence[RatedUnit], *, draws: int = DRAWS, seed: int = 0) -> RaterAgreement:
    """Raters who chose: 1 for the first text, -1 for the second, 0 for a tie. Alpha is nominal, kappa plain."""
    shared = [unit for unit in units if len(unit.ratings) > 1]
    raters = _raters(units)
    items = [unit.item for unit in shared]
    sides = _as_two_texts(shared)
    _, accuracy = human_ceiling(
        [row.ratings for row in sides], [row.case for row in sides], [row.item for row in sides], draws=draws, seed=seed
    )
    table = _table(shared, raters)
    return RaterAgreement(
        "preferred",
        raters,
        len(shared),
        sum(len(unit.ratings) == len(raters) for unit in shared),
        krippendorff_alpha(table, "nominal", clusters=items, draws=draws, seed=seed) if shared else None,
        None,
        None,
        None,
        None,
        accuracy,
        _rater_pairs(shared, raters, "plain", draws, seed),
    )


def judged_scores(
    judge: str,
    criterion: str,
    units: Sequence[RatedUnit],
    scores: Mapping[str, float],
    *,
    whole: bool,
    draws: int = DRAWS,
    seed: int = 0,
) -> JudgeAgreement:
    """A judge's scores by unit against the mean of people's.

    Without `whole` only kappa and alpha are computed, which is what a single criterion is reported with.
    """
    kept = [unit for unit in units if unit.unit in scores and unit.ratings]
    people = [math.fsum(unit.ratings.values()) / len(unit.ratings) for unit in kept]
    given = [scores[unit.unit] for unit in kept]
    items = [unit.item for unit in kept]
    cases = [unit.case for unit in kept]
    table = [*_table(kept, _raters(kept)), given]
    return JudgeAgreement(
        judge,
        criterion,
        len(kept),
        weighted_kappa(people, given, clusters=items, draws=draws, seed=seed) if kept else None,
        spearman(people, given, clusters=items, draws=draws, seed=seed) if kept and whole else None,
        krippendorff_alpha(table, clusters=items, draws=draws, seed=seed) if kept else None,
        pairwise_accuracy(people, given, within=cases, clusters=items, draws=draws, seed=seed) if whole else None,
        alternative_test([unit.ratings for unit in kept], given, "distance") if whole else None,
        whole,
    )


def judged_choices(
    judge: str, units: Sequence[RatedUnit], choices: Mapping[str, float], *, draws: int = DRAWS, seed: int = 0
) -> JudgeAgreement:
    """A judge's choices by unit (from 1 for the first text to -1) against what most people chose.

    Accuracy is over pairs on which people do not tie; a judge's tie is half right.
    """
    kept = [unit for unit in units if unit.unit in choices and unit.ratings]
    signs = [_sign(choices[unit.unit]) for unit in kept]
    items = [unit.item for unit in kept]
    most = [preferred(unit.ratings) for unit in kept]
    table = [*_table(kept, _raters(kept)), signs]
    sides = _as_two_texts(kept)
    judged = [side for sign in signs for side in (sign, -sign)]
    people = [side for sign in most for side in (sign, -sign)]
    cases, doubled = [row.case for row in sides], [row.item for row in sides]
    return JudgeAgreement(
        judge,
        "preferred",
        len(kept),
        weighted_kappa(most, signs, "plain", clusters=items, draws=draws, seed=seed) if kept else None,
        None,
        krippendorff_alpha(table, "nominal", clusters=items, draws=draws, seed=seed) if kept else None,
        pairwise_accuracy(people, judged, within=cases, clusters=doubled, draws=draws, seed=seed) if kept else None,
        alternative_test([unit.ratings for unit in kept], signs, "match"),
    )


def preferred(ratings: Mapping[str, float]) -> float:
    """What most raters chose; a tie where two lead together."""
    votes = list(ratings.values())
    counts = {choice: votes.count(choice) for choice in (1.0, 0.0, -1.0)}
    leaders = [choice for choice, count in counts.items() if count == max(counts.values())]
    return leaders[0] if len(leaders) == 1 else 0.0


def _sign(value: float) -> float:
    return float((value > 0) - (value < 0))


def _as_two_texts(units: Sequence[RatedUnit]) -> list[RatedUnit]:
    """A pair as two texts of one prompt, of which the chosen one has the higher number."""
    return [
        RatedUnit(unit.unit, unit.item, unit.unit, {rater: side * value for rater, value in unit.ratings.items()})
        for unit in units
        for side in (1, -1)
    ]


def _raters(units: Sequence[RatedUnit]) -> tuple[str, ...]:
    return tuple(sorted({rater for unit in units for rater in unit.ratings}))


def _table(units: Sequence[RatedUnit], raters: Sequence[str]) -> list[list[float | None]]:
    return [[unit.ratings.get(rater) for unit in units] for rater in raters]


def _rater_pairs(
    units: Sequence[RatedUnit], raters: Sequence[str], weights: Weights, draws: int, seed: int
) -> tuple[RaterPair, ...]:
    found = []
    for one, other in combinations(raters, 2):
        both = [unit for unit in units if one in unit.ratings and other in unit.ratings]
        if not both:
            continue
        first, second = ([unit.ratings[rater] for unit in both] for rater in (one, other))
        items = [unit.item for unit in both]
        kappa = weighted_kappa(first, second, weights, clusters=items, draws=draws, seed=seed)
        rho = spearman(first, second, clusters=items, draws=draws, seed=seed) if weights == "quadratic" else None
        found.append(RaterPair(one, other, len(both), kappa, rho))
    return tuple(found)
