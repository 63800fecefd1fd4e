"""A corpus' distribution against a benchmark's: shares side by side, divergences with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.errors import RequestError
from jatdae.negation.alignment.conventions import CLASSES, CONVENTIONS, Convention, comparable, count_items
from jatdae.negation.alignment.labels import ItemLabels
from jatdae.negation.alignment.reference import Intervals
from jatdae.negation.distribution import Distribution, Kind
from jatdae.stats.bootstrap import seed_from
from jatdae.stats.clusters import Floats
from jatdae.stats.divergence import (
    DRAWS,
    EstimatedDivergences,
    Resampled,
    estimate_divergences,
    resample_clusters,
    resample_within,
)

SEED = 2025


@dataclass(frozen=True, slots=True)
class Share:
    """One class: how often the corpus and the benchmark have it, and which share of each that is."""

    label: str
    corpus_count: int
    benchmark_count: int
    corpus: float
    benchmark: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """P is the corpus, Q the benchmark, counted as `convention` says in words. Divergences are in nats."""

    kind: Kind
    corpus: str
    convention: str
    shares: tuple[Share, ...]
    divergences: EstimatedDivergences
    smoothing: float | None


def present_counts(distribution: Distribution, kind: Kind) -> dict[str, int]:
    """Occurrences of the classes that are compared, in their order, 0 included."""
    counts = dict.fromkeys(CLASSES[kind], 0)
    for label, count in distribution.totals(kind).items():
        if comparable(label) in counts:
            counts[comparable(label)] += count
    return counts


def class_counts(distribution: Distribution, kind: Kind) -> dict[str, int]:
    """As `present_counts`. Raises RequestError where all of them are 0."""
    counts = present_counts(distribution, kind)
    if not any(counts.values()):
        raise RequestError(
            f"{distribution.name}: none of the {kind} of negation that are compared ({', '.join(counts)}) was counted"
        )
    return counts


def compare_all(
    corpus: Distribution,
    items: Sequence[ItemLabels],
    *,
    intervals: Intervals | None = None,
    smoothing: float | None = None,
) -> dict[str, Comparison]:
    """A benchmark's items against a corpus by each convention that the corpus has counts for, in the published order.

    Raises RequestError as `compare` does, and for a corpus without any counts.
    """
    ways = counted_ways(corpus, CONVENTIONS.values())
    if not ways:
        raise RequestError(f"{corpus.name}: no negation was counted in it, so there is nothing to compare")
    return {
        way.name: compare(corpus, count_items(items, way), way.kind, intervals=intervals, smoothing=smoothing)
        for way in ways
    }


def counted_ways(corpus: Distribution, conventions: Iterable[Convention]) -> list[Convention]:
    """The conventions of the classifications that the corpus has counts for; one by surface rules has no clauses."""
    return [convention for convention in conventions if any(present_counts(corpus, convention.kind).values())]


def compare(
    corpus: Distribution,
    benchmark: Distribution,
    kind: Kind,
    *,
    intervals: Intervals | None = None,
    smoothing: float | None = None,
    seed: int = SEED,
    draws: int = DRAWS,
) -> Comparison:
    """A benchmark's types or clauses against a corpus'.

    Both are resampled by their clusters; the corpus is drawn from its published `intervals` instead where they are
    given. Raises RequestError for a class that one side lacks while no smoothing is given.
    """
    p, q = class_counts(corpus, kind), class_counts(benchmark, kind)
    seeds = [seed_from(str(seed), kind, side) for side in ("corpus", "benchmark")]
    estimated = estimate_divergences(
        p,
        q,
        CLASSES[kind],
        resampled_p=_resampled_corpus(corpus, kind, intervals, seed=seeds[0], draws=draws),
        resampled_q=resample_clusters(cluster_table(benchmark, kind), seed=seeds[1], draws=draws),
        smoothing=smoothing,
        names=("corpus", benchmark.name),
    )
    total_p, total_q = sum(p.values()), sum(q.values())
    shares = tuple(Share(label, p[label], q[label], p[label] / total_p, q[label] / total_q) for label in p)
    return Comparison(kind, corpus.name, benchmark.convention, shares, estimated, smoothing)


def cluster_table(distribution: Distribution, kind: Kind) -> Floats:
    """Counts of the compared classes: clusters x classes."""
    column = {label: index for index, label in enumerate(CLASSES[kind])}
    table = np.zeros((len(distribution.clusters), len(column)))
    for row, cluster in enumerate(distribution.clusters):
        for label, count in cluster.counts(kind).items():
            if comparable(label) in column:
                table[row, column[comparable(label)]] += count
    return table


def _resampled_corpus(
    corpus: Distribution, kind: Kind, intervals: Intervals | None, *, seed: int, draws: int
) -> Resampled | None:
    if intervals is not None:
        return resample_within(list(class_counts(corpus, kind).values()), intervals[kind], seed=seed, draws=draws)
    return resample_clusters(cluster_table(corpus, kind), seed=seed, draws=draws)
