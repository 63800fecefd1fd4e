"""The table of ratings: what `rate` gives, and the settings that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from jatdae.errors import RequestError, did_you_mean
from jatdae.stats.bootstrap import MOST_UNDEFINED
from jatdae.stats.clusters import Floats
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.anchors import AnchorMode, Anchors
from jatdae.stats.ratings.calibration import AnchorTest
from jatdae.stats.ratings.records import Rating, Side
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """How games become ratings. `anchors`, `mode`, `frozen`, `anchor_covariance` and the prior: see `bradley_terry`.

    `draws` resamples of items give the intervals; 0 for none. The draws depend on `seed`, not on the order of games.
    `identity` maps aliases of a model to one name, so that games which a contestant judged are found and left out.
    """

    anchors: Anchors = ()
    mode: AnchorMode | None = None
    frozen: Mapping[str, float] = field(default_factory=dict)
    anchor_covariance: Sequence[Sequence[float]] | None = None
    prior_games: float = 1.0
    prior_sd: float | None = None
    draws: int = 1000
    seed: int = 0
    identity: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.draws < 0 or self.draws == 1:
            raise RequestError(f"draws {self.draws}: 0 for no intervals, or at least 2, are needed")
        if self.prior_games == 0 and self.prior_sd is None:
            raise RequestError("prior_games 0: resamples need a prior to stay finite; bradley_terry() fits without one")


@dataclass(frozen=True, slots=True)
class RatedModel:
    """One row. `ranks` is the 95 % range of the rank: overlapping ranges are ties.

    `by_judge` and `by_track` rate the model by one judge's and one track's games alone; `without_judge` with one judge
    left out. None where the games do not rate it. `unsettled` are the judges under whom only the prior bounds it.
    """

    rating: Rating
    ranks: tuple[int, int] | None
    by_judge: Mapping[str, Estimate | None]
    by_track: Mapping[str, Estimate | None]
    without_judge: Mapping[str, float | None]
    unsettled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RatingTable:
    """All models, the best first and the unrated last.

    `ahead` maps (a, b) to the share of resamples in which a is above b. `games` and `items` are those that count;
    `self_judged` games were left out. `drift` tests held anchors, where there are any. `unfrozen` is how far each
    frozen model would move in a fit that does not hold it.
    """

    rows: tuple[RatedModel, ...]
    mode: AnchorMode
    ahead: Mapping[tuple[str, str], float]
    judges: tuple[str, ...]
    tracks: tuple[str, ...]
    games: int
    items: int
    self_judged: int
    components: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    drift: AnchorTest | None = None
    unfrozen: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, model: str) -> RatedModel:
        """One model's row. Raises RequestError for a model without a game."""
        for row in self.rows:
            if row.rating.model == model:
                return row
        raise RequestError(
            f"no games of model {model!r}; {did_you_mean(model, (row.rating.model for row in self.rows))}"
        )

    @property
    def values(self) -> Mapping[str, float]:
        """The ratings of the models that have one, the best first."""
        return {row.rating.model: row.rating.estimate.value for row in self.rows if row.rating.estimate}


def summary(
    value: float, drawn: Floats, games: int, items: int, method: str, bound: Side = "", doubt: float = 0.0
) -> Estimate | None:
    """A value with the percentile interval of its resamples, open on the side where only a prior bounds it.

    All resamples of an unbeaten model are unbeaten too, so their spread says little: the closed end is then no nearer
    than that of `doubt`, a standard error that comes from the model. None where there is no value.
    """
    if not np.isfinite(value):
        return None
    known = drawn[np.isfinite(drawn)]
    missing = drawn.size - known.size
    if missing:
        method += f", {missing} undefined"
    if not drawn.size:
        return Estimate(value, None, None, None, games, items, method)
    if missing > MOST_UNDEFINED * drawn.size:
        return Estimate(value, None, None, None, games, items, f"{method}; none: too many undefined")
    if np.ptp(known) < 1e-9 and not bound:
        return Estimate(value, None, None, None, games, items, f"{method}; none: held, or nothing varies")
    error = float(known.std(ddof=1))
    low, high = (float(end) for end in np.quantile(known, [0.025, 0.975]))
    if bound:
        error = max(error, doubt)
        low, high = min(low, value - Z * error), max(high, value + Z * error)
    return Estimate(
        value,
        error,
        None if bound in ("below", "both") else low,
        None if bound in ("above", "both") else high,
        games,
        items,
        method,
    )
