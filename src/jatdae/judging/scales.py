"""Numbers on the scale from 0 to 10: what counts as one, what is out of range, and the weighted mean.

Source: MunBench specification, sections 3.4 and 3.5; judging specification, section 3.5.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from jatdae.judging.cases import Criterion

LOWEST, HIGHEST = 0.0, 10.0
_SLACK = 0.5
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_OF_TEN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s{0,3}(?:/\s{0,3}10(?:\.0)?|점)", re.ASCII)


def read_number(value: object) -> float | None:
    """The number that a judge means: 8, 8.5, "8.5", "8/10", "8점", {"score": 8}; None for all else.

    Booleans, NaN and infinities are no numbers here, and "8/5" is on another scale.
    """
    if isinstance(value, Mapping):
        inner = value.get("score")
        return None if isinstance(inner, Mapping) else read_number(inner)
    if isinstance(value, str):
        return _number_in(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 else None


def _number_in(text: str) -> float | None:
    if _PLAIN.fullmatch(text):
        return float(text)
    found = _OF_TEN.fullmatch(text)
    return float(found[1]) if found else None


def placed(value: float) -> float | None:
    """The value on the scale: a slip of up to half a point over an end is brought back, more than that is None."""
    if not LOWEST - _SLACK <= value <= HIGHEST + _SLACK:
        return None
    return min(max(value, LOWEST), HIGHEST)


def is_hundred_scale(values: Sequence[float]) -> bool:
    """True if several scores are all above 10: the judge counted to 100."""
    return len(values) > 1 and all(value > HIGHEST for value in values)


def weighted_mean(scores: Mapping[str, float], criteria: Sequence[Criterion]) -> float | None:
    """Σ w·x / Σ w over the criteria that have a score; None without any."""
    known = [(one.weight, scores[one.name]) for one in criteria if one.name in scores]
    if not known:
        return None
    return math.fsum(weight * score for weight, score in known) / math.fsum(weight for weight, _ in known)
