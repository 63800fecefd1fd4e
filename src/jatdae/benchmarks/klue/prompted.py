"""The tasks that a language model can be asked as well: the mode `prompt` beside fine-tuning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any, ClassVar

from jatdae.benchmarks.base import Aggregate, refuse_unused_sampling
from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.klue.prompting import ASKING, Asking, balanced, pools_by_kind
from jatdae.benchmarks.klue.scoring.judging import Unit
from jatdae.benchmarks.klue.task import KlueTask
from jatdae.benchmarks.prompting import Demonstration, compose
from jatdae.errors import RequestError
from jatdae.types import Model, Prompt, Protocol, Request, Sample, digest

PROMPT = "prompt"


class PromptedKlueTask(KlueTask):
    """A task in both modes. In `prompt` the train split gives examples only, and only where there are `shots`.

    With `--demos fixed` the examples depend on seed and task, with `per-item` on seed and item; labels take turns.
    """

    modes: ClassVar[Mapping[str, str]] = {
        **KlueTask.modes,
        PROMPT: "a language model is asked: the labels' words are compared; for mrc a short answer is generated",
    }

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        if mode != PROMPT:
            return super().default_protocol(name, mode)
        return Protocol(mode=mode, split="dev", sampling=ASKING[known_task(name)].sampling)

    @property
    def asks(self) -> bool:
        """Whether a language model is asked, and nothing is fine-tuned."""
        return self.protocol.mode == PROMPT

    @property
    def data_hash(self) -> str:
        """As for fine-tuning; in the mode `prompt` train takes part where there are examples, and nothing else does."""
        if not self.asks:
            return super().data_hash
        return digest(self._training_hash, self.scored_hash) if self.protocol.shots else self.scored_hash

    @property
    def needs(self) -> frozenset[str]:
        if not self.asks:
            return super().needs
        chat = {"chat"} if self.protocol.chat_template else set()
        return frozenset(chat if self._asking.generates else chat | {"log_likelihoods"})

    @property
    def prompt_hash(self) -> str:
        """A digest of the wording; empty in the mode `finetune`."""
        return self._asking.wording.hash if self.asks else ""

    def check(self) -> None:
        if not self.asks:
            super().check()
            return
        if not self._asking.generates:
            refuse_unused_sampling(self.protocol)
        for item in self.items():
            self.examples(item)

    # ---- prompts

    @property
    def _asking(self) -> Asking:
        return ASKING[self.task]

    @cached_property
    def _pools(self) -> list[list[Any]]:
        return pools_by_kind(self.training_records(), self._asking.kind)

    @cached_property
    def _fixed_order(self) -> list[Any]:
        return list(balanced(self._pools, Random(digest(str(self.seed), self.name))))  # noqa: S311

    def _order(self, item: Unit) -> Iterator[Any]:
        if self.protocol.demos == "fixed":
            return iter(self._fixed_order)
        return balanced(self._pools, Random(digest(str(self.seed), item.id)))  # noqa: S311

    def examples(self, item: Unit) -> Sequence[Any]:
        """Solved examples out of train, never the item or one with its block. Raises RequestError for too few."""
        shots = self.protocol.shots
        if shots == 0:
            return ()
        block = self._asking.block
        others = (record for record in self._order(item) if block(record) != block(item.gold))
        chosen = tuple(islice(others, shots))
        if len(chosen) < shots:
            have = f"{self.name} has {len(chosen)} examples for {item.id}"
            raise RequestError(f"--shots {shots}: {have}; use --shots {len(chosen)} or fewer")
        return chosen

    def prompt(self, item: Unit) -> Prompt:
        """The question with its solved examples before it."""
        asking = self._asking
        shots = [Demonstration(asking.block(record), asking.answer(record)) for record in self.examples(item)]
        return compose(self.protocol, shots, asking.block(item.gold), description=asking.wording.description)

    def request(self, item: Unit) -> Request:
        """What is asked about an item first."""
        return self._asking.request(self.prompt(item), self.protocol)

    # ---- asking and counting

    async def evaluate(self, item: Any, model: Model) -> Sample:
        if not self.asks:
            return await super().evaluate(item, model)
        reply = await self._asking.ask(item.gold, self.prompt(item), self.protocol, model)
        detail = {**reply.detail, "examples": [record.guid for record in self.examples(item)]}
        return self.sample(item, reply.prediction, seed=self.seed, outcome=reply.outcome, detail=detail)

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        numbers = super().aggregate(samples)
        if not self.asks:
            return numbers
        ties = sum(sample.detail.get("tied", 1) > 1 for sample in samples)
        tied = [f"{ties:,} exact ties, decided for the first label"] if ties else []
        return replace(numbers, notes=(*numbers.notes, self._asking.note, *tied))
