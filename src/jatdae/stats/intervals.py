"""Means and proportions of items, each with its 95 % interval."""

from __future__ import annotations

import math

from scipy.special import ndtri, stdtrit

from jatdae.stats.clusters import (
    FEW_CLUSTERS,
    Clusters,
    Codes,
    Floats,
    Values,
    displayed_stderr,
    fewest_independent,
    finite,
    is_binary,
    negligible,
    shared_codes,
)
from jatdae.types import Estimate

Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: every estimate carries a 95 % interval."""

UNIT = (0.0, 1.0)


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion.

    `n` may be fractional (an effective sample size). Raises ValueError unless 0 <= successes <= n, n > 0 and
    0 < confidence < 1. Source: Wilson 1927; why not Wald: Bowyer et al. 2025 (arXiv 2503.01747).

    >>> low, high = wilson(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4902 0.9433
    """
    if not (math.isfinite(n) and n > 0 and 0 <= successes <= n):
        raise ValueError(f"wilson: need n > 0 and 0 <= successes <= n, got {successes} of {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"wilson: confidence must be between 0 and 1, got {confidence}")
    quantile = Z if confidence == 0.95 else float(ndtri((1 + confidence) / 2))
    return score_interval(successes / n, n, quantile)


def score_interval(p: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval for a proportion `p` of `n` items with any quantile; exactly 0 or 1 at the ends."""
    square = quantile * quantile / n
    centre = (p + square / 2) / (1 + square)
    half = quantile / (1 + square) * math.sqrt(p * (1 - p) / n + square / (4 * n))
    low = 0.0 if p == 0 else max(0.0, min(p, centre - half))
    high = 1.0 if p == 1 else min(1.0, max(p, centre + half))
    return low, high


def t_quantile(degrees: float) -> float:
    """The 97.5 % point of Student's t."""
    return float(stdtrit(degrees, 0.975))


def around(value: float, reach: float, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """The interval value -/+ reach, cut at the bounds of the scale if it has any."""
    low, high = value - reach, value + reach
    return (low, high) if bounds is None else (max(bounds[0], low), min(bounds[1], high))


def effective_items(p: float, variance: float, n: int, codes: Codes | None = None, repeats: int = 1) -> float:
    """How many independent items a proportion is worth, for use in the Wilson interval.

    `variance` is that of the estimated proportion. The design effect is its ratio to p(1-p)/(n-1); n is divided by
    it, but never becomes more than the n * repeats observations there are. Where all items are right, or all wrong,
    the ratio is not defined; then items of a cluster, and repeats of an item, count as full copies of each other.
    """
    binomial = p * (1 - p) / (n - 1) if n > 1 else 0.0
    if binomial == 0:
        return float(n) if codes is None else fewest_independent(codes)
    return n / max(1 / repeats, variance / binomial)


def proportion(values: Values, clusters: Clusters | None = None) -> Estimate:
    """The share of right items with its Wilson interval; `values` are 0 or 1, one an item.

    With clusters (one label an item) the interval is Wilson's at n / max(1, design effect), the design effect being
    (cluster stderr / plain stderr)^2. Under 30 clusters the stderr is the larger of the two, and a t quantile with
    G - 1 degrees replaces z inside the Wilson formula: the design effect is then estimated from few units, while the
    form that respects 0 and 1 stays. If every cluster has one item there is no effect to estimate: plain Wilson.
    One item: no stderr, Wilson at n = 1. One cluster: neither stderr nor interval.

    Fractional values in [0, 1] get the t interval of `mean`, cut at 0 and 1; the method says so. Raises ValueError on
    values outside [0, 1], on no values, and on labels that do not match.
    """
    scores = finite(values)
    if ((scores < 0) | (scores > 1)).any():
        raise ValueError(f"proportion: values must lie in [0, 1], got {scores.min()} to {scores.max()}; use mean()")
    if not is_binary(scores):
        return _mean(scores, clusters, UNIT, "mean of fractional scores")
    n, p = scores.size, float(scores.mean())
    codes, count = shared_codes(clusters, n)
    error = displayed_stderr(scores, codes)
    if count == 1:
        return Estimate(p, None, None, None, n, 1, "none: one cluster")
    if codes is None or error is None:
        low, high = score_interval(p, n, Z)
        return Estimate(p, error, low, high, n, count, "Wilson")
    few = codes.max() + 1 < FEW_CLUSTERS
    low, high = score_interval(p, effective_items(p, error**2, n, codes), t_quantile(codes.max()) if few else Z)
    return Estimate(p, error, low, high, n, count, "Wilson at effective n, clusters" + (", t" if few else ""))


def mean(values: Values, clusters: Clusters | None = None) -> Estimate:
    """The mean of scores on any scale with its t interval, n - 1 degrees of freedom.

    With clusters: cluster stderr (under 30 clusters the larger of it and the plain one) and G - 1 degrees. One item,
    one cluster, or no spread at all: neither stderr nor interval. Raises ValueError as `proportion` does.
    """
    return _mean(finite(values), clusters, None, "mean")


def paired_difference(a: Values, b: Values, clusters: Clusters | None = None) -> Estimate:
    """The mean of a - b over the same items in the same order, with the t interval of the differences.

    Use it for two models, or for two forms of each item. Items where both agree count as 0; if the difference is the
    same everywhere its error cannot be estimated and is None. Raises ValueError when the lengths differ.
    """
    first, second = _aligned(a, b, "paired_difference")
    return _mean(first - second, clusters, None, "paired difference")


def consistency(a: Values, b: Values, clusters: Clusters | None = None) -> Estimate:
    """The share of items that are right in both forms, Wilson interval; both 0/1, row by row of the same items."""
    first, second = _aligned(a, b, "consistency")
    if not (is_binary(first) and is_binary(second)):
        raise ValueError("consistency: values must be 0 or 1; a fractional score is neither right nor wrong")
    return proportion(first * second, clusters)


def _mean(scores: Floats, clusters: Clusters | None, bounds: tuple[float, float] | None, name: str) -> Estimate:
    n, value = scores.size, float(scores.mean())
    codes, count = shared_codes(clusters, n)
    if n == 1 or count == 1:
        return Estimate(value, None, None, None, n, count, f"{name}; none: one {'item' if n == 1 else 'cluster'}")
    error = displayed_stderr(scores, codes)
    if error is None or negligible(error, scores):
        return Estimate(value, None, None, None, n, count, f"{name}; none: no spread")
    units = n if codes is None else int(codes.max()) + 1
    low, high = around(value, t_quantile(units - 1) * error, bounds)
    return Estimate(value, error, low, high, n, count, f"{name}, t" + ("" if codes is None else ", clusters"))


def _aligned(a: Values, b: Values, name: str) -> tuple[Floats, Floats]:
    first, second = finite(a, f"{name}: first"), finite(b, f"{name}: second")
    if first.size != second.size:
        raise ValueError(f"{name}: {first.size} and {second.size} items; both need the same items in the same order")
    return first, second
