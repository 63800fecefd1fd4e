"""Ratings with ties as an outcome of their own: Davidson, and Rao and Kupper. Diagnostics beside the headline.

Their strengths are those of decisive games, on a wider scale than with ties as half points: never mix the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.errors import ModelError, RequestError
from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.ratings.anchors import AnchorMode, Anchors, Prior, scale
from jatdae.stats.ratings.fit import Fit, count, movable
from jatdae.stats.ratings.games import Columns, Game, columns
from jatdae.stats.ratings.newton import ELO, EXACT, LONGEST_STEP, MOST_STEPS, ORIGIN, log_probability, win_probability
from jatdae.stats.ratings.records import Ratings
from jatdae.stats.ratings.separation import Mask, structure


@dataclass(frozen=True, slots=True)
class TieRatings:
    """Ratings, and how likely ties are: nu of Davidson (0: never) or kappa of Rao and Kupper (1: never).

    `log_stderr` is the standard error of the parameter's logarithm; None without ties.
    """

    ratings: Ratings
    parameter: float
    log_stderr: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Outcomes of each pair of models that met: wins of the first, wins of the second, ties."""

    first: Codes
    second: Codes
    won: Floats
    lost: Floats
    tied: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Log-likelihood of all pairs; its slopes by the pair's difference and by the logarithm of the tie parameter, and
    the information on both."""

    value: float
    by_difference: Floats
    by_tie: float
    differences: Floats
    mixed: Floats
    ties: float


def davidson(
    games: Sequence[Game], *, anchors: Anchors = (), mode: AnchorMode | None = None, prior_games: float = 1.0
) -> TieRatings:
    """P(a) : P(b) : P(tie) = pi_a : pi_b : nu sqrt(pi_a pi_b) (Davidson 1970), by maximum likelihood.

    Scores must be 0, 0.5 or 1: pass single verdicts, not the average of two orders. `prior_games` virtual games
    against strength 0 say nothing about ties. Errors are model-based. Raises RequestError on other scores, where every
    game of the rated models is a tie, and on anchors that do not fit.
    """
    return _tie_ratings(games, anchors, mode, prior_games, _davidson_terms, "Davidson")


def rao_kupper(
    games: Sequence[Game], *, anchors: Anchors = (), mode: AnchorMode | None = None, prior_games: float = 1.0
) -> TieRatings:
    """P(a) = pi_a / (pi_a + kappa pi_b), likewise P(b), and the rest ties (Rao and Kupper 1967); as `davidson`."""
    return _tie_ratings(games, anchors, mode, prior_games, _rao_kupper_terms, "Rao-Kupper")


def _tie_ratings(
    games: Sequence[Game],
    anchors: Anchors,
    mode: AnchorMode | None,
    prior_games: float,
    terms: Callable[[Pairs, Floats, float], Terms],
    name: str,
) -> TieRatings:
    table, prior = columns(games), Prior(prior_games)
    placing = scale(table.models, anchors, mode)
    pairs = _pairs(table)
    linked = structure(table.wins(), placing.anchors, placing.fixed)
    estimated = linked.rated if prior.is_given else linked.finite
    free = movable(placing, estimated, prior)
    held = np.where(placing.fixed, (placing.values - ORIGIN) / ELO, 0.0)
    usable = estimated[pairs.first] & estimated[pairs.second]
    kept = Pairs(pairs.first[usable], pairs.second[usable], pairs.won[usable], pairs.lost[usable], pairs.tied[usable])
    if kept.tied.any() and not (kept.won.any() or kept.lost.any()):
        raise RequestError("every game of the rated models is a tie; models with ties need a game that was won")
    problem = _Problem(kept, terms, free, prior.games, has_ties=bool(kept.tied.any()))
    strengths, log_tie, inverse, value = problem.solved(held)
    size = len(held)
    found = Fit(
        placing=placing,
        prior=prior,
        linked=linked,
        strengths=strengths,
        estimated=estimated,
        inverse=inverse[:size, :size],
        shared=np.zeros((size, size)),
        log_likelihood=value,
    )
    ratings = found.ratings(found.inverse, count(table), f"{name}, model-based errors")
    if not problem.has_ties:
        return TieRatings(ratings, 0.0 if name == "Davidson" else 1.0, None)
    return TieRatings(ratings, math.exp(log_tie), math.sqrt(inverse[size, size]))


def _pairs(games: Columns) -> Pairs:
    if not np.isin(games.score, (0.0, 0.5, 1.0)).all():
        odd = games.score[~np.isin(games.score, (0.0, 0.5, 1.0))][0]
        raise RequestError(f"score {odd}: models with ties need 0, 0.5 or 1; pass the verdicts of single orders")
    size = len(games.models)
    swapped = games.first > games.second
    cell = np.where(swapped, games.second * size + games.first, games.first * size + games.second)
    score = np.where(swapped, 1 - games.score, games.score)
    met, at = np.unique(cell, return_inverse=True)
    won, lost, tied = (
        np.bincount(at, weights=games.weight * (score == outcome), minlength=met.size).astype(np.float64)
        for outcome in (1.0, 0.0, 0.5)
    )
    return Pairs(met // max(1, size), met % max(1, size), won, lost, tied)


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Newton's method on the free strengths and the logarithm of the tie parameter (the last one, where ties occur)."""

    pairs: Pairs
    terms: Callable[[Pairs, Floats, float], Terms]
    free: Mask
    prior_games: float
    has_ties: bool

    def solved(self, strengths: Floats) -> tuple[Floats, float, Floats, float]:
        """Strengths, log of the tie parameter, inverse information over both, and the log-likelihood."""
        size = len(strengths)
        at, moving = np.append(strengths, math.log(1.5) if self.has_ties else 0.0), self._moving()
        value, slope, curvature = self._expanded(at)
        for _ in range(MOST_STEPS):
            step = np.zeros(size + 1)
            step[moving] = np.linalg.solve(curvature[np.ix_(moving, moving)], slope[moving])
            step *= min(1.0, LONGEST_STEP / max(LONGEST_STEP, float(np.abs(step).max())))
            if float(np.abs(step).max()) < EXACT * 100:
                inverse = np.zeros_like(curvature)
                inverse[np.ix_(moving, moving)] = np.linalg.inv(curvature[np.ix_(moving, moving)])
                likelihood = self.terms(self.pairs, self._differences(at), float(at[size])).value
                return at[:size], float(at[size]), inverse, likelihood
            at, value, slope, curvature = self._better(at, step, value)
        raise ModelError("ratings with ties did not converge; give the games a prior (prior_games above 0)")

    def _better(self, at: Floats, step: Floats, value: float) -> tuple[Floats, float, Floats, Floats]:
        """A step that does not lower the likelihood: halved while it does, or while it leaves the allowed range."""
        while True:
            found = self._expanded(at + step)
            if found[0] >= value - 1e-9 * (1 + abs(value)) or float(np.abs(step).max()) < EXACT:
                return at + step, *found
            step = step / 2

    def _expanded(self, at: Floats) -> tuple[float, Floats, Floats]:
        """Log-likelihood with the prior, its slope and the information, at strengths and tie parameter."""
        size, first, second = at.size - 1, self.pairs.first, self.pairs.second
        terms = self.terms(self.pairs, self._differences(at), float(at[size]))
        slope, curvature = np.zeros(size + 1), np.zeros((size + 1, size + 1))
        design = np.zeros((first.size, size))
        design[np.arange(first.size), first], design[np.arange(first.size), second] = 1.0, -1.0
        slope[:size], slope[size] = terms.by_difference @ design, terms.by_tie
        curvature[:size, :size] = design.T @ (terms.differences[:, None] * design)
        curvature[:size, size] = curvature[size, :size] = terms.mixed @ design
        curvature[size, size] = terms.ties
        chance = win_probability(at[:size])
        slope[:size] += self.prior_games * (0.5 - chance)
        curvature[:size, :size] += self.prior_games * np.diag(chance * (1 - chance))
        drawn = 0.5 * self.prior_games * (log_probability(at[:size]) + log_probability(-at[:size]))
        return terms.value + float(drawn[self.free].sum()), slope, curvature

    def _differences(self, at: Floats) -> Floats:
        return at[self.pairs.first] - at[self.pairs.second]

    def _moving(self) -> Codes:
        return np.flatnonzero(np.append(self.free, self.has_ties))


