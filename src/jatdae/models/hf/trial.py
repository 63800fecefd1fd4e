"""Whether a way through a model gives the numbers of a plain pass: tried on three short sequences, not assumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from jatdae.models.hf.memory import memory_errors
from jatdae.models.hf.passes import Passes, Path, Reading
from jatdae.models.hf.planning import Pack, Work, token_ids

TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-6}
COARSE_TOLERANCE = 0.5
UNSUPPORTED = (RuntimeError, ValueError, TypeError, AttributeError, KeyError, IndexError, NotImplementedError)
"""What models raise that know no 4D mask or no cache of this kind."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Tries the passes of one model; `note` keeps what a reader should know of the outcome."""

    passes: Passes
    vocabulary: int
    note: Callable[[str], None]

    def best_of(self, paths: Sequence[Path], length: int) -> Path:
        """The first path that agrees with plain passes over sequences of this length, else `plain`.

        A head that does not agree when it is called apart is left in its model from then on.
        """
        works = _trial_works(length, self.vocabulary)
        plain = [self._run(Pack(token_ids(()), (k,)), [work], "plain")[0] for k, work in enumerate(works)]
        reason = ""
        for path in paths:
            reason = self._fault(works, plain, path)
            if reason and path == "tree" and self.passes.head is not None:
                self.passes.head = None
                reason = self._fault(works, plain, path)
            if not reason:
                return path
        self.note(f"{reason}; scoring in plain batches")
        return "plain"

    def _fault(self, works: Sequence[Work], plain: Sequence[Reading], path: Path) -> str:
        """What is wrong with a path, in words; empty where it agrees."""
        length = len(works[0].ids) + 1
        packs = [Pack(works[0].ids[: length // 2], (0, 1)), Pack(works[0].ids[: length // 3], (2,))]
        try:
            with memory_errors():
                packed = [r for pack in packs for r in self._run(pack, [works[k] for k in pack.members], path)]
        except UNSUPPORTED as error:
            return f"packed scoring does not work with this model ({_first_line(error)})"
        finally:
            self.passes.forget()
        gaps = [np.abs(a.log_probabilities - b.log_probabilities).max() for a, b in zip(plain, packed, strict=True)]
        if max(gaps) <= TOLERANCE.get(self.passes.forward.dtype, COARSE_TOLERANCE):
            return ""
        return f"packed and plain scores differ by {max(gaps):.2g} with this model"

    def _run(self, pack: Pack, works: list[Work], path: Path) -> list[Reading]:
        return self.passes.run(pack, works, path, len(works[0].ids) + 1)


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


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
