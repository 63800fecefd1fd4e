"""How a task is put to a language model: the block of a question, the answer an example shows, what a reply says."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from jatdae.benchmarks.klue.prompting.wording import Wording
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.multiple_choice import NEAR_TIE, choose
from jatdae.benchmarks.prompting import continuation
from jatdae.types import Model, OptionScore, Outcome, Prompt, Protocol, Request, Sampling, Score


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model's answer says: a prediction, or the outcome that explains why there is none."""

    prediction: Prediction | None
    outcome: Outcome | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


class Asking(ABC):
    """One task in prompts. To add one, write its wording and a class like these, and name it in `__init__.py`."""

    wording: ClassVar[Wording]
    note: ClassVar[str]
    """How predictions are read out of answers, for the reader of a result."""
    sampling: ClassVar[Sampling] = Sampling()
    """How text is generated; the default where none is."""
    generates: ClassVar[bool] = False

    @abstractmethod
    def fields(self, record: Any) -> Mapping[str, str]:
        """The texts that the block is filled in with."""

    @abstractmethod
    def answer(self, record: Any) -> str:
        """The right answer as an example shows it."""

    @abstractmethod
    def kind(self, record: Any) -> str:
        """What examples are balanced over: a label, or what comes near to one."""

    @abstractmethod
    def request(self, prompt: Prompt, protocol: Protocol) -> Request:
        """What is asked first."""

    @abstractmethod
    async def ask(self, record: Any, prompt: Prompt, protocol: Protocol, model: Model) -> Reply:
        """Ask about one record and read what comes back."""

    def block(self, record: Any) -> str:
        """The question, up to the place where the answer follows."""
        return self.wording.block.format(**self.fields(record))


class Choosing(Asking):
    """The words of all labels are compared; that with the highest total log-likelihood is the prediction."""

    note = "the label whose word has the highest total log-likelihood is predicted; all labels are compared"

    @property
    def options(self) -> Sequence[str]:
        """The labels' words, in the order of the labels."""
        return tuple(self.wording.words.values())

    def answer(self, record: Any) -> str:
        return self.wording.words[self.kind(record)]

    def kind(self, record: Any) -> str:
        return record.label

    def request(self, prompt: Prompt, protocol: Protocol) -> Score:
        return Score(prompt, tuple(continuation(protocol, word) for word in self.options))

    async def ask(self, record: Any, prompt: Prompt, protocol: Protocol, model: Model) -> Reply:
        return self.read((await model.score(self.request(prompt, protocol))).options)

    def read(self, scores: Sequence[OptionScore]) -> Reply:
        """The first likeliest label, and the labels' probabilities among themselves, in the order of the labels."""
        values = [score.log_likelihood for score in scores]
        choice = choose(values)
        label = tuple(self.wording.words)[choice.index]
        told = {"tied": choice.tied, "near_tie": choice.margin < NEAR_TIE}
        return Reply({"prediction": label, "probabilities": normalised(values)}, detail=self.asked(scores) | told)

    def asked(self, scores: Sequence[OptionScore]) -> dict[str, Any]:
        """What came back, for the reader of a sample."""
        return {
            "options": list(self.options),
            "log_likelihoods": [score.log_likelihood for score in scores],
            "tokens": [score.tokens for score in scores],
        }


def normalised(log_likelihoods: Sequence[float]) -> list[float]:
    """Probabilities that add up to 1, in proportion to those of the given logarithms.

    >>> [round(value, 3) for value in normalised([-1000.0, -1000.0 - math.log(3)])]
    [0.75, 0.25]
    """
    top = max(log_likelihoods)
    weights = [math.exp(value - top) for value in log_likelihoods]
    return [weight / math.fsum(weights) for weight in weights]
