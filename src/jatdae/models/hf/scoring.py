"""Log-probabilities of many sequences with as little computing as possible.

Works are planned into packs (`planning`); each runs as one forward pass whose attention mask lets a node see its
ancestors and the cached prefix only. What may be computed is checked, not assumed: before first use a short packed run
is compared with a plain one, and a model that answers differently is run the plain way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.hf.compat import Forward, MaskPlan, crop, new_cache, tree_mask
from jatdae.models.hf.planning import Ids, Pack, Tree, Work, common_length, grow_tree, plan, plan_padded, token_ids

PREFIX_CHUNK = 512
HEAD_CHUNK = 128
LOGIT_BYTES = 512 * 2**20
"""Most memory that one pass may take for logits; a vocabulary of 262,144 in float32 gets 512 rows."""
SMALLEST_BUDGET = 16
TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-6}
COARSE_TOLERANCE = 0.5
UNSUPPORTED = (RuntimeError, ValueError, TypeError, AttributeError, KeyError, IndexError, NotImplementedError)
"""What models raise that know no 4D mask or no cache of this kind."""

Path = str


@dataclass(frozen=True, slots=True)
class Reading:
    """For each pair of a work, in order: the target's log-probability (float64), and whether it was the most likely."""

    log_probabilities: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.bool_]


Outcome = tuple[int, Reading | RequestFailed]


class OutOfMemoryError(Exception):
    """A forward pass did not fit the memory; it can be tried again with less in it."""


