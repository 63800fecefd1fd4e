"""Two models on a metric that is no mean over items, such as KLUE's F1: the metric itself is drawn again for both.

The interval resamples clusters, the same for both models. The test exchanges the two models' predictions of whole
clusters at random and computes both metrics again: if the models are alike, that changes nothing (a paired permutation
test). What is exchanged is a cluster's predictions under all seeds together. Source: judging specification, D2 and D3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from jatdae.benchmarks.base import find_task
from jatdae.benchmarks.klue.estimates import runs_of
from jatdae.benchmarks.klue.metrics.score import Additive, Floats, Score
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import Unit
from jatdae.benchmarks.klue.task import KlueTask
from jatdae.benchmarks.sources import MINI, Source
from jatdae.errors import RequestError
from jatdae.stats.bootstrap import MOST_UNDEFINED
from jatdae.stats.clusters import cluster_codes
from jatdae.store import StoredResult
from jatdae.types import Estimate, Result, Sample

DRAWS, SWAPS = 5_000, 20_000
CELLS = 2_000_000
"""Largest number of counts held at once: 16 MB."""
DETECTS = float(ndtri(0.975) + ndtri(0.8))
"""A difference of so many standard errors is found with 80 % power at 5 %."""


@dataclass(frozen=True, slots=True)
class MetricPair:
    """Both values (shares of 1), the difference with its interval, p and test, and what such a test finds."""

    first: float
    second: float
    difference: Estimate
    p: float
    test: str
    detectable: float


def metric_pair(
    stored: StoredResult, sides: Sequence[Sequence[Sample]], *, seed: int, data: str | None = None
) -> MetricPair:
    """What the second samples gain over the first on the result's headline. `stored` says task, protocol and data.

    Raises RequestError where the headline cannot be drawn again, where the seeds do not pair, or where the data of the
    result are not found (`data` is their folder).
    """
    result = stored.result
    assert result is not None  # noqa: S101 - only finished results are compared
    task = _task_with_data(stored, result, data)
    runs = [runs_of(samples) for samples in sides]
    if len(runs[0]) != len(runs[1]):
        raise RequestError(
            f"{stored.task}: measured with {len(runs[0])} and {len(runs[1])} seeds; run both with the same number"
        )
    units = [unit for unit in task.items() if all(unit.id in run for own in runs for run in own.values())]
    if not units:
        raise RequestError(f"{stored.task}: no item was answered on both sides")
    scores = [[_score(task.task, units, run, result.headline) for run in own.values()] for own in runs]
    codes = cluster_codes([unit.cluster for unit in units], len(units))
    curves = [[_by_cluster(score, codes, stored.task) for score in own] for own in scores]
    values = [float(np.mean([score.official or 0.0 for score in own])) / 100 for own in scores]
    random = np.random.default_rng(seed)
    difference = _interval(values[1] - values[0], curves, len(units), random)
    p = _swapped(curves, abs(values[1] - values[0]), random)
    stderr = difference.stderr or 0.0
    test = f"{SWAPS:,} exchanges of the predictions of {curves[0][0].counts.shape[0]:,} clusters"
    return MetricPair(values[0], values[1], difference, p, test, min(1.0, DETECTS * stderr))


def _task_with_data(stored: StoredResult, result: Result, data: str | None) -> KlueTask:
    """The task on the very data that were measured. Raises RequestError where they are not found."""
    entry = find_task(stored.task) if stored.task.startswith("klue/") else None
    if entry is None or not issubclass(entry.task, KlueTask):
        raise RequestError(
            f"{stored.task}: its headline {result.headline!r} is no mean over items, so that pairs cannot be compared; "
            "see the intervals of both with `jatdae show`"
        )
    for place in (data,) if data else (None, MINI):
        try:
            task = entry.task(stored.task, result.protocol, Source.of(place), 0)
            if stored.data_hash in (task.scored_hash, task.data_hash):
                return task
        except RequestError:
            continue
    raise RequestError(
        f"{stored.task}: the metric is computed anew from the data, and those that were measured "
        f"(hash {stored.data_hash[:12]}) are not found; name their folder with --data"
    )


def _score(task: str, units: Sequence[Unit], run: Mapping[str, object], metric: str) -> Score:
    there = {unit.id: run[unit.id] for unit in units if run[unit.id] is not None}
    return judge(task, units, there).scores[metric]  # pyright: ignore[reportArgumentType]


def _by_cluster(score: Score, codes: np.ndarray, task: str) -> Additive:
    """The metric as a function of the clusters' summed counts. Raises RequestError for one that is no such function."""
    official = score.resample.official if score.resample else None
    if not isinstance(official, Additive):
        raise RequestError(f"{task}: its headline cannot be drawn again; see the intervals of both with `jatdae show`")
    sums = np.zeros((int(codes.max()) + 1, official.counts.shape[1]))
    np.add.at(sums, codes, official.counts)
    return Additive(sums, official.combine)


def _interval(value: float, curves: Sequence[Sequence[Additive]], n: int, random: np.random.Generator) -> Estimate:
    clusters = curves[0][0].counts.shape[0]
    name = f"paired bootstrap of clusters, {DRAWS} draws"
    if clusters == 1:
        return Estimate(value, None, None, None, n, clusters, f"{name}; none: one cluster")
    drawn: list[Floats] = []
    for size in _steps(DRAWS, clusters):
        picked = random.integers(0, clusters, (size, clusters)) + clusters * np.arange(size)[:, None]
        weights = np.bincount(picked.ravel(), minlength=size * clusters).reshape(size, clusters).astype(np.float64)
        means = [np.mean([curve(weights) for curve in own], axis=0) for own in curves]
        drawn.append((means[1] - means[0]) / 100)
    found = np.concatenate(drawn)
    known = found[np.isfinite(found)]
    if known.size < (1 - MOST_UNDEFINED) * found.size:
        return Estimate(value, None, None, None, n, clusters, f"{name}; none: too many are undefined")
    low, high = np.quantile(known, [0.025, 0.975])
    return Estimate(value, float(known.std(ddof=1)), float(low), float(high), n, clusters, name)


def _swapped(curves: Sequence[Sequence[Additive]], observed: float, random: np.random.Generator) -> float:
    """The share of exchanges whose difference is as large as the observed one, (1 + hits) / (1 + exchanges)."""
    clusters, hits = curves[0][0].counts.shape[0], 0
    for size in _steps(SWAPS, clusters):
        swap = random.integers(0, 2, (size, clusters)).astype(np.float64)
        differences = np.mean(
            [_exchanged(one, other, swap) for one, other in zip(curves[0], curves[1], strict=True)], axis=0
        )
        # An exchange that leaves the metric undefined counts against the difference.
        hits += int((~(np.abs(differences) < observed - 1e-12)).sum())
    return (1 + hits) / (1 + SWAPS)


def _exchanged(one: Additive, other: Additive, swap: Floats) -> Floats:
    """The difference after exchanging the clusters that `swap` marks."""
    gap = swap @ (other.counts - one.counts)
    first, second = one.counts.sum(axis=0) + gap, other.counts.sum(axis=0) - gap
    return (other.combine(second) - one.combine(first)) / 100


def _steps(draws: int, clusters: int) -> list[int]:
    step = max(1, CELLS // clusters)
    return [min(step, draws - start) for start in range(0, draws, step)]
