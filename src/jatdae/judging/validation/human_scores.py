"""People's scores and preferences as records: the forms that `human_score` may take, read, written and merged.

A score is null, a number from 0 to 10, or `{score, n_raters, ratings, distribution}`; a preference is null or
`{preference, n_raters, votes}`. Source: MunBench specification, section 1.8.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from jatdae.errors import DataError
from jatdae.judging.scales import HIGHEST, LOWEST

Preference = Literal["A", "B", "tie"]
_PREFERENCES: tuple[Preference, ...] = ("A", "B", "tie")


@dataclass(frozen=True, slots=True)
class SampleKey:
    """Which response a score is about: the item and variant of its case, who wrote it, and which of several it is."""

    item: str
    variant: str
    model: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's scores of one response, each from 0 to 10. `score` is the overall one; `at` is a time as given."""

    rater: str
    score: float | None
    criteria: Mapping[str, float] = field(default_factory=dict)
    at: str | None = None


@dataclass(frozen=True, slots=True)
class HumanScore:
    """What people say of one response. A bare number has no `n_raters`, and nobody knows who gave it.

    `distribution` counts raters by score as it was given.
    """

    score: float | None
    n_raters: int | None = None
    ratings: tuple[Rating, ...] = ()
    distribution: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HumanPreference:
    """Which of two responses people prefer, and how many voted for what (`A`, `B`, `tie`)."""

    preference: Preference
    n_raters: int
    votes: Mapping[str, int] = field(default_factory=dict)


def merge_ratings(ratings: Sequence[Rating]) -> HumanScore:
    """All raters of one response in the object form: the mean of their overall scores, None where nobody gave one.

    Raises ValueError when a rater occurs twice.
    """
    twice = [rater for rater, count in Counter(one.rater for one in ratings).items() if count > 1]
    if twice:
        raise ValueError(f"rater {twice[0]!r} scored one response twice")
    known = [one.score for one in ratings if one.score is not None]
    mean = math.fsum(known) / len(known) if known else None
    spread = Counter(f"{score:g}" for score in sorted(known))
    return HumanScore(mean, len(ratings), tuple(ratings), dict(spread))


def merge_votes(votes: Sequence[Preference]) -> HumanPreference | None:
    """The preference of most raters; a tie where two lead together. None without votes."""
    if not votes:
        return None
    counts = {choice: votes.count(choice) for choice in _PREFERENCES}
    leaders: list[Preference] = [choice for choice in _PREFERENCES if counts[choice] == max(counts.values())]
    return HumanPreference(leaders[0] if len(leaders) == 1 else "tie", len(votes), counts)


def human_score_json(score: HumanScore | None) -> Any:
    """The value of a record's `human_score` field: None, a number, or the object form."""
    if score is None or score.n_raters is None:
        return None if score is None else score.score
    return {
        "score": score.score,
        "n_raters": score.n_raters,
        "ratings": [_rating_json(one) for one in score.ratings],
        "distribution": dict(score.distribution),
    }


def _rating_json(rating: Rating) -> dict[str, Any]:
    return {
        "rater_id": rating.rater,
        "score": rating.score,
        "criteria": dict(rating.criteria),
        **({} if rating.at is None else {"at": rating.at}),
    }


def human_preference_json(preference: HumanPreference | None) -> Any:
    """The value of a pairwise record's `human_score` field."""
    if preference is None:
        return None
    return {
        "preference": preference.preference,
        "n_raters": preference.n_raters,
        "votes": dict(preference.votes),
    }


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was read, for messages."""

    path: Path | str
    line: int | None = None

    def fault(self, what: str, field_name: str, mend: str = "") -> DataError:
        return DataError(what, path=self.path, line=self.line, field=field_name, mend=mend)


def read_human_score(value: Any, place: Place) -> HumanScore | None:
    """A `human_score` field of a generation or rubric record. Raises DataError with file, line and field."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return HumanScore(read_score(value, place, "human_score"))
    table = _known(value, ("score", "n_raters", "ratings", "distribution"), place, "human_score")
    rows = table.get("ratings") or []
    if not isinstance(rows, list):
        raise place.fault("a list is needed", "human_score.ratings")
    ratings = tuple(_read_rating(row, place, f"human_score.ratings[{at}]") for at, row in enumerate(rows))
    count = table.get("n_raters", len(ratings))
    if _count(count, place, "human_score.n_raters") < len(ratings):
        raise place.fault(f"{count} raters but {len(ratings)} ratings", "human_score.n_raters")
    return HumanScore(
        _optional_score(table.get("score"), place, "human_score.score"),
        count,
        ratings,
        _numbers(table.get("distribution"), place, "human_score.distribution", highest=math.inf),
    )


def read_human_preference(value: Any, place: Place) -> HumanPreference | None:
    """A `human_score` field of a pairwise record. Raises DataError with file, line and field."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise place.fault("null or an object is needed", "human_score")
    table = _known(value, ("preference", "n_raters", "votes"), place, "human_score")
    preference = table.get("preference")
    if preference not in _PREFERENCES:
        raise place.fault(f"{preference!r}: A, B or tie is needed", "human_score.preference")
    votes = _known(table.get("votes") or {}, _PREFERENCES, place, "human_score.votes")
    counted = {choice: _count(count, place, f"human_score.votes.{choice}") for choice, count in votes.items()}
    count = _count(table.get("n_raters", sum(counted.values())), place, "human_score.n_raters")
    if sum(counted.values()) > count:
        raise place.fault(f"{count} raters but {sum(counted.values())} votes", "human_score.n_raters")
    return HumanPreference(preference, count, counted)


def _read_rating(value: Any, place: Place, name: str) -> Rating:
    table = _known(value, ("rater_id", "score", "criteria", "at"), place, name)
    rater, at = table.get("rater_id"), table.get("at")
    if not isinstance(rater, str) or not rater:
        raise place.fault("the rater's name is missing", f"{name}.rater_id")
    if at is not None and not isinstance(at, str):
        raise place.fault("a time in text is needed", f"{name}.at")
    score = _optional_score(table.get("score"), place, f"{name}.score")
    return Rating(rater, score, _numbers(table.get("criteria"), place, f"{name}.criteria"), at)


def read_score(value: Any, place: Place, name: str) -> float:
    """A number from 0 to 10 as it stands. Raises DataError for anything else: text, true, NaN, 10.5."""
    return _number(value, place, name, HIGHEST)


def _optional_score(value: Any, place: Place, name: str) -> float | None:
    return None if value is None else read_score(value, place, name)


def _numbers(value: Any, place: Place, name: str, highest: float = HIGHEST) -> dict[str, float]:
    if not isinstance(value, Mapping | None):
        raise place.fault("an object of numbers is needed", name)
    return {key: _number(one, place, f"{name}.{key}", highest) for key, one in (value or {}).items()}


def _number(value: Any, place: Place, name: str, highest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise place.fault(f"{str(value)[:40]!r} is no number", name)
    if not LOWEST <= value <= highest or value == math.inf:
        up_to = f" to {highest:g}" if highest < math.inf else " on"
        raise place.fault(f"{str(value)[:40]} is outside the scale", name, f"a number from 0{up_to} is needed")
    return value


def _count(value: Any, place: Place, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise place.fault(f"{str(value)[:40]!r}: a whole number from 0 on is needed", name)
    return value


def _known(value: Any, names: Sequence[str], place: Place, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise place.fault("an object is needed", where)
    for name in value:
        if name not in names:
            raise place.fault("not a known field", f"{where}.{name}", f"known: {', '.join(names)}")
    return value
