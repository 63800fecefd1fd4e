"""Games that the tests of ratings share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jatdae.stats.ratings import Game

TABLE = np.array([[0, 7, 8, 9], [3, 0, 6, 7.5], [2, 4, 0, 6], [1, 2.5, 4, 0]])
"""Points of A, B, C and D against each other; B and D drew once."""

UNBEATEN = np.array([[0, 10, 10, 10], [0, 0, 6, 7], [0, 4, 0, 6], [0, 3, 4, 0]])


def series(a: str, b: str, won: int, tied: int, lost: int) -> list[Game]:
    """The games of a pair: first those that `a` won, then the ties, then those it lost."""
    return [Game(a, b, score) for score, n in ((1.0, won), (0.5, tied), (0.0, lost)) for _ in range(n)]


def table_games(table: np.ndarray = TABLE, names: str = "ABCD") -> list[Game]:
    """The games of a table of points, pair by pair; half points are one tie."""
    games = []
    for i, a in enumerate(names):
        for j in range(i + 1, len(names)):
            games += series(a, names[j], int(table[i, j]), int(2 * (table[i, j] % 1)), int(table[j, i]))
    return games


def simulated(
    random: np.random.Generator, strengths: Sequence[float], items: int, judges: int = 1, spread: float = 0.6
) -> list[Game]:
    """Every pair on every item by every judge, in both orders, with item effects (nat) that all judges share."""
    effect = np.asarray(strengths) + random.normal(0, spread, (items, len(strengths)))
    games = []
    for item in range(items):
        for a in range(len(strengths)):
            for b in range(a + 1, len(strengths)):
                chance = 1 / (1 + np.exp(effect[item, b] - effect[item, a]))
                for judge, score in enumerate((random.random((judges, 2)) < chance).mean(axis=1)):
                    games.append(Game(f"m{a}", f"m{b}", float(score), f"item {item}", f"judge {judge}"))
    return games
