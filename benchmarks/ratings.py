"""How fast games become ratings, beside evalica and choix on the same games. Prints Markdown tables.

Usage: python benchmarks/ratings.py [comparisons]
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import choix
import evalica
import numpy as np

from jatdae.stats.ratings import Game, RatingSettings, fit_matrix, rate, win_matrix

MODELS = (15, 200)
RUNS = 3


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest run, and what it returned."""
    times, results = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        results.append(work())
        times.append(time.perf_counter() - start)
    return min(times), results[-1]


def drawn(models: int, comparisons: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of both models and the score of the first, all pairs alike, strengths with a deviation of 1 nat."""
    random = np.random.default_rng(models)
    strengths = random.normal(0, 1, models)
    first = random.integers(0, models, comparisons)
    second = (first + random.integers(1, models, comparisons)) % models
    chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    return first, second, (random.random(comparisons) < chance).astype(np.float64)


def centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean()


def compare(models: int, comparisons: int) -> None:
    first, second, score = drawn(models, comparisons)
    xs, ys = first.tolist(), second.tolist()
    winners = [evalica.Winner.X if won else evalica.Winner.Y for won in score.tolist()]
    own, ratings = best(lambda: fit_matrix(win_matrix(first, second, score, size=models), prior_games=0))
    default, _ = best(lambda: fit_matrix(win_matrix(first, second, score, size=models)))
    theirs, result = best(lambda: evalica.bradley_terry(xs, ys, winners))
    wins = win_matrix(first, second, score, size=models)
    matrix, parameters = best(lambda: choix.ilsr_pairwise_dense(wins))
    exact = centred(np.array([ratings[str(model)].value for model in range(models)]))
    others = (
        centred(400 * np.log10(result.scores.loc[list(range(models))].to_numpy())),
        centred(400 / math.log(10) * parameters),
    )
    far = [float(np.abs(other - exact).max()) for other in others]
    print(f"| {models} | jatdae, no prior | {own:.4f} | |")
    print(f"| {models} | jatdae, one virtual draw a model | {default:.4f} | |")
    print(f"| {models} | evalica | {theirs:.4f} | {far[0]:.1e} |")
    print(f"| {models} | choix (win matrix given) | {matrix:.4f} | {far[1]:.1e} |")


def table(games: int, models: int, items: int, judges: int) -> None:
    first, second, score = drawn(models, games)
    random = np.random.default_rng(0)
    columns = (first, second, score, random.integers(0, items, games), random.integers(0, judges, games))
    rows = [
        Game(f"m{a}", f"m{b}", s, f"i{i}", f"j{j}", f"t{i % 3}")
        for a, b, s, i, j in zip(*(column.tolist() for column in columns), strict=True)
    ]
    seconds, _ = best(lambda: rate(rows, RatingSettings(anchors=["m0", "m1", "m2"])))
    print(f"| {games:,} | {models} | {items} | {judges} | {seconds:.2f} |")


def main() -> None:
    comparisons = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{comparisons:,} comparisons, seconds (best of {RUNS}, one thread) and largest deviation in Elo:\n")
    print("| models | fit | seconds | from jatdae without prior |\n|---|---|---|---|")
    for models in MODELS:
        compare(models, comparisons)
    print("\n`rate`: 1,000 resamples of items, one fit a judge for all games and for each of 3 tracks:\n")
    print("| games | models | items | judges | seconds |\n|---|---|---|---|---|")
    table(20_000, 13, 191, 3)
    table(20_000, 40, 191, 3)


if __name__ == "__main__":
    main()
