"""How sure a rating will be, before the comparisons are paid for."""

from __future__ import annotations

import math

from jatdae.errors import RequestError
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.newton import ELO


def expected_half_width(comparisons: float, gap: float = 0.0) -> float:
    """Half of the 95 % interval (Elo) of a rating after independent comparisons with opponents `gap` Elo away.

    The error is 400 / ln 10 over the root of the sum of p (1 - p). Judges and orders on the same items are not
    independent, so a run on few items stays wider. Raises RequestError without a comparison.
    """
    if not comparisons > 0:
        raise RequestError(f"comparisons {comparisons}: more than 0 are needed")
    return Z * ELO / math.sqrt(comparisons * 0.25) * math.cosh(gap / ELO / 2)
