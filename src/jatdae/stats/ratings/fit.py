"""Bradley-Terry ratings from games: the maximum of the likelihood, its place on the Elo scale, and its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from jatdae.errors import RequestError
from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.anchors import AnchorMode, Anchors, Prior, Scale, scale
from jatdae.stats.ratings.errors import pair_design, residuals, sandwich
from jatdae.stats.ratings.games import Columns, Game, columns
from jatdae.stats.ratings.newton import ELO, ORIGIN, information, log_likelihood, maximise
from jatdae.stats.ratings.placing import place
from jatdae.stats.ratings.records import Rating, Ratings, side
from jatdae.stats.ratings.separation import Mask, Structure, structure
from jatdae.types import Estimate

Errors = Literal["items", "rows", "model"]
"""What errors assume: games of one item hang together; every game stands alone; or only 0 and 1 by the model."""


def bradley_terry(
    games: Sequence[Game],
    *,
    anchors: Anchors = (),
    mode: AnchorMode | None = None,
    frozen: Mapping[str, float] | None = None,
    anchor_covariance: Sequence[Sequence[float]] | Floats | None = None,
    prior_games: float = 1.0,
    prior_sd: float | None = None,
    errors: Errors = "items",
) -> Ratings:
    """Ratings (Elo) that make the games most likely; order of games and spelling of names do not matter.

    Placed by `anchors` and `mode` (see `AnchorMode`), `frozen` models keep their values, and `anchor_covariance`
    (Elo^2, in the order of `anchors`) adds the doubt about listed values. The prior is `prior_games` virtual games per
    model, half won, against strength 0, and/or a normal of `prior_sd` Elo; without any, a model that never lost has no
    rating. Models that no games link to the rest are unrated. Intervals are Wald's at 95 %, from the scores summed by
    item with G / (G - 1). Raises RequestError on anchors that do not fit.
    """
    table = columns(games)
    placing = scale(table.models, anchors, mode, frozen, anchor_covariance)
    return fit_columns(table, placing, Prior(prior_games, prior_sd), errors)


def fit_matrix(
    wins: Floats,
    names: Sequence[str] | None = None,
    *,
    anchors: Anchors = (),
    mode: AnchorMode | None = None,
    frozen: Mapping[str, float] | None = None,
    anchor_covariance: Sequence[Sequence[float]] | Floats | None = None,
    prior_games: float = 1.0,
    prior_sd: float | None = None,
) -> Ratings:
    """Ratings from points of each model (row) against each other (column); `names` are "0", "1", ... by default.

    Like `bradley_terry`, with model-based errors, which hold for independent games that are won or lost. Raises
    RequestError when the matrix is not square, or holds a negative or infinite number or points against oneself.
    """
    table = np.asarray(wins, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise RequestError(f"wins: a square matrix is needed, not shape {table.shape}")
    if not np.isfinite(table).all() or (table < 0).any() or table.diagonal().any():
        raise RequestError("wins: finite numbers from 0 on are needed, and 0 on the diagonal")
    models = tuple(str(number) for number in range(len(table))) if names is None else tuple(names)
    if len(models) != len(table) or len(set(models)) != len(models):
        raise RequestError(f"names: {len(table)} different names are needed")
    placing = scale(models, anchors, mode, frozen, anchor_covariance)
    found = fit(table, placing, Prior(prior_games, prior_sd))
    played = np.rint((table + table.T).sum(axis=1)).astype(np.intp)
    return found.ratings(found.inverse, Counts(played, None, table.sum(axis=1)), "Bradley-Terry, model-based errors")


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Games, items (None where they are not known) and points of each model."""

    games: Codes
    items: Codes | None
    points: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Strengths (nat) of the models that have one, and the inverse of the information over all models (0 where held).

    `shared` is the part of the covariance (nat^2) that comes from doubt about the held values.
    """

    placing: Scale
    prior: Prior
    linked: Structure
    strengths: Floats
    estimated: Mask
    inverse: Floats
    shared: Floats
    log_likelihood: float

    def places(self) -> tuple[Floats, Floats]:
        """Ratings in Elo (meaningless where not estimated), and their derivatives by the strengths."""
        return place(self.placing, self.strengths, self.estimated)

    def ratings(self, inner: Floats | None, counts: Counts, method: str) -> Ratings:
        """The record; `inner` is the covariance of the strengths (nat^2), None where there is none."""
        values, slopes = self.places()
        spread = None if inner is None else slopes @ (inner + self.shared) @ slopes.T
        method += f"; {self.prior}"
        # An unbeaten model leaves next to no residuals, so the larger of the two errors counts.
        by_model = ((slopes @ self.inverse) * slopes).sum(axis=1)
        rated = [self._rating(at, values, spread, by_model, counts, method) for at in range(len(values))]
        order = sorted(range(len(rated)), key=lambda at: (rated[at].estimate is None, -values[at], rated[at].model))
        kept = [at for at in order if self.estimated[at]]
        return Ratings(
            ratings=tuple(rated[at] for at in order),
            mode=self.placing.mode,
            log_likelihood=self.log_likelihood,
            components=named_components(self.linked, self.placing.models, values),
            notes=notes(self.linked, self.placing, self.prior),
            covariance=None if spread is None else spread[np.ix_(kept, kept)],
        )

    def _rating(
        self, at: int, values: Floats, spread: Floats | None, by_model: Floats, counts: Counts, method: str
    ) -> Rating:
        linked, model = self.linked, self.placing.models[at]
        games, points, kind = int(counts.games[at]), float(counts.points[at]), self.placing.kind(at)
        bound = side(bool(linked.above[at]), bool(linked.below[at]))
        if not self.estimated[at]:
            return Rating(model, None, kind, bound, games, points, why_unrated(bool(linked.rated[at])))
        error = None if spread is None else float(np.sqrt(max(0.0, spread[at, at], by_model[at] if bound else 0.0)))
        if error is not None and error < 1e-9:
            error, method = None, f"{method}; none: held, or nothing varies"
        value, items = float(values[at]), None if counts.items is None else int(counts.items[at])
        low = None if error is None or bound in ("below", "both") else value - Z * error
        high = None if error is None or bound in ("above", "both") else value + Z * error
        return Rating(model, Estimate(value, error, low, high, games, items, method), kind, bound, games, points)


def named_components(linked: Structure, models: Sequence[str], values: Floats) -> tuple[tuple[str, ...], ...]:
    """Models linked both ways, the unbeaten components first, then by their best member; the unrated last."""
    groups: dict[int, list[int]] = {}
    ends, ranked = linked.below.astype(int) - linked.above, np.nan_to_num(values, nan=-np.inf)
    for at in sorted(range(len(models)), key=lambda at: (not linked.rated[at], ends[at], -ranked[at])):
        groups.setdefault(int(linked.strong[at]), []).append(at)
    return tuple(tuple(models[at] for at in group) for group in groups.values())


def why_unrated(rated: bool) -> str:
    return "no finite estimate without a prior" if rated else "no games link it to the rated models"


def notes(linked: Structure, placing: Scale, prior: Prior) -> tuple[str, ...]:
    """What a reader must know about the data: separation, and models that stay unrated."""
    said = []
    apart = linked.above | linked.below
    if apart.any():
        fate = "bounded by the prior" if prior.is_given else "without a finite rating"
        names = ", ".join(placing.models[at] for at in np.flatnonzero(apart))
        said.append(f"not linked by points both ways, so {fate}: {names}")
    if not placing.is_held and (apart & placing.anchors).any() and prior.is_given:
        said.append("an anchor is among them, so the origin depends on the prior")
    if placing.anchors.any() and not placing.is_held and not (placing.anchors & linked.rated).any():
        said.append("no anchor has a game, so the mean of the rated models is the origin")
    if not linked.rated.all():
        names = ", ".join(placing.models[at] for at in np.flatnonzero(~linked.rated))
        said.append(f"unrated, as no games link them to the rest: {names}")
    return tuple(said)


def fit_columns(games: Columns, placing: Scale, prior: Prior, errors: Errors = "items") -> Ratings:
    """`bradley_terry` on columns."""
    found = fit(games.wins(), placing, prior)
    counts = count(games)
    if errors == "model":
        return found.ratings(found.inverse, counts, "Bradley-Terry, model-based errors")
    cluster = games.item if errors == "items" else np.arange(games.item.size)
    usable = found.estimated[games.first] & found.estimated[games.second]
    groups = int(np.unique(cluster[usable]).size)
    name = f"Bradley-Terry, errors by {'item' if errors == 'items' else 'row'}"
    if groups < 2:
        return found.ratings(None, counts, f"{name}; none: {groups} cluster(s)")
    residual = residuals(games, found.strengths) * usable
    correction = groups / (groups - 1) if errors == "items" else 1.0
    return found.ratings(sandwich(found.inverse, pair_design(games), residual, cluster, correction), counts, name)


def fit(wins: Floats, placing: Scale, prior: Prior) -> Fit:
    """The strengths of one win matrix (points of row against column)."""
    linked = structure(wins, placing.anchors, placing.fixed)
    estimated = linked.rated if prior.is_given else linked.finite
    free = movable(placing, estimated, prior)
    chosen, moving, held = np.flatnonzero(estimated), np.flatnonzero(free), np.flatnonzero(placing.fixed)
    inner = wins[np.ix_(chosen, chosen)]
    strengths, inverse, curvature = np.zeros(len(wins)), np.zeros_like(wins), np.zeros_like(wins)
    start = np.where(placing.fixed, (placing.values - ORIGIN) / ELO, 0.0)[chosen]
    strengths[chosen], curvature[np.ix_(chosen, chosen)] = _solved(inner, start, free[chosen], prior)
    inverse[np.ix_(moving, moving)] = np.linalg.inv(curvature[np.ix_(moving, moving)])
    carried = np.diag(placing.fixed.astype(np.float64))
    carried[np.ix_(moving, held)] = -inverse[np.ix_(moving, moving)] @ curvature[np.ix_(moving, held)]
    return Fit(
        placing=placing,
        prior=prior,
        linked=linked,
        strengths=strengths,
        estimated=estimated,
        inverse=inverse,
        shared=carried @ (placing.covariance / ELO**2) @ carried.T,
        log_likelihood=log_likelihood(inner, strengths[chosen]),
    )


def movable(placing: Scale, estimated: Mask, prior: Prior) -> Mask:
    """The models whose strengths are to be found; without anything that is held and without a prior, all but one.

    Which one makes no difference: ratings are placed afterwards, and the errors of differences do not depend on it.
    """
    free = estimated & ~placing.fixed
    if free.any() and (free == estimated).all() and not prior.is_given:
        free[np.flatnonzero(free)[0]] = False
    return free


def _solved(wins: Floats, start: Floats, free: Mask, prior: Prior) -> tuple[Floats, Floats]:
    """Strengths, and the information on them with the prior's."""
    table = with_phantom(wins[None], prior)
    found = maximise(table, np.append(start, 0.0)[None], np.append(free, False), prior.precision)[0]
    curvature = information(table[0], found)[:-1, :-1]
    return found[:-1], curvature + prior.precision * np.diag(free.astype(np.float64))


def with_phantom(wins: Floats, prior: Prior) -> Floats:
    """Win matrices with one more contestant, of strength 0, who drew `prior.games` games with every model."""
    matrices, models, _ = wins.shape
    table = np.full((matrices, models + 1, models + 1), prior.games / 2)
    table[:, :models, :models] = wins
    table[:, models, models] = 0
    return table


def count(games: Columns) -> Counts:
    size = len(games.models)
    played = np.bincount(games.first, minlength=size) + np.bincount(games.second, minlength=size)
    pairs = np.unique(np.concatenate([games.first, games.second]) * max(1, games.items) + np.tile(games.item, 2))
    items = np.bincount(pairs // max(1, games.items), minlength=size)
    return Counts(played, items, games.wins().sum(axis=1))
