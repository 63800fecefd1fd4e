"""Replies as the `compat` profile takes them, with the published harness's leniency and its faults.

The first well-formed object counts, wherever it comes from; NaN becomes 10, true becomes 1, 85 becomes 10. That is
wrong and is here only to reproduce published numbers. Source: MunBench specification, section 3.4, column [C].
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.judging.cases import Criterion, Winner
from jatdae.judging.criterion_keys import named_criterion
from jatdae.judging.replies import Unusable
from jatdae.judging.rubric_reading import RubricReading
from jatdae.judging.verdict_reading import VerdictReading

_DECODER = json.JSONDecoder()
_MOST_STARTS = 2000
"""Braces tried, so that a reply made of nothing but braces takes no time to speak of."""
_WINNERS: Mapping[str, Winner] = {"a": "A", "b": "B", "draw": "tie", "tie": "tie"}


def first_object(reply: str) -> dict[str, Any] | None:
    """The first piece of the text that Python's reader takes for an object."""
    start = reply.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return None
        try:
            return _DECODER.raw_decode(reply, start)[0]
        except (ValueError, RecursionError):
            start = reply.find("{", start + 1)
    return None


def read_compat_rubric(reply: str, criteria: Sequence[Criterion]) -> RubricReading | Unusable:
    """Whatever criteria have a number; the rest is missing and the weights of those present are used alone."""
    value = first_object(reply)
    if value is None:
        return Unusable("none")
    names = [criterion.name for criterion in criteria]
    scores: dict[str, float] = {}
    for key, given in value.items():
        name, number = named_criterion(key, names), _number(given)
        if name is not None and number is not None:
            scores[name] = number
    if not scores:
        return Unusable("none")
    return RubricReading(scores, missing=tuple(name for name in names if name not in scores))


def _number(value: object) -> float | None:
    if not isinstance(value, int | float | str):
        return None
    try:
        # In this order NaN ends as 10: it is neither smaller nor larger than anything.
        return max(0.0, min(10.0, float(value)))
    except (ValueError, OverflowError):
        return None


def read_compat_verdict(reply: str) -> VerdictReading | Unusable:
    """A, B, draw or tie in any case; anything else is a failure."""
    value = first_object(reply)
    if value is None:
        return Unusable("none")
    word = value.get("winner")
    winner = _WINNERS.get(word.strip().lower()) if isinstance(word, str) else None
    if winner is None:
        return Unusable("not_a_verdict")
    reason = value.get("reason")
    return VerdictReading(winner, reason if isinstance(reason, str) else "")
