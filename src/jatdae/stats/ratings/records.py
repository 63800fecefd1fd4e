"""What a fit of games says: a rating for each model, in Elo points, with its interval and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from jatdae.errors import RequestError, did_you_mean
from jatdae.stats.clusters import Floats
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.anchors import AnchorMode
from jatdae.types import Estimate

Side = Literal["", "above", "below", "both"]


@dataclass(frozen=True, slots=True)
class Rating:
    """One model's rating. `estimate` is None where there is none, and `note` says why.

    `bound` names the side on which nothing but the prior bounds it: `above` for a model that nobody in the compared
    field beat, `below` for one without a win, `both` where the games do not place it. The interval is open there: its
    end is None. In the estimate, n counts the model's games and `clusters` their items. `points` is what it won of
    them. `kind` is `fixed` for a held value, `anchor` for an anchor that was rated like the others.
    """

    model: str
    estimate: Estimate | None
    kind: Literal["free", "anchor", "fixed"] = "free"
    bound: Side = ""
    games: int = 0
    points: float = 0.0
    note: str = ""

    @property
    def value(self) -> float | None:
        return self.estimate.value if self.estimate else None

    @property
    def bounded_by_prior(self) -> bool:
        return bool(self.bound) and self.estimate is not None


@dataclass(frozen=True, slots=True)
class Ratings:
    """All models of one fit, the best first and the unrated last.

    `components` lists the models that are linked by points both ways; more than one means that some ratings have no
    finite maximum. `log_likelihood` is that of the games, without the prior. `covariance` (Elo^2) is in the order of
    `ratings` and only over those with an estimate; None where there is none.
    """

    ratings: tuple[Rating, ...]
    mode: AnchorMode
    log_likelihood: float
    components: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    covariance: Floats | None = field(default=None, compare=False, repr=False)

    @property
    def values(self) -> Mapping[str, float]:
        """The ratings of the models that have one, the best first."""
        return {rating.model: rating.estimate.value for rating in self.ratings if rating.estimate}

    @property
    def unrated(self) -> tuple[str, ...]:
        return tuple(rating.model for rating in self.ratings if rating.estimate is None)

    def __getitem__(self, model: str) -> Rating:
        """One model's rating. Raises RequestError for a model without a game."""
        for rating in self.ratings:
            if rating.model == model:
                return rating
        names = [rating.model for rating in self.ratings]
        raise RequestError(f"no games of model {model!r}; {did_you_mean(model, names)}")

    def difference(self, a: str, b: str) -> Estimate | None:
        """How far `a` is above `b`, with the interval of the difference; None where one of them has no rating.

        Where one of them is bounded by the prior, so is the difference: it has no interval.
        """
        top, bottom = self[a], self[b]
        if top.estimate is None or bottom.estimate is None:
            return None
        value, n = top.estimate.value - bottom.estimate.value, top.games + bottom.games
        if self.covariance is None or top.bound or bottom.bound:
            return Estimate(value, None, None, None, n, None, f"{top.estimate.method}; no interval")
        rated = list(self.values)
        contrast = np.zeros(len(rated))
        contrast[rated.index(a)] += 1
        contrast[rated.index(b)] -= 1
        error = math.sqrt(max(0.0, float(contrast @ self.covariance @ contrast)))
        return Estimate(value, error, value - Z * error, value + Z * error, n, None, top.estimate.method)


def side(above: bool, below: bool) -> Side:
    return "both" if above and below else "above" if above else "below" if below else ""
