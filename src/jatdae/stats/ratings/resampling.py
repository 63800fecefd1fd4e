"""Points of every pair by item, so that a resample of items is a product of matrices and no loop over games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.ratings.games import Columns

CELLS = 2_000_000
"""Largest number of cells of win matrices that are fitted at once: 16 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemTables:
    """For each track, the numbers of its items and a sparse table: one row an item, one column a (judge, a, b) cell."""

    items: int
    shape: tuple[int, int, int]
    by_track: tuple[tuple[Codes, Any], ...]

    def totals(self, counts: Floats) -> Floats:
        """Win matrices when item i counts `counts[.., i]` times; shape (draws, tracks, judges, models, models)."""
        drawn = [
            np.asarray((table.T @ counts[:, items].T).T).reshape(len(counts), *self.shape)
            for items, table in self.by_track
        ]
        return np.stack(drawn, axis=1)

    def resamples(self, draws: int, random: np.random.Generator) -> Iterator[Floats]:
        """How often each item is drawn, in slices of resamples whose win matrices fit into bounded memory."""
        width = max(self.items, len(self.by_track) * int(np.prod(self.shape)))
        chunk = max(1, CELLS // width)
        for start in range(0, draws, chunk):
            size = min(chunk, draws - start)
            drawn = random.integers(0, self.items, (size, self.items)) + self.items * np.arange(size)[:, None]
            yield np.bincount(drawn.ravel(), minlength=size * self.items).reshape(size, -1).astype(np.float64)


def item_tables(games: Columns) -> ItemTables:
    """The points of the games by track, item, judge and pair."""
    from scipy.sparse import csr_matrix

    models = len(games.models)
    cell = (games.judge * models + games.first) * models + games.second
    back = (games.judge * models + games.second) * models + games.first
    tables = []
    for track in range(len(games.tracks)):
        rows = games.track == track
        items, row = np.unique(games.item[rows], return_inverse=True)
        weight, score = games.weight[rows], games.score[rows]
        points = np.concatenate([weight * score, weight * (1 - score)])
        table = csr_matrix(
            (points, (np.tile(row, 2), np.concatenate([cell[rows], back[rows]]))),
            shape=(items.size, len(games.judges) * models * models),
        )
        tables.append((items, table))
    return ItemTables(games.items, (len(games.judges), models, models), tuple(tables))


def equal_tracks(totals: Floats) -> Floats:
    """Win matrices of all tracks together, (draws, judges, models, models), each track with the same total weight.

    A judge's total stays what it is, and tracks without games do not count.
    """
    size = totals.sum(axis=(3, 4))
    present = (size > 0).sum(axis=1, keepdims=True)
    share = size.sum(axis=1, keepdims=True) / np.maximum(present, 1)
    factor = np.divide(share, size, out=np.zeros_like(size), where=size > 0)
    return (totals * factor[..., None, None]).sum(axis=1)


def rank_ranges(values: Floats, middle: Sequence[float] = (0.025, 0.975)) -> list[tuple[int, int] | None]:
    """Each column's range of ranks (1 is the highest) over the rows; NaN is out of its row. None without any rank."""
    ranks = np.full(values.shape, np.nan)
    for at in range(values.shape[1]):
        here = np.isfinite(values[:, at])
        ranks[here, at] = 1 + (values[here] > values[here, at : at + 1]).sum(axis=1)
    ranges: list[tuple[int, int] | None] = []
    for column in ranks.T:
        defined = column[np.isfinite(column)]
        low, high = np.quantile(defined, middle, method="inverted_cdf") if defined.size else (np.nan, np.nan)
        ranges.append((int(low), int(high)) if defined.size else None)
    return ranges


def share_above(values: Floats, a: int, b: int) -> float | None:
    """In which share of the rows column `a` is above column `b`, equal ones counting half; None without any row."""
    gap = values[:, a] - values[:, b]
    gap = gap[np.isfinite(gap)]
    return float((gap > 0).mean() + 0.5 * (gap == 0).mean()) if gap.size else None
