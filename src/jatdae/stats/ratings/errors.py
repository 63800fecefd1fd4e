"""Errors of fitted strengths that need no model of the games: residual scores, summed by cluster (the sandwich)."""

from __future__ import annotations

from typing import Any

import numpy as np

from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.ratings.games import Columns
from jatdae.stats.ratings.newton import win_probability


def pair_design(games: Columns) -> Any:
    """One sparse row a game: 1 for the first model, -1 for the second."""
    from scipy.sparse import csr_matrix

    n = games.first.size
    row = np.arange(n)
    return csr_matrix(
        (np.repeat([1.0, -1.0], n), (np.tile(row, 2), np.concatenate([games.first, games.second]))),
        shape=(n, len(games.models)),
    )


def residuals(games: Columns, strengths: Floats) -> Floats:
    """Weighted score of each game's first model above what was expected."""
    expected = win_probability(strengths[games.first] - strengths[games.second])
    return games.weight * (games.score - expected)


def sandwich(inverse: Floats, design: Any, residual: Floats, cluster: Codes, correction: float) -> Floats:
    """inverse (sum over clusters of S S') inverse, times the correction; S sums design times residual in a cluster."""
    from scipy.sparse import csr_matrix

    n = residual.size
    member = csr_matrix((residual, (cluster, np.arange(n))), shape=(int(cluster.max()) + 1 if n else 0, n))
    scores = member @ design
    return correction * inverse @ (scores.T @ scores).toarray() @ inverse
