"""Numbers as tables show them: scores with 2 decimals, ratings with none, percent with 1, `—` for what is missing.

An estimate without an interval says `n/a`, never a zero.
"""

from __future__ import annotations

from jatdae.types import Estimate

ABSENT, UNKNOWN = "—", "n/a"


def score(value: float | None) -> str:
    return _fixed(value, 2)


def rating(value: float | None) -> str:
    return _fixed(value, 0)


def percent(share: float | None) -> str:
    return _fixed(None if share is None else 100 * share, 1)


def signed(value: float | None) -> str:
    """A difference in points; the sign is always there but for a plain zero."""
    if value is None:
        return ABSENT
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def spread(middle: float | None, deviation: float | None) -> str:
    """`8.69 ± 0.40`: a mean and its spread over items, which is no interval."""
    return ABSENT if middle is None else f"{score(middle)} ± {UNKNOWN if deviation is None else score(deviation)}"


def interval(estimate: Estimate | None, digits: int = 2, scale: float = 1.0) -> str:
    """`[8.10, 9.02]`; an end that only a prior bounds is open."""
    if estimate is None:
        return ABSENT
    if estimate.low is None and estimate.high is None:
        return UNKNOWN
    low = "-∞" if estimate.low is None else _fixed(scale * estimate.low, digits)
    high = "∞" if estimate.high is None else _fixed(scale * estimate.high, digits)
    return f"[{low}, {high}]"


def full(estimate: Estimate | None, digits: int = 2, scale: float = 1.0) -> str:
    """`8.59 [8.10, 9.02] n=50`."""
    if estimate is None:
        return ABSENT
    return f"{_fixed(scale * estimate.value, digits)} {interval(estimate, digits, scale)} n={estimate.n}"


def rate(estimate: Estimate | None) -> str:
    """A share as percent with interval and denominator."""
    return full(estimate, 1, 100.0)


def _fixed(value: float | None, digits: int) -> str:
    if value is None:
        return ABSENT
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text
