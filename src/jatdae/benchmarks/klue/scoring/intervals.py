"""Intervals of KLUE's metrics from resampling clusters of items, drawn in arrays.

A metric of sums is resampled through the sums of each cluster, so that a thousand draws are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.klue.metrics.score import ROUNDING, Additive, Floats, Reweigh, Score
from jatdae.stats.bootstrap import MOST_UNDEFINED
from jatdae.types import Estimate

Codes = NDArray[np.intp]

CELLS = 2_000_000
"""Largest number of counts held at once: 16 MB."""

NO_SPREAD = "no spread"
VARIANTS = ("official", "clean")


def intervals(
    scores: Mapping[str, Score], clusters: Codes, draws: int, seed: int
) -> dict[str, tuple[Estimate | None, Estimate | None]]:
    """Official and clean value of each score, in 0..1, with a 95 % percentile interval from the same draws.

    `clusters` numbers each item's cluster from 0. None stands for an undefined value.
    """
    return intervals_over_runs([scores], clusters, draws, seed)


def intervals_over_runs(
    runs: Sequence[Mapping[str, Score]], clusters: Codes, draws: int, seed: int
) -> dict[str, tuple[Estimate | None, Estimate | None]]:
    """As `intervals`, for the mean over several runs on the same items: every draw takes the same clusters for all.

    What is undefined in one run is undefined in their mean. The interval is that of the items: how far training with
    another seed moves the value is not in it.
    """
    count, names = int(clusters.max()) + 1, list(runs[0])
    values = {(name, variant): _mean(runs, name, variant) for name in names for variant in VARIANTS}
    curves = {
        (name, variant): [_by_cluster(resample, clusters) for resample in _resamples(runs, name, variant)]
        for (name, variant), value in values.items()
        if value is not None and all(run[name].resample is not None for run in runs)
    }
    drawn_values: dict[tuple[str, str], list[Floats]] = {key: [] for key in curves}
    for drawn in _drawn(count, draws, seed):
        for key, of_runs in curves.items():
            drawn_values[key].append(np.mean([curve(drawn) for curve in of_runs], axis=0))
    method = f"bootstrap of clusters, {draws} draws" + (f", mean of {len(runs)} seeds" if len(runs) > 1 else "")
    estimates = {
        (name, variant): _estimate(value, drawn_values.get((name, variant)), runs[0][name].n, count, method)
        for (name, variant), value in values.items()
    }
    return {name: (estimates[name, "official"], estimates[name, "clean"]) for name in names}


def _mean(runs: Sequence[Mapping[str, Score]], name: str, variant: str) -> float | None:
    values = [getattr(run[name], variant) for run in runs]
    return None if None in values else sum(values) / len(values)


def _resamples(runs: Sequence[Mapping[str, Score]], name: str, variant: str) -> list[Reweigh]:
    return [getattr(run[name].resample, variant) for run in runs]


def _drawn(clusters: int, draws: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn: arrays (some draws, clusters) of numbers that add up to `clusters`."""
    random = np.random.default_rng(seed)
    step = max(1, CELLS // clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        picked = random.integers(0, clusters, (size, clusters)) + clusters * np.arange(size)[:, None]
        yield np.bincount(picked.ravel(), minlength=size * clusters).reshape(size, clusters).astype(np.float64)


def _by_cluster(resample: Reweigh, clusters: Codes) -> Reweigh:
    """The metric as a function of how often each cluster is drawn."""
    if isinstance(resample, Additive):
        sums = np.zeros((int(clusters.max()) + 1, resample.counts.shape[1]))
        np.add.at(sums, clusters, resample.counts)
        return Additive(sums, resample.combine)
    return lambda drawn: resample(drawn[:, clusters])


def _estimate(value: float | None, drawn: Sequence[Floats] | None, n: int, clusters: int, name: str) -> Estimate | None:
    """As `stats.cluster_bootstrap` gives it, on the scale 0..1."""
    if value is None:
        return None
    bare = Estimate(value / 100, None, None, None, n, clusters, name)
    if drawn is None or clusters == 1:
        return _without(bare, "one cluster" if clusters == 1 else "cannot be resampled")
    replicates = np.concatenate(drawn) / 100
    defined = replicates[np.isfinite(replicates)]
    undefined = replicates.size - defined.size
    if undefined > MOST_UNDEFINED * replicates.size:
        return _without(bare, f"{undefined} draws are undefined")
    if np.ptp(defined) <= 1e-12 * max(1.0, float(np.abs(defined).max())):
        return _without(bare, NO_SPREAD)
    if undefined:
        name += f", {undefined} undefined"
    low, high = np.quantile(defined, [0.025, 0.975])
    if not low - ROUNDING <= bare.value <= high + ROUNDING:
        return _without(bare, "the value lies outside what is drawn, as rare classes drop out of many draws")
    return Estimate(bare.value, float(defined.std(ddof=1)), float(low), float(high), n, clusters, name)


def _without(bare: Estimate, why: str) -> Estimate:
    return Estimate(bare.value, None, None, None, bare.n, bare.clusters, f"{bare.method}; none: {why}")
