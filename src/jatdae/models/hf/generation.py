"""Text generation in batches, with the beginning that prompts share computed once.

The loop is our own because a checkpoint's generation settings (top-k, repetition penalty, temperature) would otherwise
slip into a measurement.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from jatdae.errors import RequestFailed
from jatdae.models.hf.compat import Forward, crop, keep_rows, repeat
from jatdae.models.hf.continuation import Job, Row, Stops, generator_for
from jatdae.models.hf.memory import OutOfMemoryError, memory_errors
from jatdae.models.hf.planning import Ids, common_length, sort_key, token_ids
from jatdae.types import Completion

Outcome = tuple[int, Completion | RequestFailed]

SHARED_LEAST = 32
"""A shared beginning shorter than this is not worth a forward pass of its own."""
SHARED_PART = 0.3
"""Prompts are put in order of their text, not of their length, if so much of them repeats their neighbour."""


class Generator:
    """Continues prompts with one model.

    `batched` says that the model takes a padded batch and a cache; `shares`, that its layers see all that came before,
    so that a beginning may be computed once for many prompts.
    """

    def __init__(
        self,
        forward: Forward,
        tokenizer: Any,
        *,
        end_tokens: frozenset[int],
        budget: int,
        batched: bool,
        shares: bool,
        note: Callable[[str], None],
    ) -> None:
        self.forward, self.tokenizer, self.end_tokens = forward, tokenizer, end_tokens
        self.budget, self.batched, self.shares, self.note = budget, batched, batched and shares, note
        self._prefix = token_ids(())
        self._prefix_cache: Any = None

    def run(self, jobs: Sequence[Job]) -> Iterator[list[Outcome]]:
        """Yield completions batch by batch. Memory that runs out halves the batch."""
        waiting = self._batches(jobs, _order(jobs, by_text=self.shares))
        while waiting:
            batch = waiting.pop(0)
            try:
                with memory_errors(), torch.inference_mode():
                    outcomes: list[Outcome] = self._finish([self._row(i, jobs[i]) for i in batch])
            except OutOfMemoryError:
                self._forget()
                if len(batch) > 1:
                    self.note(f"memory ran out; generating {len(batch) // 2} texts at a time")
                    self.budget = max(1, _size(jobs, batch) // 2)
                    waiting = self._batches(jobs, [*batch, *itertools.chain.from_iterable(waiting)])
                    continue
                outcomes = [(batch[0], RequestFailed("memory ran out for this prompt alone", kind="memory"))]
            yield outcomes
        self._forget()

    def _batches(self, jobs: Sequence[Job], order: Sequence[int]) -> list[list[int]]:
        """Neighbours in `order`, as many as the budget allows when each is padded to the longest."""
        batches: list[list[int]] = []
        for index in order:
            if self.batched and batches and _size(jobs, [*batches[-1], index]) <= self.budget:
                batches[-1].append(index)
            else:
                batches.append([index])
        return batches

    def _row(self, index: int, job: Job) -> Row:
        return Row(index, job, Stops(self.tokenizer, job.sampling.stop, self.end_tokens), generator_for(job))

    def _finish(self, rows: list[Row]) -> list[Outcome]:
        """Run a batch to its end. Rows that are done leave it, so that they cost no more."""
        shared, cache = self._shared_beginning(rows)
        ids, mask, positions = _pad_left([row.job.prompt.ids for row in rows], shared, self.forward.device)
        active = list(rows)
        while active:
            # A batch of one has no padding: a model that takes no mask or positions is run as its authors meant.
            guide = (mask, positions) if self.batched else (None, None)
            logits, cache = self.forward.step(ids, cache, *guide)
            for row, best, line in zip(active, logits.argmax(-1).tolist(), logits, strict=True):
                row.take(row.choose(best, line))
            stay = [k for k, row in enumerate(active) if not row.done]
            if not stay:
                break
            if len(stay) < len(active):
                active = [active[k] for k in stay]
                chosen = torch.tensor(stay, device=ids.device)
                ids, mask, positions = ids[chosen], mask[chosen], positions[chosen]
                if cache is not None:
                    keep_rows(cache, chosen)
            newest = torch.tensor([[row.tokens[-1]] for row in active], device=ids.device)
            ids = newest if cache is not None else torch.cat((ids, newest), dim=1)
            mask = torch.cat((mask, torch.ones_like(newest)), dim=1)
            positions = positions[:, -1:] + 1
        return [(row.index, row.completion()) for row in rows]

    def _shared_beginning(self, rows: list[Row]) -> tuple[int, Any]:
        """How many ids all rows begin with, and a cache of them with a line a row; (0, None) where it does not pay."""
        prompts = [row.job.prompt.ids for row in rows]
        shared = min(min(common_length(prompts[0], other) for other in prompts), min(map(len, prompts)) - 1)
        known = min(common_length(self._prefix, prompts[0]), shared)
        if not self.shares or shared < SHARED_LEAST or (len(rows) == 1 and known < SHARED_LEAST):
            return 0, None
        if known >= shared // 2:
            crop(self._prefix_cache, len(self._prefix) - known)
            self._prefix = self._prefix[:known]
        else:
            self._forget()
            beginning = torch.tensor([prompts[0][:shared].tolist()]).to(self.forward.device)
            _, self._prefix_cache = self.forward.step(beginning, None, None, None)
            self._prefix = prompts[0][:shared]
        cache = copy.deepcopy(self._prefix_cache)
        repeat(cache, len(rows))
        return len(self._prefix), cache

    def _forget(self) -> None:
        self._prefix, self._prefix_cache = token_ids(()), None


def _size(jobs: Sequence[Job], batch: Sequence[int]) -> int:
    return len(batch) * max(len(jobs[i].prompt.ids) + jobs[i].sampling.max_tokens for i in batch)


def _order(jobs: Sequence[Job], *, by_text: bool) -> list[int]:
    """Longest first; or by the prompts' ids, where neighbours share so much that computing it once pays more."""
    ids = [job.prompt.ids for job in jobs]
    in_text_order = sorted(range(len(jobs)), key=lambda i: (sort_key(ids[i]), i))
    repeated = sum(common_length(ids[a], ids[b]) for a, b in itertools.pairwise(in_text_order))
    if by_text and repeated > SHARED_PART * sum(map(len, ids)):
        return in_text_order
    return sorted(range(len(jobs)), key=lambda i: (-len(ids[i]), -jobs[i].sampling.max_tokens, i))


def _pad_left(
    prompts: Sequence[Ids], shared: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids after the shared ones, padded on the left; the mask over cache and ids; and the ids' true positions."""
    width = max(map(len, prompts)) - shared
    pads = torch.tensor([width + shared - len(prompt) for prompt in prompts], device=device)[:, None]
    padded = [[0] * (width + shared - len(prompt)) + prompt[shared:].tolist() for prompt in prompts]
    places = torch.arange(width, device=device)[None]
    seen = (places >= pads).long()
    positions = (shared + places - pads).clamp(min=0)
    return torch.tensor(padded, device=device), torch.cat((seen.new_ones(len(prompts), shared), seen), dim=1), positions
