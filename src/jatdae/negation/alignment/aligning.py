"""The whole of an alignment: a corpus and a benchmark compared, what to write next, and what was selected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jatdae.negation.alignment.comparison import Comparison, class_counts, compare_all, counted_ways, present_counts
from jatdae.negation.alignment.conventions import CONVENTIONS, count_items
from jatdae.negation.alignment.labels import ItemLabels
from jatdae.negation.alignment.quotas import NextItems, next_items
from jatdae.negation.alignment.reference import Intervals
from jatdae.negation.alignment.selection import STEERED, Selection, select
from jatdae.negation.distribution import Distribution
from jatdae.stats import kl_divergence


@dataclass(frozen=True, slots=True)
class Selected:
    """A selection with D(corpus||items) in nats by convention for the pool and for the chosen; None is infinite."""

    selection: Selection
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Alignment:
    """A benchmark's items against a corpus, by the name of the convention; `next` is to be written.

    `next` and the selection are steered by SN+LN and (c); `next` is None where the corpus lacks types or clauses.
    """

    corpus: Distribution
    items: int
    comparisons: Mapping[str, Comparison]
    next: NextItems | None
    selected: Selected | None


def align(
    corpus: Distribution,
    items: Sequence[ItemLabels],
    *,
    intervals: Intervals | None = None,
    smoothing: float | None = None,
    count: int | None = None,
) -> Alignment:
    """Compare a benchmark with a corpus and, with `count`, select that many of its items. Raises RequestError."""
    comparisons = compare_all(corpus, items, intervals=intervals, smoothing=smoothing)
    steered = counted_ways(corpus, STEERED)
    upcoming = next_items(count_items(items, *steered), corpus) if len(steered) == len(STEERED) else None
    selected = select_and_measure(corpus, items, count, smoothing=smoothing) if count is not None else None
    return Alignment(corpus, len(items), comparisons, upcoming, selected)


def select_and_measure(
    corpus: Distribution, pool: Sequence[ItemLabels], count: int, *, smoothing: float | None = None
) -> Selected:
    """Select the items nearest to the corpus by SN+LN and (c), and measure pool and choice by all conventions."""
    selection = select(pool, corpus, count, conventions=counted_ways(corpus, STEERED))
    ids = set(selection.ids)
    chosen = [item for item in pool if item.idx in ids]
    return Selected(selection, _divergences(corpus, pool, smoothing), _divergences(corpus, chosen, smoothing))


def _divergences(corpus: Distribution, items: Sequence[ItemLabels], smoothing: float | None) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for convention in counted_ways(corpus, CONVENTIONS.values()):
        p, q = class_counts(corpus, convention.kind), present_counts(count_items(items, convention), convention.kind)
        raised = any(q.values()) or smoothing
        value = kl_divergence(list(p.values()), list(q.values()), pseudocount=smoothing or 0.0) if raised else math.inf
        found[convention.name] = value if math.isfinite(value) else None
    return found