def _davidson_terms(pairs: Pairs, difference: Floats, log_tie: float) -> Terms:
    played = pairs.won + pairs.lost + pairs.tied
    has_ties = bool(pairs.tied.any())
    logits = np.stack([difference / 2, -difference / 2, np.full_like(difference, log_tie if has_ties else -np.inf)])
    top = np.logaddexp.reduce(logits, axis=0)
    win, loss, tie = np.exp(logits - top)
    value = (pairs.won - pairs.lost) * difference / 2 + (pairs.tied * log_tie if has_ties else 0.0) - played * top
    return Terms(
        value=float(value.sum()),
        by_difference=(pairs.won - pairs.lost - played * (win - loss)) / 2,
        by_tie=float((pairs.tied - played * tie).sum()),
        differences=played * (win + loss - (win - loss) ** 2) / 4,
        mixed=-played * tie * (win - loss) / 2,
        ties=float((played * tie * (1 - tie)).sum()),
    )


def _rao_kupper_terms(pairs: Pairs, difference: Floats, log_tie: float) -> Terms:
    """With kappa = exp(log_tie): P(tie) = (kappa^2 - 1) s(d - log_tie) s(-d - log_tie), s the logistic function."""
    up, down = pairs.won + pairs.tied, pairs.lost + pairs.tied
    ties = float(pairs.tied.sum())
    if ties and log_tie <= 0:
        return Terms(-math.inf, difference, 0.0, difference, difference, 0.0)
    win, loss = win_probability(difference - log_tie), win_probability(-difference - log_tie)
    value = (up * log_probability(difference - log_tie) + down * log_probability(-difference - log_tie)).sum()
    upward, downward = up * (1 - win), down * (1 - loss)
    growth = -1 / math.expm1(-2 * log_tie) if ties else 0.0
    return Terms(
        value=float(value) + (ties * math.log(math.expm1(2 * log_tie)) if ties else 0.0),
        by_difference=upward - downward,
        by_tie=float((-upward - downward).sum()) + 2 * ties * growth,
        differences=upward * win + downward * loss,
        mixed=downward * loss - upward * win,
        ties=float((upward * win + downward * loss).sum()) + 4 * ties * growth * (growth - 1),
    )
