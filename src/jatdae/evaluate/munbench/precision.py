"""How sure ratings will be, before the comparisons are paid for. Source: judging specification, section 2.6."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jatdae.stats.intervals import Z
from jatdae.stats.ratings import expected_half_width
from jatdae.stats.ratings.newton import ELO

ITEM_SPREAD = 0.6
"""Standard deviation (nat) of how an item suits a model: judges and orders cannot buy precision beyond it."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Half of a rating's expected 95 % interval, in Elo points, for the contestant with the fewest comparisons.

    `comparisons` are (pairing, judge). `by_games` is for as many independent even games, `item_floor` what the number
    of items leaves open however often they are judged, `rating` both together, `difference_floor` the floor of the
    difference of two ratings.
    """

    comparisons: int
    items: int
    by_games: float
    item_floor: float
    rating: float
    difference_floor: float


def expected_precision(comparisons: int, items: int) -> Precision:
    """What so many comparisons on so many items can tell. Raises RequestError without a comparison."""
    floor, by_games = item_floor(items), expected_half_width(comparisons)
    return Precision(comparisons, items, by_games, floor, math.hypot(by_games, floor), math.sqrt(2) * floor)


def item_floor(items: int) -> float:
    """Half of a rating's 95 % interval (Elo) that the items alone leave open, however often each is judged."""
    return Z * ELO * ITEM_SPREAD / math.sqrt(items)
