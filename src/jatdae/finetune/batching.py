"""Rows of like length in one batch, so that little is padding; the order depends on seed and epoch alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Dataset, Sampler

from jatdae.finetune.recipe import Feature

POOL = 50
"""So many batches are drawn at random before their rows are sorted by length: what keeps batches various."""


class Rows(Dataset[Feature]):
    """Features as a data set of torch."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = features

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, index: int) -> Feature:
        return self.features[index]


class BucketSampler(Sampler[int]):
    """All rows once an epoch, such that every run of `batch` rows is of like length and the runs come in random order.

    The order is a function of seed and epoch, not of torch's random state, so that a resumed run sees the same batches.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self.lengths, self.batch, self.seed = lengths, batch, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[int]:
        random = torch.Generator().manual_seed(1_000_003 * self.seed + self.epoch)
        order = torch.randperm(len(self.lengths), generator=random).tolist()
        size = self.batch * POOL
        runs = [run for start in range(0, len(order), size) for run in self._runs(order[start : start + size])]
        last = [runs.pop()] if len(runs[-1]) < self.batch else []
        places = torch.randperm(len(runs), generator=random).tolist()
        return iter([index for run in (*(runs[place] for place in places), *last) for index in run])

    def _runs(self, pool: list[int]) -> list[list[int]]:
        pool = sorted(pool, key=lambda index: self.lengths[index])
        # the longest rows are dropped into the incomplete run, which is the cheapest place for them
        return [pool[start : start + self.batch] for start in range(0, len(pool), self.batch)]


def batches_by_length(features: Sequence[Feature], size: int) -> Iterator[list[int]]:
    """Places of the features in batches of like length, the longest first, so that a lack of memory shows at once."""
    order = sorted(range(len(features)), key=lambda place: -features[place].length)
    for start in range(0, len(order), size):
        yield order[start : start + size]
