"""Ratings with what else moved the verdicts: which text was shown first, and style (length, headers, lists, ...).

Row by row, logit = theta_a - theta_b + gamma o + beta x: o says who was shown first, x how the styles differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jatdae.errors import ModelError, RequestError
from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.anchors import AnchorMode, Anchors, Prior, scale
from jatdae.stats.ratings.errors import pair_design, sandwich
from jatdae.stats.ratings.fit import Errors, Fit, count, fit_columns, movable
from jatdae.stats.ratings.games import Columns, Game, columns, equal_weights
from jatdae.stats.ratings.newton import (
    ELO,
    EXACT,
    LONGEST_STEP,
    MOST_STEPS,
    NO_GAIN,
    ORIGIN,
    SETTLED_STEPS,
    log_probability,
    win_probability,
)
from jatdae.stats.ratings.records import Ratings
from jatdae.stats.ratings.separation import Mask, structure
from jatdae.types import Estimate

FIRST = "first"
"""Name of the coefficient of being shown first; with several judges each has its own, `first: JUDGE`."""

OWN_SHARE = 1e-8
"""A covariate with less of its variation to itself says nothing beside the models and the other covariates."""


@dataclass(frozen=True, slots=True)
class ControlledRatings:
    """Ratings from the same rows without and with the covariates.

    `coefficients` are in nat: for `first` of being shown first, for a style of one root mean square of its contrast.
    `left_out` says of the covariates that could not be used why not.
    """

    raw: Ratings
    controlled: Ratings
    coefficients: Mapping[str, Estimate]
    left_out: Mapping[str, str]


def contrast(a: float, b: float, floor: float = 0.0) -> float:
    """(a - b) / (a + b + floor), 0 where both are 0: of lengths with no floor, of densities with a floor of 1."""
    total = a + b + floor
    return (a - b) / total if total else 0.0


def controlled_ratings(
    games: Sequence[Game],
    *,
    order: Sequence[float] | None = None,
    style: Mapping[str, Sequence[float]] | None = None,
    anchors: Anchors = (),
    mode: AnchorMode | None = None,
    prior_games: float = 1.0,
    errors: Errors = "items",
) -> ControlledRatings:
    """Ratings with position and style taken out, beside those without, from single verdicts or from averages.

    `order` has 1 for a game in which `a` was shown first, -1 for `b` first, 0 where both were or it is not known; each
    judge has a coefficient of its own. `style` maps a name to one contrast a game (a against b, see `contrast`), which
    is divided by its root mean square and not centred, so that exchanging a and b changes nothing. Judges, and tracks
    within a judge, are weighted to count the same. `prior_games` virtual draws against strength 0 are put on every
    model and every coefficient. Raises RequestError on lengths that differ and on numbers that are not finite.
    """
    table, prior = columns(games), Prior(prior_games)
    table = table.weighted(equal_weights(table))
    placing = scale(table.models, anchors, mode)
    raw = fit_columns(table, placing, prior, errors)
    offered, left_out = _covariates(table, order, style or {})
    linked = structure(table.wins(), placing.anchors, placing.fixed)
    estimated = linked.rated if prior.is_given else linked.finite
    free = movable(placing, estimated, prior)
    usable = estimated[table.first] & estimated[table.second]
    chosen, dependent = _independent(pair_design(table), offered, table.weight * usable)
    moving = np.append(free, np.ones(len(chosen), dtype=bool))
    problem = _Problem(table, usable, _joined(pair_design(table), chosen), np.flatnonzero(moving), prior.games)
    at = problem.solved(np.where(placing.fixed, (placing.values - ORIGIN) / ELO, 0.0))
    spread, method, items = problem.covariance(at, errors)
    size = len(table.models)
    found = Fit(
        placing=placing,
        prior=prior,
        linked=linked,
        strengths=at[:size],
        estimated=estimated,
        inverse=problem.inverse(at)[:size, :size],
        shared=np.zeros((size, size)),
        log_likelihood=problem.log_likelihood(at),
    )
    name = f"Bradley-Terry with {', '.join(chosen) or 'no covariates'}, {method}"
    controlled = found.ratings(None if spread is None else spread[:size, :size], count(table), name)
    coefficients = {
        covariate: _coefficient(float(at[size + number]), spread, size + number, int(usable.sum()), items, name)
        for number, covariate in enumerate(chosen)
    }
    return ControlledRatings(raw, controlled, coefficients, left_out | dependent)


def _coefficient(value: float, spread: Floats | None, at: int, n: int, items: int | None, method: str) -> Estimate:
    error = None if spread is None else float(np.sqrt(max(0.0, spread[at, at])))
    if not error:
        return Estimate(value, None, None, None, n, items, method)
    return Estimate(value, error, value - Z * error, value + Z * error, n, items, method)


def _covariates(
    table: Columns, order: Sequence[float] | None, style: Mapping[str, Sequence[float]]
) -> tuple[dict[str, Floats], dict[str, str]]:
    """Columns in the order of the table, by name, and those that are 0 everywhere."""
    offered = {}
    if order is not None:
        shown = _column(table, order, "order")
        if (np.abs(shown) > 1).any():
            raise RequestError("order: 1 for a shown first, -1 for b, 0 for both are needed")
        several = len(table.judges) > 1
        for number, judge in enumerate(table.judges):
            offered[f"{FIRST}: {judge}" if several else FIRST] = shown * (table.judge == number)
    for name in style:
        values = _column(table, style[name], name)
        size = float(np.sqrt(np.mean(values**2))) if values.size else 0.0
        offered[name] = values / size if size > 0 else values
    empty = {name: "0 in every game" for name, values in offered.items() if not values.any()}
    return {name: values for name, values in offered.items() if name not in empty}, empty


def _column(table: Columns, values: Sequence[float], name: str) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != table.given.shape:
        raise RequestError(f"{name}: {column.size} values for {table.given.size} games; one a game is needed")
    if not np.isfinite(column).all():
        raise RequestError(f"{name}: game {int(np.flatnonzero(~np.isfinite(column))[0])} has no finite value")
    return column[table.given]


def _independent(
    models: Any, offered: Mapping[str, Floats], weight: Floats
) -> tuple[dict[str, Floats], dict[str, str]]:
    """The covariates with variation of their own, beside the models and the covariates before them."""
    chosen: dict[str, Floats] = {}
    dependent: dict[str, str] = {}
    for name, values in offered.items():
        known = _joined(models, chosen)
        gram = (known.T @ known.multiply(weight[:, None])).toarray()
        shared = known.T @ (weight * values)
        own = float(weight @ values**2 - shared @ np.linalg.pinv(gram, rcond=1e-12, hermitian=True) @ shared)
        if own > OWN_SHARE * float(weight @ values**2):
            chosen[name] = values
        else:
            dependent[name] = "the games do not tell it from the models or from other covariates"
    return chosen, dependent


def _joined(models: Any, covariates: Mapping[str, Floats]) -> Any:
    """The sparse rows of the models, with one more column for each covariate."""
    from scipy.sparse import csr_matrix, hstack

    return hstack([models, csr_matrix(np.stack([*covariates.values()], axis=1))], "csr") if covariates else models


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Newton's method over the strengths of the models and, after them, the coefficients of the covariates."""

    table: Columns
    usable: Mask
    design: Any
    moving: Codes
    prior_games: float

    def solved(self, strengths: Floats) -> Floats:
        at, moving = np.zeros(self.design.shape[1]), self.moving
        at[: strengths.size] = strengths
        for iteration in range(MOST_STEPS):
            step, slope = np.zeros(at.size), self._slope(at)
            try:
                step[moving] = np.linalg.solve(self._information(at)[np.ix_(moving, moving)], slope[moving])
            except np.linalg.LinAlgError:
                break
            longest = max(float(np.abs(step).max(initial=0)), float(np.abs(self.design @ step).max(initial=0)))
            if longest < EXACT or (iteration > SETTLED_STEPS and float(step @ slope) < NO_GAIN):
                return at
            damping = LONGEST_STEP if iteration < MOST_STEPS // 2 else LONGEST_STEP / 4
            at = at + step * min(1.0, damping / longest)
        raise ModelError("no finite ratings with these covariates; give the games a prior (prior_games above 0)")

    def log_likelihood(self, at: Floats) -> float:
        logit, score = self.design @ at, self.table.score
        value = score * log_probability(logit) + (1 - score) * log_probability(-logit)
        return float(self._weight() @ value)

    def inverse(self, at: Floats) -> Floats:
        moving, inverse = self.moving, np.zeros((at.size, at.size))
        inverse[np.ix_(moving, moving)] = np.linalg.inv(self._information(at)[np.ix_(moving, moving)])
        return inverse

    def covariance(self, at: Floats, errors: Errors) -> tuple[Floats | None, str, int | None]:
        """Covariance (nat^2) of strengths and coefficients, how it was found, and from how many items."""
        if errors == "model":
            return self.inverse(at), "model-based errors", None
        cluster = self.table.item if errors == "items" else np.arange(self.usable.size)
        groups = int(np.unique(cluster[self.usable]).size)
        name = f"errors by {'item' if errors == 'items' else 'row'}"
        if groups < 2:
            return None, f"{name}; none: {groups} cluster(s)", groups
        correction = groups / (groups - 1) if errors == "items" else 1.0
        return sandwich(self.inverse(at), self.design, self._residual(at), cluster, correction), name, groups

    def _weight(self) -> Floats:
        return self.table.weight * self.usable

    def _residual(self, at: Floats) -> Floats:
        return self._weight() * (self.table.score - win_probability(self.design @ at))

    def _slope(self, at: Floats) -> Floats:
        return self.design.T @ self._residual(at) + self.prior_games * (0.5 - win_probability(at))

    def _information(self, at: Floats) -> Floats:
        chance, prior = win_probability(self.design @ at), win_probability(at)
        spread = (self._weight() * chance * (1 - chance))[:, None]
        return (self.design.T @ self.design.multiply(spread)).toarray() + self.prior_games * np.diag(
            prior * (1 - prior)
        )
