"""Percentile bootstrap by cluster or within strata, drawn in arrays; the same draws whatever the order of the items."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.clusters import Clusters, Floats, Values, cluster_codes, finite
from jatdae.stats.intervals import UNIT
from jatdae.stats.strata import Bounds, Groups, checked_strata
from jatdae.types import Estimate

Statistic = Callable[[NDArray[Any]], float]

CELLS = 4_000_000
"""Largest number of counts drawn at once: 32 MB."""

MOST_UNDEFINED = 0.05
"""With a larger share of resamples on which the statistic is undefined, the rest no longer stand for all."""


def seed_from(*parts: str) -> int:
    """A seed that depends on what is drawn and not on when: the first 8 bytes of SHA-256 of the parts joined by "|".

    >>> seed_from("kmmlu", "macro", "1234") == seed_from("kmmlu|macro", "1234")
    True
    """
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:8], "big")


def bootstrap_macro(groups: Groups, draws: int = 10_000, *, seed: int, bounds: Bounds = UNIT) -> Estimate:
    """The macro average with a percentile interval from resampling items within each group, never the groups.

    The stderr is the standard deviation of the resampled averages. A group of one item resamples to itself, so the
    result would be too narrow: then, or where nothing varies, there is neither stderr nor interval. Order and names of
    groups and order of items do not matter. Raises ValueError as `macro` does, and on fewer than 2 draws.
    """
    draws = _at_least_two(draws)
    strata = sorted((np.sort(stratum) for stratum in checked_strata(groups, bounds)), key=lambda array: array.tolist())
    n, count = sum(stratum.size for stratum in strata), len(strata)
    value = float(np.mean([stratum.mean() for stratum in strata]))
    name, lonely = f"bootstrap within {count} groups, {draws} draws", sum(stratum.size == 1 for stratum in strata)
    if lonely:
        return Estimate(value, None, None, None, n, None, f"{name}; none: {lonely} of {count} groups have one item")
    random = np.random.default_rng(seed)
    averages = np.zeros(draws)
    for stratum in strata:
        averages += _resampled_means(stratum, np.ones(stratum.size), draws, random) / count
    return _percentile(value, averages, n, None, name)


def cluster_bootstrap(
    values: Values | NDArray[Any],
    clusters: Clusters | None = None,
    statistic: Statistic | None = None,
    draws: int = 10_000,
    *,
    seed: int,
) -> Estimate:
    """A statistic of the items with a percentile interval from resampling whole clusters.

    `values` has one row an item, in any shape and type; without `statistic` it is one number an item, and the mean is
    drawn in arrays with no loop. A statistic gets the rows of the drawn clusters (order within a cluster kept, order
    of clusters not) and returns a number, or NaN where it is undefined; undefined resamples are counted in the method
    and left out, and above 5 % of them there is no interval. Without clusters every item is its own. The value comes
    from the data as they are. One cluster, or nothing that varies: neither stderr nor interval. Raises ValueError on
    no items, labels that do not match, fewer than 2 draws, or a statistic that is undefined on the data.
    """
    rows = np.asarray(values) if statistic else finite(values)
    if len(rows) == 0:
        raise ValueError("values: empty; at least one item is needed")
    n, draws = len(rows), _at_least_two(draws)
    codes = np.arange(n) if clusters is None else cluster_codes(clusters, n)
    count = int(codes.max()) + 1
    value = float(statistic(rows) if statistic else rows.mean())
    if not np.isfinite(value):
        raise ValueError(f"statistic: {value} on the {n} items themselves; it needs a number there")
    what, shown = ("items", None) if clusters is None else ("clusters", count)
    name = f"bootstrap of {what}, {draws} draws"
    if count == 1:
        return Estimate(value, None, None, None, n, shown, f"{name}; none: one {'item' if n == 1 else 'cluster'}")
    random = np.random.default_rng(seed)
    if statistic is None:
        order = np.argsort(rows)  # sums of the same numbers in another order differ in the last bit
        sums = np.bincount(codes[order], weights=rows[order]).astype(np.float64)
        replicates = _resampled_means(sums, np.bincount(codes).astype(np.float64), draws, random)
    else:
        replicates = _resampled_statistics(_blocks(rows, codes), statistic, draws, random)
    return _percentile(value, replicates, n, shown, name)


def _at_least_two(draws: int) -> int:
    if draws < 2:
        raise ValueError(f"draws: {draws}; at least 2 are needed")
    return draws


def _resampled_means(sums: Floats, sizes: Floats, draws: int, random: np.random.Generator) -> Floats:
    """Means of `draws` resamples of units with these sums and sizes, drawn in slices of bounded memory.

    Units that look the same are drawn as one kind, as the counts of the kinds are multinomial: for 0/1 items one
    binomial number in place of n indices. Where most units differ, indices are ten times faster.
    """
    units = np.stack([sums, sizes], axis=1)
    kinds, counts = np.unique(units, axis=0, return_counts=True)
    by_kind = 10 * len(kinds) < len(units)
    columns = (kinds if by_kind else units[np.lexsort(units.T)]).T.copy()
    chunk, means = max(1, CELLS // columns.shape[1]), []
    for start in range(0, draws, chunk):
        size = min(chunk, draws - start)
        if by_kind:
            drawn = random.multinomial(len(units), counts / len(units), size=size)
            top, bottom = (drawn @ column for column in columns)
        else:
            indices = random.integers(0, len(units), (size, len(units)))
            top, bottom = (column[indices].sum(axis=1) for column in columns)
        means.append(top / bottom)
    return np.concatenate(means)


def _blocks(rows: NDArray[Any], codes: NDArray[np.intp]) -> list[NDArray[Any]]:
    """The rows of each cluster, clusters ordered by what they hold, so that neither labels nor order matter."""
    order = np.argsort(codes, kind="stable")
    blocks = np.split(rows[order], np.cumsum(np.bincount(codes))[:-1])
    return sorted(blocks, key=lambda block: sorted(map(repr, block.tolist())))


def _resampled_statistics(
    blocks: list[NDArray[Any]], statistic: Statistic, draws: int, random: np.random.Generator
) -> Floats:
    count = len(blocks)
    results = np.empty(draws)
    for draw in range(draws):
        results[draw] = statistic(np.concatenate([blocks[index] for index in random.integers(0, count, count)]))
    return results


def _percentile(value: float, replicates: Floats, n: int, clusters: int | None, name: str) -> Estimate:
    defined = replicates[np.isfinite(replicates)]
    undefined = replicates.size - defined.size
    if undefined:
        name += f", {undefined} undefined"
    if undefined > MOST_UNDEFINED * replicates.size:
        return Estimate(value, None, None, None, n, clusters, f"{name}; none: too many undefined")
    if np.ptp(defined) <= 1e-12 * float(np.abs(defined).max()):
        return Estimate(value, None, None, None, n, clusters, f"{name}; none: no spread")
    low, high = np.quantile(defined, [0.025, 0.975])
    return Estimate(value, float(defined.std(ddof=1)), float(low), float(high), n, clusters, name)
