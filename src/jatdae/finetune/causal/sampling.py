"""In which order items are learned: whole batches only, shuffled anew for every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler


class StepSampler(Sampler[int]):
    """So many whole batches an epoch; what is left over is dropped, and is another part every epoch.

    Within a batch rows are sorted by length, so that micro-batches hold little padding; a step sums over the whole
    batch, so that this changes rounding only. The order is a function of seed and epoch, not of torch's random state:
    a resumed run sees the same batches.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self.lengths, self.batch, self.seed = lengths, batch, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.lengths) // self.batch * self.batch

    def __iter__(self) -> Iterator[int]:
        random = torch.Generator().manual_seed(1_000_003 * self.seed + self.epoch)
        order = torch.randperm(len(self.lengths), generator=random).tolist()
        for start in range(0, len(self), self.batch):
            yield from sorted(order[start : start + self.batch], key=lambda place: self.lengths[place])
