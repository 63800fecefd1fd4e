"""Do held anchor values still fit the games? A likelihood-ratio test, and a Wald test by item clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.errors import RequestError
from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.ratings.anchors import AnchorMode, Anchors, Prior, Scale, scale
from jatdae.stats.ratings.errors import pair_design, residuals, sandwich
from jatdae.stats.ratings.fit import Fit, fit
from jatdae.stats.ratings.games import Columns, Game, columns
from jatdae.stats.ratings.newton import ELO

REFUSE_BELOW = 0.01
"""With a smaller p the anchors have moved: held values are refused, and a joint refit is needed."""

NEARLY_NONE = 1e-9
"""Virtual games that bring the likelihood of separated games within rounding of its supremum."""


@dataclass(frozen=True, slots=True)
class AnchorTest:
    """`statistic` is chi-squared with `degrees` when the anchors are as they are held. p is None without a test.

    `shifts` are each anchor's fitted rating minus its held one, both with the anchors' mean taken out (Elo).
    """

    statistic: float | None
    degrees: int
    p: float | None
    method: str
    shifts: Mapping[str, float]

    @property
    def has_drifted(self) -> bool:
        return self.p is not None and self.p < REFUSE_BELOW


def likelihood_ratio(games: Sequence[Game], anchors: Anchors, mode: AnchorMode | None = None) -> AnchorTest:
    """2 (log-likelihood of the free fit - that with the anchors held), without any prior.

    `anchors` as for `bradley_terry`; names alone are held at one value. The p value is that of independent games:
    where games share items it is too small, and `anchor_drift` is the test. Raises RequestError on fewer than two
    anchors that games link.
    """
    table = columns(games)
    chosen = mode or ("listed" if isinstance(anchors, Mapping) else "shared_pin")
    placing = scale(table.models, anchors, chosen)
    wins = table.wins()
    pinned = _without_prior(wins, placing)
    free = _without_prior(wins, scale(table.models, tuple(anchors), "mean_pin"))
    at = np.flatnonzero(free.linked.rated & placing.anchors)
    if at.size < 2:
        raise RequestError(f"{at.size} anchor(s) linked by games; a test of anchors needs at least two")
    statistic = max(0.0, 2 * (free.log_likelihood - pinned.log_likelihood))
    shifts = _centred(ELO * free.strengths[at] - placing.values[at])
    return _test(statistic, at.size - 1, "likelihood ratio", dict(zip(_names(table, at), shifts.tolist(), strict=True)))


def anchor_drift(
    games: Sequence[Game],
    held: Mapping[str, float],
    covariance: Sequence[Sequence[float]] | Floats | None = None,
    *,
    prior_games: float = 1.0,
) -> AnchorTest:
    """Whether the differences between the anchors have moved away from the held ones (Wald, errors by item).

    `covariance` (Elo^2) is that of the held values, in their order. p is None with hardly more items than anchors
    and with fewer than two anchors that games link.
    """
    return drift(columns(games), held, covariance, Prior(prior_games))


def drift(
    games: Columns, held: Mapping[str, float], covariance: Sequence[Sequence[float]] | Floats | None, prior: Prior
) -> AnchorTest:
    """`anchor_drift` on columns."""
    placing = scale(games.models, held, "listed", None, covariance)
    free = fit(games.wins(), scale(games.models, tuple(held), "mean_pin"), prior)
    at = np.flatnonzero(free.estimated & placing.anchors)
    if at.size < 2:
        return AnchorTest(None, 0, None, "no test: fewer than two anchors are linked by games", {})
    usable = free.estimated[games.first] & free.estimated[games.second]
    items = int(np.unique(games.item[usable]).size)
    shift = _centred(ELO * free.strengths[at] - placing.values[at])
    shifts = dict(zip(_names(games, at), shift.tolist(), strict=True))
    if items <= 2 * at.size:
        return AnchorTest(None, at.size - 1, None, f"no test: {items} items for {at.size} anchors", shifts)
    residual = residuals(games, free.strengths) * usable
    spread = ELO**2 * sandwich(free.inverse, pair_design(games), residual, games.item, items / (items - 1))
    contrast = np.eye(at.size) - 1 / at.size
    doubt = contrast @ (spread + placing.covariance)[np.ix_(at, at)] @ contrast
    statistic = float(shift @ np.linalg.pinv(doubt, rcond=1e-10, hermitian=True) @ shift)
    return _test(statistic, at.size - 1, f"Wald, errors by {items} items", shifts)


def _test(statistic: float, degrees: int, method: str, shifts: Mapping[str, float]) -> AnchorTest:
    from scipy.special import chdtrc

    return AnchorTest(statistic, degrees, float(chdtrc(degrees, statistic)), method, shifts)


def _without_prior(wins: Floats, placing: Scale) -> Fit:
    """The fit with the largest likelihood or, where no finite strengths reach it, as near as rounding tells."""
    exact = fit(wins, placing, Prior(0))
    return exact if (exact.estimated == exact.linked.rated).all() else fit(wins, placing, Prior(NEARLY_NONE))


def _centred(values: Floats) -> Floats:
    return values - values.mean()


def _names(games: Columns, at: Codes) -> list[str]:
    return [games.models[number] for number in at]
