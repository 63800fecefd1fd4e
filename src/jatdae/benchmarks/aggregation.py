"""From samples to estimates: which values enter, which items belong together, and what several seeds mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jatdae.stats import crossed_seeds, proportion
from jatdae.types import Estimate, Outcome, Sample


def estimate(samples: Sequence[Sample], metric: str) -> Estimate:
    """The mean of a metric over items, with its interval.

    Failed samples (no scores) are left out. One seed: a proportion, clustered when any sample names a cluster. Several
    seeds: items crossed with seeds; an item that failed under one of them is left out, as the table must be whole.
    `n` counts items. Raises ValueError when nothing was measured, or when an item appears twice under one seed.
    """
    measured = [sample for sample in samples if sample.scores]
    if not measured:
        raise ValueError(f"no sample has a value for {metric!r}: every item failed")
    return _over_items(measured, lambda sample: sample.scores[metric])


def rate(samples: Sequence[Sample], outcome: Outcome) -> Estimate:
    """The share of an outcome over items, failed ones included; seeds and clusters as in `estimate`."""
    return _over_items(samples, lambda sample: float(sample.outcome is outcome))


def _over_items(samples: Sequence[Sample], value: Callable[[Sample], float]) -> Estimate:
    seeds = list(dict.fromkeys(sample.seed for sample in samples))
    rows: dict[str, dict[int | None, Sample]] = {}
    for sample in samples:
        row = rows.setdefault(sample.item, {})
        if sample.seed in row:
            raise ValueError(f"item {sample.item!r} has two samples under seed {sample.seed}")
        row[sample.seed] = sample
    whole = [row for row in rows.values() if len(row) == len(seeds)]
    if not whole:
        raise ValueError(f"no item was measured under all of the seeds {seeds}")
    labels = [row[seeds[0]].cluster for row in whole]
    clusters = labels if any(labels) else None
    table = [[value(row[seed]) for seed in seeds] for row in whole]
    if len(seeds) == 1:
        return proportion([row[0] for row in table], clusters)
    return crossed_seeds(np.array(table), clusters)


def per_seed(samples: Sequence[Sample], metric: str) -> dict[str, Estimate]:
    """The estimate of each seed alone, in ascending order of the seeds; failed samples are left out."""
    measured = [sample for sample in samples if sample.scores]
    seeds = sorted({sample.seed for sample in measured}, key=lambda seed: (seed is not None, seed or 0))
    return {str(seed): estimate([sample for sample in measured if sample.seed == seed], metric) for seed in seeds}
