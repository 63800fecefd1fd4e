"""What moves a judge besides the texts: their place and their length.

Source: judging specification, section 3.1; MunBench specification, requirements B8 and B9.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.judging.cases import Verdict
from jatdae.stats import proportion
from jatdae.stats.ratings import Orders, summarise_orders
from jatdae.types import Estimate

ALARM = 0.25
LEAST_CONSISTENCY = 0.70
FAIR = (0.40, 0.60)


@dataclass(frozen=True, slots=True)
class PositionBias:
    """A judge over comparisons in both orders. `orders.flips` is the share in which the same place won twice.

    `longer_wins` is the share of decisive verdicts, on texts of different length, that went to the longer one.
    """

    judge: str
    orders: Orders
    longer_wins: Estimate | None

    @property
    def alarm(self) -> bool:
        """More than a quarter of the comparisons turn with the order."""
        return self.orders.flips is not None and self.orders.flips.value > ALARM

    @property
    def fair(self) -> bool | None:
        """Consistency from .70 on and the interval of first wins inside .40 to .60; None where either is unknown."""
        consistency, first = self.orders.consistency, self.orders.first_wins
        if consistency is None or first is None or first.low is None or first.high is None:
            return None
        return consistency.value >= LEAST_CONSISTENCY and FAIR[0] <= first.low and first.high <= FAIR[1]


def position_bias(verdicts: Sequence[Verdict]) -> list[PositionBias]:
    """Each judge's share of flips, of wins by the first place and by the longer text, with Wilson intervals by item.

    Verdicts set without a call do not count. Of several on the same texts in the same order the first valid counts.
    """
    by_judge: dict[str, list[Verdict]] = defaultdict(list)
    for one in verdicts:
        if one.status != "forced":
            by_judge[one.judge].append(one)
    return [
        PositionBias(judge, _orders(asked), _longer_wins([one for one in asked if one.status == "ok"]))
        for judge, asked in sorted(by_judge.items())
    ]


def _orders(verdicts: Sequence[Verdict]) -> Orders:
    pairs: dict[tuple[object, ...], dict[tuple[str, str], str | None]] = defaultdict(dict)
    for one in verdicts:
        first, second = (one.first, one.first_hash), (one.second, one.second_hash)
        found = pairs[one.item, one.variant, *sorted((first, second))]
        winner = one.winner if one.status == "ok" else None
        if found.get(first) is None:
            found[first] = winner
    keys = list(pairs)
    both = [tuple(pairs[key].get(side) for side in key[2:]) for key in keys]  # pyright: ignore[reportArgumentType]
    return summarise_orders([(first, second) for first, second in both], [str(key[0]) for key in keys])


def _longer_wins(verdicts: Sequence[Verdict]) -> Estimate | None:
    hits, items = [], []
    for one in verdicts:
        if one.winner in (None, "tie") or one.first_length == one.second_length:
            continue
        first_won = one.winner in ("A", "A_much")
        hits.append(float(first_won == (one.first_length > one.second_length)))
        items.append(one.item)
    return proportion(hits, items) if hits else None
