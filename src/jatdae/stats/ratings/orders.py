"""One comparison judged in both orders: a fractional outcome, and how consistent the judge was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from jatdae.errors import RequestError
from jatdae.stats.intervals import proportion
from jatdae.types import Estimate

Kind = Literal["consistent", "tie", "inconsistent", "lean"]

POINTS = {"A": 1.0, "tie": 0.5, "B": 0.0}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`score` is that of the model that was shown first in order 1: 0, 0.25, 0.5, 0.75 or 1.

    `consistent`: the same model won both orders. `tie`: both were ties. `inconsistent`: the same place won both orders.
    `lean`: one win and one tie.
    """

    score: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class Orders:
    """A judge over many comparisons, of which only those with two valid verdicts count.

    `excluded` had a verdict missing. `consistency` is the share with the same verdict on the models in both orders (a
    tie twice is one); `flips` the share in which the same place won twice; `first_wins` the share of wins among the
    decisive verdicts that went to the text shown first: one half without position bias. None where nothing counts.
    """

    comparisons: int
    excluded: int
    consistent: int
    ties: int
    inconsistent: int
    leans: int
    consistency: Estimate | None
    flips: Estimate | None
    first_wins: Estimate | None


def combine_orders(first: str | None, second: str | None) -> Outcome | None:
    """The outcome of two verdicts by place: `A` (shown first), `B` or `tie`; None where one is missing.

    Model a is shown first in order 1 and second in order 2. `A_much` and `B_much` count as `A` and `B`. Raises
    RequestError on any other word.
    """
    if first is None or second is None:
        return None
    one, two = _place(first), _place(second)
    score = (POINTS[one] + 1 - POINTS[two]) / 2
    if "tie" in (one, two):
        return Outcome(score, "tie" if one == two else "lean")
    return Outcome(score, "inconsistent" if one == two else "consistent")


def points(verdict: str) -> float:
    """What the text that was shown first got: 1, 0.5 or 0. Raises RequestError as `combine_orders` does."""
    return POINTS[_place(verdict)]


def summarise_orders(verdicts: Iterable[tuple[str | None, str | None]], items: Sequence[str] | None = None) -> Orders:
    """How consistent the verdicts (order 1, order 2) are; with `items`, one each, intervals are by item."""
    pairs = list(verdicts)
    outcomes = [combine_orders(first, second) for first, second in pairs]
    kept = [at for at, outcome in enumerate(outcomes) if outcome is not None]
    kinds = [outcome.kind for outcome in outcomes if outcome is not None]
    clusters = None if items is None else [items[at] for at in kept]
    decisive = [(_place(verdict), at) for at in kept for verdict in pairs[at] if verdict and _place(verdict) != "tie"]
    return Orders(
        comparisons=len(kept),
        excluded=len(pairs) - len(kept),
        consistent=kinds.count("consistent"),
        ties=kinds.count("tie"),
        inconsistent=kinds.count("inconsistent"),
        leans=kinds.count("lean"),
        consistency=_share([kind in ("consistent", "tie") for kind in kinds], clusters),
        flips=_share([kind == "inconsistent" for kind in kinds], clusters),
        # The two verdicts of a comparison are not independent, so each comparison is a cluster at least.
        first_wins=_share(
            [place == "A" for place, _ in decisive],
            [str(at) if items is None else items[at] for _, at in decisive],
        ),
    )


def _share(hits: Sequence[bool], clusters: Sequence[str] | None) -> Estimate | None:
    return proportion([float(hit) for hit in hits], clusters) if hits else None


def _place(verdict: str) -> str:
    place = verdict.removesuffix("_much")
    if place not in POINTS:
        raise RequestError(f"verdict {verdict!r}: A, B or tie is needed")
    return place
