"""Bradley-Terry by Newton's method, many win matrices at once, with some strengths held fixed.

The probability that a beats b is 1 / (1 + exp(-(theta_a - theta_b))); theta is in nat. Fractional points are allowed:
the sum of s ln p + (1 - s) ln(1 - p) is maximised (Bradley and Terry 1952, as a quasi-likelihood).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.errors import ModelError
from jatdae.stats.clusters import Codes, Floats

ELO = 400 / math.log(10)
"""Elo points in one nat."""

ORIGIN = 1200.0
"""The rating of strength 0."""

LONGEST_STEP = 2.0
MOST_STEPS = 200
SETTLED_STEPS = 30
EXACT = 1e-12
NO_GAIN = 1e-12


def win_probability(difference: Floats) -> Floats:
    """1 / (1 + exp(-difference)), without overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * difference)


def log_probability(difference: Floats) -> Floats:
    """ln(1 / (1 + exp(-difference))), exact for large differences too."""
    return -np.logaddexp(0.0, -difference)


def maximise(wins: Floats, start: Floats, free: NDArray[Any], precision: float = 0.0, within: float = EXACT) -> Floats:
    """Strengths that maximise the likelihood of each win matrix; shape (matrices, models), like `start`.

    `wins` has shape (matrices, models, models). Only models that are `free` move. `precision` (1 / nat^2) is a normal
    prior around 0 on the free ones. The caller sees to it that a maximum exists: something fixed, or a precision, and
    no separation. A step longer than 2 nat is shortened, and the last one is below `within`.
    """
    strengths, moving = start.copy(), np.flatnonzero(free)
    open_matrices = np.arange(len(wins)) if moving.size else np.arange(0)
    played, won = wins + wins.swapaxes(1, 2), wins.sum(axis=2)
    for iteration in range(MOST_STEPS):
        if open_matrices.size == 0:
            return strengths
        step, gain = _newton_step(played, won, strengths[open_matrices], moving, precision)
        longest = np.abs(step).max(axis=1)
        damping = LONGEST_STEP if iteration < MOST_STEPS // 2 else LONGEST_STEP / 4
        strengths[np.ix_(open_matrices, moving)] += step * (damping / np.maximum(longest, damping))[:, None]
        going = longest > within
        if iteration > SETTLED_STEPS:  # rounding can keep the digits of a nearly flat direction moving
            going &= gain > NO_GAIN
        if not going.all():
            open_matrices, played, won = open_matrices[going], played[going], won[going]
    raise ModelError("ratings did not converge; give the games a prior (prior_games above 0)")


def _newton_step(
    played: Floats, won: Floats, strengths: Floats, moving: Codes, precision: float
) -> tuple[Floats, Floats]:
    """The step of each matrix, and twice the log-likelihood that it promises to gain."""
    chance = win_probability(strengths[:, :, None] - strengths[:, None, :])
    slope = (won - (played * chance).sum(axis=2))[:, moving] - precision * strengths[:, moving]
    curvature = laplacian(played * chance * (1 - chance))[:, moving[:, None], moving]
    if precision:
        curvature = curvature + precision * np.eye(moving.size)
    step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
    return step, np.abs((step * slope).sum(axis=1))


def laplacian(weights: Floats) -> Floats:
    """diag(row sums) - weights, for matrices in the last two axes."""
    diagonal = weights.sum(axis=-1)[..., None] * np.eye(weights.shape[-1])
    return diagonal - weights


def information(wins: Floats, strengths: Floats) -> Floats:
    """Second derivatives of minus the log-likelihood of one win matrix, in 1 / nat^2."""
    chance = win_probability(strengths[:, None] - strengths[None, :])
    return laplacian((wins + wins.T) * chance * (1 - chance))


def log_likelihood(wins: Floats, strengths: Floats) -> float:
    """Log-likelihood of one win matrix, without any prior and without binomial constants."""
    return float((wins * log_probability(strengths[:, None] - strengths[None, :])).sum())
