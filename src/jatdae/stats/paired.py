"""Whether two models differ on the same items: exact and sign-flip tests, and what a number of items can tell."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, ndtri

from jatdae.stats.clusters import Clusters, Floats, Values, cluster_codes, finite

EXACT_UNITS = 16
"""Up to this many units all 2^n patterns of signs are counted; above it they are drawn."""
DRAWS = 100_000
_CELLS = 4_000_000


def mcnemar_exact(only_first: int, only_second: int, *, mid: bool = False) -> float:
    """The two-sided p of McNemar's exact test from the items that only one of two models has right.

    `mid` gives the mid-p, which counts half of the observed outcome; it is 1 where both counts are equal. No item on
    which they differ: 1. Raises ValueError for a negative count.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"mcnemar_exact: counts must not be negative, got {only_first} and {only_second}")
    total, fewer = only_first + only_second, min(only_first, only_second)
    if total == 0 or (mid and only_first == only_second):
        return 1.0
    tail = float(bdtr(fewer, total, 0.5))
    if mid:
        tail -= (
            0.5
            * math.exp(math.lgamma(total + 1) - math.lgamma(fewer + 1) - math.lgamma(total - fewer + 1))
            / (2.0**total)
        )
    return min(1.0, 2.0 * tail)


def sign_flip(differences: Values, clusters: Clusters | None = None, *, seed: int, draws: int = DRAWS) -> float:
    """The two-sided p of the hypothesis that each cluster's sum of differences could as well have the other sign.

    Exact over all patterns for up to 16 clusters whose sum is not 0, else (1 + hits) / (1 + draws) from seeded draws.
    Without clusters each item is its own. Raises ValueError on no items or labels that do not match.
    """
    values = finite(differences)
    codes = np.arange(values.size) if clusters is None else cluster_codes(clusters, values.size)
    sums = np.bincount(codes, weights=values)
    sums = np.sort(np.abs(sums[np.abs(sums) > 1e-12]))
    if not sums.size:
        return 1.0
    observed = abs(float(values.sum())) - 1e-9 * float(sums.sum())
    if sums.size <= EXACT_UNITS:
        patterns = (np.arange(2**sums.size)[:, None] >> np.arange(sums.size)) & 1
        return float((np.abs((1 - 2 * patterns) @ sums) >= observed).mean())
    return (1 + _drawn_hits(sums, observed, draws, np.random.default_rng(seed))) / (1 + draws)


def _drawn_hits(sums: Floats, observed: float, draws: int, random: np.random.Generator) -> int:
    """How many of `draws` random patterns of signs reach the observed sum; equal sums are drawn as one binomial."""
    kinds, counts = np.unique(sums, return_counts=True)
    chunk, hits = max(1, _CELLS // kinds.size), 0
    for start in range(0, draws, chunk):
        size = min(chunk, draws - start)
        positive = random.binomial(counts, 0.5, (size, kinds.size))
        hits += int((np.abs((2 * positive - counts) @ kinds) >= observed).sum())
    return hits


def smallest_difference(n: int, discordance: float, *, power: float = 0.8) -> float:
    """The smallest true difference in accuracy that a paired test on `n` items finds with this power, at 5 %.

    `discordance` is the share of items that only one of the two has right. It solves n = z² (D - δ²) / δ² with
    z = z(.975) + z(power), and is never more than 1. Raises ValueError unless n > 0 and both shares are in range.
    """
    if n <= 0 or not 0 <= discordance <= 1 or not 0 < power < 1:
        raise ValueError(f"smallest_difference: n {n}, discordance {discordance}, power {power}: out of range")
    square = float(ndtri(0.975) + ndtri(power)) ** 2
    return min(1.0, math.sqrt(square * discordance / (n + square)))