@contextmanager
def memory_errors() -> Iterator[None]:
    """Turn the several ways in which memory runs out into OutOfMemoryError."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryError from error
    except RuntimeError as error:
        text = str(error).lower()
        if "out of memory" in text or "can't allocate" in text or "not enough memory" in text:
            raise OutOfMemoryError from error
        raise


class Scorer:
    """Reads works with one model. `path` is `packed` or `plain`, None until it has been chosen."""

    def __init__(
        self, forward: Forward, masks: MaskPlan | None, *, vocabulary: int, budget: int, note: Callable[[str], None]
    ) -> None:
        self.forward, self.masks, self.vocabulary, self.budget, self.note = forward, masks, vocabulary, budget, note
        self.path: Path | None = None
        self.computed_tokens = 0
        self._cached = token_ids(())
        self._cache = None
        self._window_checked = masks is None or masks.window is None

    def read(self, works: Sequence[Work]) -> Iterator[list[Outcome]]:
        """Yield readings pack by pack. When memory runs out the packs are halved and the rest is planned anew."""
        if not works:
            return
        path = self.checked_path(max(len(work.ids) for work in works))
        left = dict.fromkeys(range(len(works)))
        while left:
            indices = list(left)
            try:
                for pack in self._plan([works[i] for i in indices], path):
                    members = [indices[k] for k in pack.members]
                    with memory_errors():
                        readings = self._run(pack, [works[i] for i in members], path)
                    for index in members:
                        del left[index]
                    yield list(zip(members, readings, strict=True))
            except OutOfMemoryError:
                self._forget()
                if not self._halve():
                    failed = RequestFailed("memory ran out even for the smallest batch", kind="memory")
                    yield [(index, failed) for index in left]
                    return
        self._forget()

    def _plan(self, works: list[Work], path: Path) -> list[Pack]:
        if path == "plain":
            return plan_padded(works, budget=self.budget)
        rows = max(1, LOGIT_BYTES // (4 * self.vocabulary))
        return plan(works, budget=self.budget, row_limit=rows)

    def _run(self, pack: Pack, works: list[Work], path: Path) -> list[Reading]:
        with torch.inference_mode():
            return self._run_padded(works) if path == "plain" else self._run_packed(pack, works)

    def _run_packed(self, pack: Pack, works: list[Work]) -> list[Reading]:
        self._fill(pack.prefix)
        depth = len(pack.prefix)
        tree = grow_tree([work.ids for work in works], depth)
        nodes = [path[[row - depth for row, _ in work.pairs]] for work, path in zip(works, tree.paths, strict=True)]
        rows, places = np.unique(np.concatenate(nodes), return_inverse=True)
        targets = np.array([target for work in works for _, target in work.pairs])
        logits = self._pass(tree, depth, rows, keep=False)
        return _divide(*_measure(logits, places, targets), works)

    def _fill(self, prefix: Ids) -> None:
        """Bring the cache to exactly this prefix, from what it already holds."""
        shared = common_length(prefix, self._cached)
        if shared == 0:
            self._forget()
        else:
            crop(self._cache, len(self._cached) - shared)
            self._cached = prefix[:shared]
        chunk = min(PREFIX_CHUNK, self.budget)
        for start in range(shared, len(prefix), chunk):
            end = min(start + chunk, len(prefix))
            self._pass(grow_tree([prefix[:end]], start), start, np.zeros(1, np.int64), keep=True)
            self._cached = prefix[:end]

    def _pass(self, tree: Tree, depth: int, rows: npt.NDArray[np.int64], *, keep: bool) -> torch.Tensor:
        device = self.forward.device
        positions = torch.from_numpy(tree.positions).to(device)
        allowed = torch.from_numpy(tree.allowed).to(device)
        mask = tree_mask(self.masks or MaskPlan((), None), allowed, positions, depth, self.forward.dtype)
        if keep and self._cache is None:
            self._cache = new_cache()
        tokens, wanted = torch.from_numpy(tree.tokens).to(device), torch.from_numpy(rows).to(device)
        logits = self.forward.tree(tokens, positions, mask, self._cache, wanted)
        self.computed_tokens += len(tree.tokens)
        if not keep and self._cache is not None:
            crop(self._cache, len(tree.tokens))
        return logits

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
        return _divide(*_measure(logits, places, targets), works)

    def _forget(self) -> None:
        self._cache, self._cached = None, token_ids(())

    def _halve(self) -> bool:
        if self.budget <= SMALLEST_BUDGET:
            return False
        self.budget = max(SMALLEST_BUDGET, self.budget // 2)
        if self.forward.device.type == "cuda":
            torch.cuda.empty_cache()
        self.note(f"memory ran out; going on with batches of {self.budget} tokens")
        return True

    def checked_path(self, longest: int = 0) -> Path:
        """The path for sequences of this length, after a trial. Raises ModelError when even that exceeds the memory."""
        try:
            with memory_errors():
                return self._choose_path(longest)
        except OutOfMemoryError as error:
            raise ModelError("memory ran out in the model's first pass; use a smaller dtype or model") from error

    def _choose_path(self, longest: int) -> Path:
        """A sliding window is tested only when a sequence first exceeds it: that costs a pass of its length."""
        if self.path is None:
            self.path = self._test(24)
        window = self.masks.window if self.masks else None
        if self.path == "packed" and not self._window_checked and window is not None and longest > window:
            self.path, self._window_checked = self._test(window + 24), True
        return self.path

    def _test(self, length: int) -> Path:
        if self.masks is None:
            self.note("this model has layers that take no attention mask; scoring in plain batches")
            return "plain"
        works = _trial_works(length, self.vocabulary)
        packs = [Pack(works[0].ids[: length // 2], (0, 1)), Pack(works[0].ids[: length // 3], (2,))]
        plain = [self._run(Pack(token_ids(()), (k,)), [work], "plain")[0] for k, work in enumerate(works)]
        try:
            with memory_errors():
                packed = [r for pack in packs for r in self._run(pack, [works[k] for k in pack.members], "packed")]
        except UNSUPPORTED as error:
            self.note(f"packed scoring does not work with this model ({_first_line(error)}); scoring in plain batches")
            return "plain"
        finally:
            self._forget()
        gaps = [np.abs(a.log_probabilities - b.log_probabilities).max() for a, b in zip(plain, packed, strict=True)]
        if max(gaps) <= TOLERANCE.get(self.forward.dtype, COARSE_TOLERANCE):
            return "packed"
        self.note(f"packed and plain scores differ by {max(gaps):.2g} with this model; scoring in plain batches")
        return "plain"


def _trial_works(length: int, vocabulary: int) -> list[Work]:
    """Three sequences in trie order: two that part near the end, one that parts earlier."""
    ids = np.random.default_rng(0).integers(vocabulary, size=length).tolist()
    late, early = length - 4, length // 2
    tail = [(ids[late] + 1) % vocabulary, *ids[late + 1 :]]
    other = [(ids[early] + 1) % vocabulary, *ids[early + 1 :]]
    sequences = [ids, ids[:late] + tail, ids[:early] + other]
    return [
        Work(token_ids(s[:-1]), tuple((row, s[row + 1]) for row in range(length - 9, length - 1))) for s in sequences
    ]


def _measure(
    logits: torch.Tensor, places: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Log-probability and greedy flag of each (row of logits, target): logit minus log-sum-exp, in pieces of rows."""
    pieces = [piece if piece.dtype == torch.float64 else piece.float() for piece in logits.split(HEAD_CHUNK)]
    norms = torch.cat([torch.logsumexp(piece, dim=-1) for piece in pieces])
    best = torch.cat([piece.argmax(dim=-1) for piece in pieces])
    row, target = torch.from_numpy(places).to(logits.device), torch.from_numpy(targets).to(logits.device)
    log_probabilities = logits[row, target].double() - norms[row].double()
    return log_probabilities.cpu().numpy(), (best[row] == target).cpu().numpy()


def _divide(
    log_probabilities: npt.NDArray[np.float64], greedy: npt.NDArray[np.bool_], works: Sequence[Work]
) -> list[Reading]:
    edges = np.cumsum([len(work.pairs) for work in works])[:-1]
    parts = zip(np.split(log_probabilities, edges), np.split(greedy, edges), strict=True)
    return [Reading(values, flags) for values, flags in parts]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
