"""From verdicts, one an order, to games: one for each judge, pair and prompt, worth what both orders say together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.judging.cases import Verdict
from jatdae.judging.identity import Identities
from jatdae.models.base import EFFORTS
from jatdae.stats.ratings import Game, Outcome, combine_orders

_EFFORT = re.compile(rf"@(?:{'|'.join(EFFORTS)})$")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both orders of one judge on one pair: `a` is the model that comes first in the alphabet.

    `orders` are the verdicts by place, with `a` shown first and then second; None where one is missing. `outcome` is
    None unless both are there. `self_judged` says that the judge is one of the two.
    """

    item: str
    variant: str
    track: int
    a: str
    b: str
    judge: str
    orders: tuple[Verdict | None, Verdict | None]
    outcome: Outcome | None
    self_judged: bool

    @property
    def error(self) -> str:
        """Why there is no outcome."""
        faults = [one.error or one.status for one in self.orders if one is not None and one.winner is None]
        return "; ".join(dict.fromkeys(faults)) or ("" if self.outcome else "an order was not judged")


def comparisons(verdicts: Sequence[Verdict], identities: Identities, *, compat: bool) -> list[Comparison]:
    """All comparisons, in a fixed order. `compat` knows a self-judged one by the very same id without its effort."""
    grouped: dict[tuple[str, str, int, str, str, str], dict[str, Verdict]] = {}
    for one in verdicts:
        a, b = sorted((one.first, one.second))
        grouped.setdefault((one.item, one.variant, one.track, a, b, one.judge), {})[one.first] = one
    return [
        Comparison(
            *key,
            orders=(orders := (found.get(key[3]), found.get(key[4]))),
            outcome=combine_orders(*(one.winner if one else None for one in orders)),
            self_judged=_self_judged(*key[3:], identities, compat=compat),
        )
        for key, found in sorted(grouped.items())
    ]


def _self_judged(a: str, b: str, judge: str, identities: Identities, *, compat: bool) -> bool:
    if compat:
        return _EFFORT.sub("", judge) in (_EFFORT.sub("", a), _EFFORT.sub("", b))
    return identities.same(judge, a) or identities.same(judge, b)


def games(found: Sequence[Comparison], *, families: Identities | None = None) -> list[Game]:
    """Games that count: with both orders and no judge of its own text; with `families`, of its kin's neither."""
    return [
        Game(one.a, one.b, one.outcome.score, one.item, one.judge, str(one.track))
        for one in found
        if one.outcome is not None and not one.self_judged and not (families and _kin(one, families))
    ]


def _kin(one: Comparison, identities: Identities) -> bool:
    return identities.kin(one.judge, one.a) or identities.kin(one.judge, one.b)
