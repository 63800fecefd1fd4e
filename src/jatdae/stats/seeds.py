"""The mean over few-shot seeds, when every item was asked once with every seed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jatdae.stats.clusters import (
    FEW_CLUSTERS,
    Clusters,
    Codes,
    Floats,
    Table,
    displayed_stderr,
    finite,
    is_binary,
    negligible,
    shared_codes,
)
from jatdae.stats.intervals import Z, around, effective_items, mean, proportion, score_interval, t_quantile
from jatdae.types import Estimate


def crossed_seeds(table: Table, clusters: Clusters | None = None) -> Estimate:
    """The mean of an items x seeds table, in which seeds are a sample too and an item asked k times is one item.

    stderr = sqrt(max(MS_items, MS_items + MS_seeds - MS_rest) / (n k)), mean squares from the two-way ANOVA. With
    clusters (one label a row) every row keeps its weight, and the item and the rest part become cluster-robust:
    averaging the rows of a cluster first would change the number that is estimated wherever clusters differ in size.
    With one row a cluster this is the formula above.

    Interval: 0/1 tables get Wilson's at the effective n that the stderr implies, others a t interval. Where seeds add
    variance the quantile is t with Satterthwaite's degrees, as k seeds tell k - 1 things about it.
    One column: `proportion` (0/1) or `mean`. One row, one cluster, or no error to be seen in a table that is not 0/1:
    neither stderr nor interval. `n` counts items, not cells. Raises ValueError on empty, ragged or non-finite tables.
    """
    cells = finite(table, "table of items x seeds", dimensions=2)
    n, seeds = cells.shape
    binary = is_binary(cells)
    if seeds == 1:
        return (proportion if binary else mean)(cells[:, 0], clusters)
    name, value = f"crossed, {seeds} seeds", float(cells.mean())
    codes, count = shared_codes(clusters, n)
    if n == 1 or count == 1:
        return Estimate(value, None, None, None, n, count, f"{name}; none: one {'item' if n == 1 else 'cluster'}")
    parts = _variance(cells, codes)
    error, quantile = math.sqrt(parts.total), _quantile(parts, n, seeds, codes, binary)
    if binary:
        widest = max(parts.total, _variance(cells, None).total)  # as in `proportion`: clusters never narrow it
        low, high = score_interval(value, effective_items(value, widest, n, codes, repeats=seeds), quantile)
        return Estimate(value, error, low, high, n, count, f"{name}, Wilson at effective n")
    if negligible(error, cells):
        return Estimate(value, None, None, None, n, count, f"{name}; none: no spread")
    low, high = around(value, quantile * error, None)
    return Estimate(value, error, low, high, n, count, f"{name}, t")


def seed_spread(table: Table) -> tuple[tuple[float, ...], float | None]:
    """The mean of each seed, in column order, and their standard deviation (None for one seed).

    Show both beside the estimate, but never the deviation of three seeds as an interval. Raises ValueError as
    `crossed_seeds` does.
    """
    means = finite(table, "table of items x seeds", dimensions=2).mean(axis=0)
    return tuple(means.tolist()), float(means.std(ddof=1)) if means.size > 1 else None


@dataclass(frozen=True, slots=True)
class _Parts:
    """Variances of the grand mean: of its items; of its seeds as seen; and what items alone bring into the latter."""

    items: float
    seeds: float
    rest: float

    @property
    def added(self) -> float:
        """What seeds add beyond items; 0 where the difference is only rounding."""
        added = self.seeds - self.rest
        return added if added > 1e-12 * (self.items + self.seeds) else 0.0

    @property
    def total(self) -> float:
        return self.items + self.added


def _variance(cells: Floats, codes: Codes | None) -> _Parts:
    """In terms of the ANOVA: items is MS_items / nk, seeds is MS_seeds / nk, rest is MS_rest / nk."""
    n, seeds = cells.shape
    rows, columns = cells.mean(axis=1), cells.mean(axis=0)
    left = cells - rows[:, None] - columns[None, :] + cells.mean()
    if codes is None:
        sums, units = left, n
    else:
        units = int(codes.max()) + 1
        sums = np.stack([np.bincount(codes, weights=column) for column in left.T], axis=1)
    rest = units / (units - 1) * float(np.square(sums).sum()) / ((seeds - 1) * n**2)
    items = displayed_stderr(rows, codes) or 0.0
    return _Parts(items**2, float(columns.var(ddof=1)) / seeds, rest / seeds)


def _quantile(parts: _Parts, n: int, seeds: int, codes: Codes | None, binary: bool) -> float:
    units = n if codes is None else int(codes.max()) + 1
    if parts.added == 0:
        return Z if binary and (codes is None or units >= FEW_CLUSTERS) else t_quantile(units - 1)
    spread = parts.items**2 / (units - 1) + parts.seeds**2 / (seeds - 1) + parts.rest**2 / ((units - 1) * (seeds - 1))
    # The subtraction can push Satterthwaite's degrees below those of every part; no part knows less than this.
    return t_quantile(max(parts.total**2 / spread, min(units, seeds) - 1))
