"""How far one distribution over labels lies from another, with intervals: KL in both directions and Jensen-Shannon.

The definition is KoNUBench's: D(P||Q) is the sum of p ln(p/q) over the labels, without smoothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from jatdae.errors import RequestError
from jatdae.stats.bootstrap import CELLS, MOST_UNDEFINED
from jatdae.stats.clusters import Floats
from jatdae.types import Estimate

Counts = Mapping[str, float]
"""Counts or shares by label. A label that is not there counts 0."""

DRAWS = 10_000
NAMES = ("P", "Q")


@dataclass(frozen=True, slots=True)
class Divergences:
    """D(P||Q), D(Q||P) and their Jensen-Shannon divergence, in nats. The last is at most ln 2."""

    forward: float
    reverse: float
    jensen_shannon: float


@dataclass(frozen=True, slots=True)
class Resampled:
    """Counts as other samples might have had them: draws x labels. `clusters` is None where no cluster was drawn."""

    counts: Floats
    clusters: int | None
    method: str


@dataclass(frozen=True, slots=True)
class EstimatedDivergences:
    """The three divergences in nats with 95 % intervals.

    `bias` is how much higher the resampled D(P||Q) are on average: a sample's noise adds about as much to the value
    itself, since a divergence cannot fall below 0. None where nothing was resampled.
    """

    forward: Estimate
    reverse: Estimate
    jensen_shannon: Estimate
    bias: float | None


def kl_divergence(p: Counts, q: Counts, *, smoothing: float | None = None) -> float:
    """D(P||Q) in nats.

    Both are brought to a sum of 1, after `smoothing` is added to every label that either has. Raises RequestError for
    a label that P has and Q lacks, for negative or infinite numbers, and where there is nothing to compare.
    """
    first, second, labels = _paired(p, q, smoothing, NAMES)
    _require_covered(first, second, labels, NAMES)
    return float(_directed(first[None], second[None])[0])


def divergences(p: Counts, q: Counts, *, smoothing: float | None = None, names: tuple[str, str] = NAMES) -> Divergences:
    """Both directions and Jensen-Shannon, in nats; `names` are those of P and Q in messages.

    Raises RequestError as `kl_divergence` does, for either direction.
    """
    first, second, labels = _paired(p, q, smoothing, names)
    _require_covered(first, second, labels, names)
    _require_covered(second, first, labels, names[::-1])
    return Divergences(*(float(values[0]) for values in _all_three(first[None], second[None])))


def in_bits(estimate: Estimate) -> Estimate:
    """An estimate in nats as one in bits."""
    value, stderr, low, high = (
        None if number is None else number / math.log(2)
        for number in (estimate.value, estimate.stderr, estimate.low, estimate.high)
    )
    return replace(estimate, value=value, stderr=stderr, low=low, high=high)


def resample_clusters(counts: ArrayLike, *, seed: int, draws: int = DRAWS) -> Resampled | None:
    """Totals of whole clusters drawn with replacement; `counts` is clusters x labels. None for a single cluster.

    Clusters with the same counts are drawn as one kind, since how often each kind comes is multinomial; so the order
    of the clusters does not matter either. Raises ValueError when the shape is wrong or there is no cluster.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"counts: clusters x labels are needed, got shape {table.shape}")
    if len(table) == 1:
        return None
    kinds, sizes = np.unique(table, axis=0, return_counts=True)
    random, chunk = np.random.default_rng(seed), max(1, CELLS // len(kinds))
    drawn = [
        random.multinomial(len(table), sizes / len(table), size=min(chunk, draws - start)) @ kinds
        for start in range(0, draws, chunk)
    ]
    return Resampled(np.concatenate(drawn), len(table), f"bootstrap of {len(table):,} clusters, {draws:,} draws")


def resample_within(
    counts: Sequence[float], intervals: Sequence[tuple[float, float]], *, seed: int, draws: int = DRAWS
) -> Resampled:
    """Counts drawn from published 95 % intervals of the shares, for a sample whose clusters are not at hand.

    The log-odds of each share are normal on either side of it with that side's width, drawn label by label and brought
    back to a sum of 1. Raises ValueError unless 0 < low < share < high < 1 for every label.
    """
    numbers, bounds = np.asarray(counts, dtype=np.float64), np.asarray(intervals, dtype=np.float64)
    shares = numbers / numbers.sum()
    low, high = bounds.T
    if not ((low > 0) & (low < shares) & (shares < high) & (high < 1)).all():
        raise ValueError("intervals: each must hold its share and lie between 0 and 1")
    centre = _log_odds(shares)
    noise = np.random.default_rng(seed).standard_normal((draws, shares.size))
    width = np.where(noise < 0, centre - _log_odds(low), _log_odds(high) - centre) / 1.96
    drawn = 1 / (1 + np.exp(-(centre + noise * width)))
    drawn *= numbers.sum() / drawn.sum(axis=1, keepdims=True)
    return Resampled(drawn, None, f"draws from the published 95 % intervals of the shares, {draws:,} draws")


def estimate_divergences(
    p: Counts,
    q: Counts,
    labels: Sequence[str],
    *,
    resampled_p: Resampled | None,
    resampled_q: Resampled | None = None,
    smoothing: float | None = None,
    names: tuple[str, str] = NAMES,
) -> EstimatedDivergences:
    """The divergences of the counts, with percentile intervals from their resampled counts (columns as `labels`).

    Without `resampled_p` there is no interval; without `resampled_q` Q is held fixed. Resamples in which a divergence
    is infinite are named in the method and left out; above 5 % of them there is no interval. Raises RequestError as
    `divergences` does.
    """
    values = divergences(p, q, smoothing=smoothing, names=names)
    sample = round(sum(p.values()))
    if resampled_p is None:
        clusters, replicates, method = 1, None, "none: one cluster, so there is nothing to resample"
    else:
        fixed = np.array([[q.get(label, 0) for label in labels]], dtype=np.float64)
        other = fixed if resampled_q is None else resampled_q.counts
        replicates = _all_three(_shares(resampled_p.counts, smoothing), _shares(other, smoothing))
        clusters = resampled_p.clusters
        method = "; ".join(
            f"{name}: {side.method if side else 'held fixed'}"
            for name, side in zip(names, (resampled_p, resampled_q), strict=True)
        )
    three = (values.forward, values.reverse, values.jensen_shannon)
    forward, reverse, middle = (
        _percentile(value, None if replicates is None else replicates[index], sample, clusters, method)
        for index, value in enumerate(three)
    )
    return EstimatedDivergences(forward, reverse, middle, _bias(values.forward, replicates))


def _paired(p: Counts, q: Counts, smoothing: float | None, names: tuple[str, str]) -> tuple[Floats, Floats, list[str]]:
    if smoothing is not None and not (math.isfinite(smoothing) and smoothing > 0):
        raise RequestError(f"smoothing {smoothing}: a number above 0 is needed, such as 0.5; leave it out for none")
    labels = list(dict.fromkeys([*p, *q]))
    arrays = []
    for name, counts in zip(names, (p, q), strict=True):
        array = np.array([counts.get(label, 0) for label in labels], dtype=np.float64)
        if not np.isfinite(array).all() or (array < 0).any():
            raise RequestError(f"{name}: a count or share is a number from 0 on, found {dict(counts)}")
        if not array.sum() > 0:
            raise RequestError(f"{name} has no counts at all, so there is nothing to compare")
        arrays.append(_shares(array[None], smoothing)[0])
    return arrays[0], arrays[1], labels


def _require_covered(p: Floats, q: Floats, labels: Sequence[str], names: Sequence[str]) -> None:
    first, second = names
    lacking = [label for label, own, other in zip(labels, p, q, strict=True) if own > 0 and other == 0]
    if lacking:
        raise RequestError(
            f"D({first}||{second}) is infinite: {second} has no {', '.join(lacking)}, which {first} has; "
            "give a smoothing constant, such as 0.5"
        )


def _shares(counts: Floats, smoothing: float | None) -> Floats:
    """Rows brought to a sum of 1; a row without any count becomes NaN."""
    raised = counts + (smoothing or 0.0)
    with np.errstate(invalid="ignore"):
        return raised / raised.sum(axis=1, keepdims=True)


def _all_three(p: Floats, q: Floats) -> tuple[Floats, Floats, Floats]:
    middle = (p + q) / 2
    return _directed(p, q), _directed(q, p), (_directed(p, middle) + _directed(q, middle)) / 2


def _directed(p: Floats, q: Floats) -> Floats:
    """D(P||Q) of each row; infinite where Q lacks what P has, never below 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p == 0, 0.0, p * np.log(p / q))
    return np.maximum(terms.sum(axis=1), 0.0)


def _log_odds(shares: Floats) -> Floats:
    return np.log(shares / (1 - shares))


def _percentile(value: float, replicates: Floats | None, n: int, clusters: int | None, method: str) -> Estimate:
    if replicates is None:
        return Estimate(value, None, None, None, n, clusters, method)
    defined = replicates[np.isfinite(replicates)]
    infinite = replicates.size - defined.size
    if infinite:
        method += f", {infinite:,} infinite"
    if infinite > MOST_UNDEFINED * replicates.size:
        return Estimate(value, None, None, None, n, clusters, f"{method}; none: too many infinite")
    low, high = np.quantile(defined, [0.025, 0.975])
    return Estimate(value, float(defined.std(ddof=1)), float(low), float(high), n, clusters, method)


def _bias(value: float, replicates: tuple[Floats, Floats, Floats] | None) -> float | None:
    if replicates is None:
        return None
    defined = replicates[0][np.isfinite(replicates[0])]
    return float(defined.mean()) - value if defined.size else None
