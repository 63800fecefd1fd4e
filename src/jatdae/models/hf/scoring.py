"""Log-probabilities of many sequences with as little computing as possible.

Works are planned into packs (`planning`); each runs as one forward pass in which a node sees its ancestors and the
cached prefix only (`passes`). What may be computed is checked, not assumed (`trial`): before first use a short run is
compared with a plain one, and a model that answers differently is run the plain way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.hf.compat import Forward, MaskPlan
from jatdae.models.hf.head import Head
from jatdae.models.hf.kernels import Kernels
from jatdae.models.hf.memory import OutOfMemoryError, memory_errors
from jatdae.models.hf.passes import Passes, Path, Reading
from jatdae.models.hf.planning import Pack, Work, plan, plan_padded
from jatdae.models.hf.trial import Trial

LOGIT_BYTES = 512 * 2**20
"""Most memory that one pass may take for logits; a vocabulary of 262,144 in float32 gets 512 rows."""
SMALLEST_BUDGET = 16

Outcome = tuple[int, Reading | RequestFailed]


class Scorer:
    """Reads works with one model. `path` is how, None until it has been chosen."""

    def __init__(
        self,
        forward: Forward,
        masks: MaskPlan | None,
        *,
        vocabulary: int,
        budget: int,
        note: Callable[[str], None],
        kernels: Kernels | None = None,
    ) -> None:
        self.forward, self.masks, self.vocabulary, self.budget, self.note = forward, masks, vocabulary, budget, note
        self.kernels = kernels or Kernels("torch")
        self.path: Path | None = None
        head = None if forward.head is None else Head(forward.head, self.kernels.multiply)
        self._passes = Passes(forward, masks, self.kernels, head)
        self._window_checked = masks is None or masks.window is None

    @property
    def computed_tokens(self) -> int:
        """All token positions that went through the model."""
        return self._passes.computed_tokens

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
                        readings = self._passes.run(pack, [works[i] for i in members], path, self.budget)
                    for index in members:
                        del left[index]
                    yield list(zip(members, readings, strict=True))
            except OutOfMemoryError:
                self._passes.forget()
                if not self._halve():
                    failed = RequestFailed("memory ran out even for the smallest batch", kind="memory")
                    yield [(index, failed) for index in left]
                    return
        self._passes.forget()

    def _plan(self, works: list[Work], path: Path) -> list[Pack]:
        if path == "plain":
            return plan_padded(works, budget=self.budget)
        whole_logits = path == "packed" or self._passes.head is None
        rows = max(1, LOGIT_BYTES // (4 * self.vocabulary)) if whole_logits else self.budget
        return plan(works, budget=self.budget, row_limit=rows)

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
        trial = Trial(self._passes, self.vocabulary, self.note)
        if self.path is None:
            self.path = self._first_path(trial)
        window = self.masks.window if self.masks else None
        if self.path != "plain" and not self._window_checked and window is not None and longest > window:
            self.path, self._window_checked = trial.best_of(self._paths(self.path), window + 24), True
        return self.path

    def _first_path(self, trial: Trial) -> Path:
        if self.masks is None:
            self.note("this model has layers that take no attention mask; scoring in plain batches")
            return "plain"
        tree = self.forward.device.type == "cpu" and self.forward.dtype == torch.float32
        return trial.best_of(self._paths("tree" if tree else "packed"), 24)

    @staticmethod
    def _paths(first: Path) -> list[Path]:
        return ["tree", "packed"] if first == "tree" else ["packed"]
