"""A judge's reply to the standard rubric prompt, as scores by criterion name.

Source: MunBench specification, section 3.4, column [R]; judging specification, section 3.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jatdae.judging.cases import Criterion
from jatdae.judging.criterion_keys import criterion_ids, named_criterion
from jatdae.judging.fence import cleaned
from jatdae.judging.replies import Unusable, sole
from jatdae.judging.rubric_prompt import FLAGS
from jatdae.judging.scales import is_hundred_scale, placed, read_number

_REMARKS = ("scores", "evidence", "na", "flags")
_LONGEST_EVIDENCE = 300


@dataclass(frozen=True, slots=True)
class RubricReading:
    """Scores by criterion name. `missing` are ids with neither a score nor a place in `na`.

    Two readings are the same when they score the same; what is quoted beside the scores may differ.
    """

    scores: Mapping[str, float]
    not_applicable: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict, compare=False)
    flags: tuple[str, ...] = field(default=(), compare=False)


def read_rubric(reply: str, criteria: Sequence[Criterion], texts: Sequence[str] = ()) -> RubricReading | Unusable:
    """The reply's scores. An object with all criteria goes before one that lacks some. `texts` are contestants'."""
    ids = criterion_ids(criteria)
    return sole(reply, lambda value: _reading(value, ids), texts, whole=lambda reading: not reading.missing)


def _reading(value: Mapping[str, Any], ids: Mapping[str, str]) -> RubricReading | Unusable:
    given = value.get("scores")
    held = given if isinstance(given, dict) else {key: one for key, one in value.items() if key not in _REMARKS}
    left_out = [name for key in _strings(value.get("na")) if (name := _name(key, ids))]
    numbers = _numbers(held, ids, left_out)
    scores = numbers if isinstance(numbers, Unusable) else _in_range(numbers)
    if isinstance(scores, Unusable):
        return scores
    clamped = scores != numbers
    return RubricReading(
        scores,
        tuple(name for name in ids.values() if name in left_out),
        tuple(one for one, name in ids.items() if name not in scores and name not in left_out),
        _evidence(value.get("evidence"), ids),
        (*_known_flags(value.get("flags")), *(("clamped",) if clamped else ())),
    )


def _name(key: str, ids: Mapping[str, str]) -> str | None:
    return ids.get(key) or named_criterion(key, list(ids.values()))


def _numbers(held: Mapping[str, Any], ids: Mapping[str, str], left_out: Sequence[str]) -> dict[str, float] | Unusable:
    """Numbers of the criteria that apply. Null counts as no answer; any other value that is no number spoils it all."""
    numbers: dict[str, float] = {}
    for key, value in held.items():
        name = _name(key, ids)
        if name is None or value is None or name in left_out:
            continue
        number = read_number(value)
        if number is None:
            return Unusable("not_a_number")
        if numbers.setdefault(name, number) != number:
            return Unusable("conflicting")
    return numbers


def _in_range(numbers: Mapping[str, float]) -> dict[str, float] | Unusable:
    if not numbers:
        return Unusable("none")
    if is_hundred_scale(list(numbers.values())):
        return Unusable("hundred_scale")
    scores = {name: place for name, number in numbers.items() if (place := placed(number)) is not None}
    return scores if len(scores) == len(numbers) else Unusable("out_of_range")


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _known_flags(value: object) -> tuple[str, ...]:
    return tuple(flag for flag in FLAGS if flag in _strings(value))


def _evidence(value: object, ids: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    quotes = ((_name(key, ids), quote) for key, quote in value.items() if isinstance(quote, str))
    return {name: cleaned(quote)[:_LONGEST_EVIDENCE] for name, quote in quotes if name}
