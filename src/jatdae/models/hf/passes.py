"""Forward passes over packs: what is fed, what is kept between them, what is read. `scoring` decides which and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from jatdae.models.hf.attention import bundles, kind_mask, tree_attention
from jatdae.models.hf.compat import Forward, MaskPlan, crop, new_cache, tree_mask
from jatdae.models.hf.head import Head, Measured
from jatdae.models.hf.kernels import Kernels
from jatdae.models.hf.planning import Ids, Pack, Tree, Work, common_length, grow_tree, token_ids

PREFIX_CHUNK = 512
HEAD_CHUNK = 128
Path = Literal["tree", "packed", "plain"]
"""Packs with attention in pieces, packs with a 4D mask, or padded batches."""


@dataclass(frozen=True, slots=True)
class Reading:
    """For each pair of a work, in order: the target's log-probability (float64), and whether it was the most likely."""

    log_probabilities: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.bool_]


class Passes:
    """Runs packs through one model. `head` is its output head where that may be called apart, else None.

    The cache holds the prefix of the last pack; `forget` frees it. `computed_tokens` counts all that was fed.
    """

    def __init__(self, forward: Forward, masks: MaskPlan | None, kernels: Kernels, head: Head | None) -> None:
        self.forward, self.kernels, self.head = forward, kernels, head
        self.masks = masks or MaskPlan((), None)
        self.computed_tokens = 0
        self._cached = token_ids(())
        self._cache: Any = None

    def run(self, pack: Pack, works: list[Work], path: Path, budget: int) -> list[Reading]:
        """What the works of one pack ask for. No pass over the prefix is longer than `budget`."""
        with torch.inference_mode(), self.kernels.applied():
            return self._run_padded(works) if path == "plain" else self._run_packed(pack, works, path, budget)

    def forget(self) -> None:
        """Free the cache."""
        self._cache, self._cached = None, token_ids(())

    def _run_packed(self, pack: Pack, works: list[Work], path: Path, budget: int) -> list[Reading]:
        self._fill(pack.prefix, path, min(PREFIX_CHUNK, budget))
        depth = len(pack.prefix)
        tree = grow_tree([work.ids for work in works], depth)
        nodes = [path[[row - depth for row, _ in work.pairs]] for work, path in zip(works, tree.paths, strict=True)]
        rows, places = np.unique(np.concatenate(nodes), return_inverse=True)
        targets = np.array([target for work in works for _, target in work.pairs])
        output, head = self._pass(tree, depth, path, rows, keep=False), self._apart(path)
        measured = head.measure(output, places, targets) if head else _measure(output, places, targets)
        return _divide(measured, works)

    def _apart(self, path: Path) -> Head | None:
        return self.head if path == "tree" else None

    def _fill(self, prefix: Ids, path: Path, chunk: int) -> None:
        """Bring the cache to exactly this prefix, from what it already holds."""
        shared = common_length(prefix, self._cached)
        if shared == 0:
            self.forget()
        else:
            crop(self._cache, len(self._cached) - shared)
            self._cached = prefix[:shared]
        for start in range(shared, len(prefix), chunk):
            end = min(start + chunk, len(prefix))
            self._pass(grow_tree([prefix[:end]], start), start, path, np.zeros(1, np.int64), keep=True)
            self._cached = prefix[:end]

    def _pass(self, tree: Tree, depth: int, path: Path, rows: npt.NDArray[np.int64], *, keep: bool) -> torch.Tensor:
        """Logits at `rows`, or the states before the head where that is called apart."""
        device = self.forward.device
        positions = torch.from_numpy(tree.positions).to(device)
        if keep and self._cache is None:
            self._cache = new_cache()
        tokens, wanted = torch.from_numpy(tree.tokens).to(device), torch.from_numpy(rows).to(device)
        call = self.forward.states if self._apart(path) else self.forward.tree
        with self._masked(tree, positions, depth, path) as mask:
            output = call(tokens, positions, mask, self._cache, wanted)
        self.computed_tokens += len(tree.tokens)
        if not keep and self._cache is not None:
            crop(self._cache, len(tree.tokens))
        return output

    @contextmanager
    def _masked(self, tree: Tree, positions: torch.Tensor, depth: int, path: Path) -> Iterator[Any]:
        """What the model is given as its attention mask."""
        if path == "packed":
            allowed = torch.from_numpy(tree.allowed).to(positions.device)
            yield tree_mask(self.masks, allowed, positions, depth, self.forward.dtype)
            return
        kinds = self.masks.kinds or ("",)
        windows = [None if kind == "full_attention" else self.masks.window for kind in kinds]
        made = {window: bundles(tree, depth, window) for window in set(windows)}
        numbered = {kind: kind_mask(number) for number, kind in enumerate(kinds)}
        with tree_attention(self.forward.model.config, [made[w] for w in windows], self.kernels.multiply):
            yield numbered if self.masks.kinds else numbered[""]

    def _run_padded(self, works: list[Work]) -> list[Reading]:
        """Padding stands on the right, where a causal model cannot see it: no mask and no positions are needed."""
        longest = max(len(work.ids) for work in works)
        padded = [[*work.ids.tolist(), *[0] * (longest - len(work.ids))] for work in works]
        ids = torch.tensor(padded, device=self.forward.device)
        rows = sorted({row for work in works for row, _ in work.pairs})
        logits = self.forward.logits(ids, torch.tensor(rows, device=ids.device)).flatten(0, 1)
        self.computed_tokens += ids.numel()
        column = {row: k for k, row in enumerate(rows)}
        places = np.array([i * len(rows) + column[row] for i, work in enumerate(works) for row, _ in work.pairs])
        targets = np.array([target for work in works for _, target in work.pairs])
        return _divide(_measure(logits, places, targets), works)


def _measure(logits: torch.Tensor, places: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]) -> Measured:
    """Log-probability and greedy flag of each (row of logits, target): logit minus log-sum-exp, in pieces of rows."""
    pieces = [piece if piece.dtype == torch.float64 else piece.float() for piece in logits.split(HEAD_CHUNK)]
    norms = torch.cat([torch.logsumexp(piece, dim=-1) for piece in pieces])
    best = torch.cat([piece.argmax(dim=-1) for piece in pieces])
    row, target = torch.from_numpy(places).to(logits.device), torch.from_numpy(targets).to(logits.device)
    log_probabilities = logits[row, target].double() - norms[row].double()
    return log_probabilities.cpu().numpy(), (best[row] == target).cpu().numpy()


def _divide(measured: Measured, works: Sequence[Work]) -> list[Reading]:
    log_probabilities, greedy = measured
    edges = np.cumsum([len(work.pairs) for work in works])[:-1]
    parts = zip(np.split(log_probabilities, edges), np.split(greedy, edges), strict=True)
    return [Reading(values, flags) for values, flags in parts]
