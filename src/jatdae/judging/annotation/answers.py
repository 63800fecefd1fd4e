"""From answers as they are stored to ratings and votes, joined with who wrote what."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.judging.annotation.agreement import RatedUnit
from jatdae.judging.annotation.units import Compared, Rated
from jatdae.judging.validation.agreement import OVERALL, PairKey
from jatdae.judging.validation.human_scores import (
    HumanPreference,
    HumanScore,
    Preference,
    Rating,
    SampleKey,
    merge_ratings,
    merge_votes,
)
from jatdae.store.annotations import Annotation

POINTS: Mapping[str, float] = {"first": 1.0, "tie": 0.0, "second": -1.0}


def rating_of(answer: Annotation, weights: Mapping[str, float]) -> Rating:
    """One rater's scores, and the weighted mean of all criteria as the overall one."""
    scores: Mapping[str, float] = answer.value["scores"]
    total = math.fsum(weights[name] for name in scores)
    overall = math.fsum(weights[name] * score for name, score in scores.items()) / total
    return Rating(answer.rater, overall, dict(scores), answer.created)


def ratings_by_unit(answers: Sequence[Annotation], units: Mapping[str, Rated]) -> dict[str, list[Rating]]:
    """The ratings of a rubric set by unit."""
    found: dict[str, list[Rating]] = defaultdict(list)
    for answer in answers:
        found[answer.unit].append(rating_of(answer, units[answer.unit].criteria))
    return dict(found)


def human_scores_of(answers: Sequence[Annotation], units: Mapping[str, Rated]) -> dict[SampleKey, HumanScore]:
    """What the raters of a rubric set say of each text together."""
    return {
        units[unit].sample: merge_ratings(ratings) for unit, ratings in sorted(ratings_by_unit(answers, units).items())
    }


def preferences_of(answers: Sequence[Annotation], units: Mapping[str, Compared]) -> dict[PairKey, HumanPreference]:
    """What most raters of a set of pairs prefer, by pair; `a` is the model that comes first in the alphabet."""
    votes: dict[PairKey, list[Preference]] = defaultdict(list)
    for answer in answers:
        votes[pair_key(units[answer.unit])].append(vote_of(answer.value, units[answer.unit]))
    merged = ((key, merge_votes(found)) for key, found in sorted(votes.items(), key=str))
    return {key: preference for key, preference in merged if preference is not None}


def pair_key(unit: Compared) -> PairKey:
    """The pair's name in the records."""
    return PairKey(unit.item, unit.variant, *sorted((unit.first, unit.second)))


def vote_of(value: Mapping[str, Any], unit: Compared) -> Preference:
    """A choice as a vote: A is the model that comes first in the alphabet, wherever its text stood."""
    if value["preferred"] == "tie":
        return "tie"
    chosen = unit.first if value["preferred"] == "first" else unit.second
    return "A" if chosen == min(unit.first, unit.second) else "B"


def rated_units(answers: Sequence[Annotation], units: Mapping[str, Rated], criterion: str) -> list[RatedUnit]:
    """The units of a rubric set with everybody's score on a criterion, or overall."""
    found = []
    for unit, ratings in ratings_by_unit(answers, units).items():
        sample = units[unit].sample
        scores = {one.rater: score for one in ratings if (score := _score(one, criterion)) is not None}
        if scores:
            found.append(RatedUnit(unit, sample.item, f"{sample.item}/{sample.variant}", scores))
    return found


def _score(rating: Rating, criterion: str) -> float | None:
    return rating.score if criterion == OVERALL else rating.criteria.get(criterion)


def chosen_units(answers: Sequence[Annotation], units: Mapping[str, Compared]) -> list[RatedUnit]:
    """The units of a set of pairs with everybody's choice: 1 for the first text, 0 for a tie, -1 for the second."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for answer in answers:
        found[answer.unit][answer.rater] = POINTS[answer.value["preferred"]]
    return [RatedUnit(unit, units[unit].item, unit, ratings) for unit, ratings in found.items()]


def criteria_of(units: Mapping[str, Rated]) -> list[str]:
    """The names of all criteria of a set, in the order of the rubrics."""
    return list(dict.fromkeys(name for unit in units.values() for name in unit.criteria))
