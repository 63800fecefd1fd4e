"""Questions with options: the record, how a choice is read from log-likelihoods, and what blind strategies reach.

Pure functions and one base class. Ties go to the first option, as in lm-evaluation-harness; they are counted.
"""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jatdae.benchmarks.aggregation import estimate, per_seed
from jatdae.benchmarks.base import Aggregate, Task
from jatdae.benchmarks.prompting import Demonstration, compose, continuation
from jatdae.errors import RequestError
from jatdae.stats import proportion
from jatdae.types import Estimate, Model, OptionScore, Outcome, Prompt, Request, Sample, Score, canonical, digest

LETTERS = "ABCDEFGHIJ"
NEAR_TIE = 0.05
"""Natural-log margin under which half precision or another batch size can turn a choice round."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with 2 to 10 options; `answer` is the index of the right one.

    `cluster` joins questions of one origin, whose errors are not independent. `flags` name known irregularities.
    """

    id: str
    question: str
    options: tuple[str, ...]
    answer: int
    group: str = ""
    cluster: str = ""
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= len(self.options) <= len(LETTERS):
            raise ValueError(f"{self.id}: {len(self.options)} options; 2 to {len(LETTERS)} are possible")
        if not 0 <= self.answer < len(self.options):
            raise ValueError(f"{self.id}: answer {self.answer} is not one of {len(self.options)} options")

    @property
    def letter(self) -> str:
        """The right option's letter."""
        return LETTERS[self.answer]


@dataclass(frozen=True, slots=True)
class Choice:
    """An option picked by the highest value: its index, the lead over the next in nats, how many share the top."""

    index: int
    margin: float
    tied: int


def choose(values: Sequence[float]) -> Choice:
    """The first highest of at least two values. Raises ValueError for a value that is not finite."""
    if len(values) < 2 or not all(math.isfinite(value) for value in values):
        raise ValueError(f"a choice needs two or more finite values, got {list(values)}")
    top = max(values)
    index = values.index(top)
    rest = max(value for position, value in enumerate(values) if position != index)
    return Choice(index, top - rest, sum(value == top for value in values))


def normalised(scores: Sequence[OptionScore], texts: Sequence[str]) -> dict[str, list[float]]:
    """Log-likelihoods as the four metrics see them.

    `acc`: the raw sum; `acc_norm`: per character, in code points of the option's text without the delimiter;
    `acc_bytes`: per UTF-8 byte; `acc_tokens`: per token. Names and the first three as in lm-evaluation-harness.
    """
    raw = [score.log_likelihood for score in scores]
    return {
        "acc": raw,
        "acc_norm": [value / len(text) for value, text in zip(raw, texts, strict=True)],
        "acc_bytes": [value / len(text.encode()) for value, text in zip(raw, texts, strict=True)],
        "acc_tokens": [value / score.tokens for value, score in zip(raw, scores, strict=True)],
    }


def scored_sample(
    item: Question,
    scores: Sequence[OptionScore],
    texts: Sequence[str],
    *,
    decide: str,
    metrics: Sequence[str],
    seed: int,
) -> Sample:
    """The sample of a question asked by log-likelihood. `decide` is the metric whose choice is the prediction."""
    values = normalised(scores, texts)
    choices = {name: choose(values[name]) for name in metrics}
    chosen = choices[decide]
    margin = _margin_in_nats(values["acc"], values[decide], chosen.index)
    return Sample(
        item=item.id,
        outcome=Outcome.RIGHT if chosen.index == item.answer else Outcome.WRONG,
        prediction=LETTERS[chosen.index],
        target=item.letter,
        scores={name: float(choice.index == item.answer) for name, choice in choices.items()},
        group=item.group,
        cluster=item.cluster,
        seed=seed,
        detail={
            "options": list(texts),
            "log_likelihoods": [score.log_likelihood for score in scores],
            "tokens": [score.tokens for score in scores],
            "choices": {name: choice.index for name, choice in choices.items()},
            "margin": margin,
            "tied": chosen.tied,
            "near_tie": margin < NEAR_TIE,
            "flags": list(item.flags),
        },
    )


def _margin_in_nats(raw: Sequence[float], decisive: Sequence[float], chosen: int) -> float:
    """How far one log-likelihood must move to turn the choice, by any of the other options."""

    def needed(other: int) -> float:
        lead = decisive[chosen] - decisive[other]
        return lead * min(raw[index] / decisive[index] if decisive[index] else 1.0 for index in (chosen, other))

    return min(needed(other) for other in range(len(raw)) if other != chosen)


def longest_option(item: Question) -> int:
    """The index of the option with the most characters, the first among equals."""
    return max(range(len(item.options)), key=lambda index: (len(item.options[index]), -index))


def chance(items: Sequence[Question]) -> Estimate:
    """What uniform guessing reaches: the mean of one over the number of options."""
    value = sum(1 / len(item.options) for item in items) / len(items)
    return Estimate(value, None, None, None, len(items), method="mean of 1/options")


def blind_floors(items: Sequence[Question]) -> dict[str, Estimate]:
    """What is reached without reading the question: uniform guessing, the best constant letter, the longest option.

    The longest option is taken by characters, the first among equals.
    """
    if not items:
        return {}
    floors = {"chance": chance(items)}
    widest = max(len(item.options) for item in items)
    hits = {LETTERS[index]: [float(item.answer == index) for item in items] for index in range(widest)}
    letter = max(hits, key=lambda name: (sum(hits[name]), -LETTERS.index(name)))
    floors[f"always {letter}"] = proportion(hits[letter])
    floors["longest option"] = proportion([float(longest_option(item) == item.answer) for item in items])
    return floors


class MultipleChoice(Task):
    """A multiple-choice task asked by log-likelihood, in the modes `letter` and `cloze`.

    A subclass says what the questions are (`items`) and, if it has solved examples, which (`examples`). It may change
    the cue or how a question is written.
    """

    modes: ClassVar[Mapping[str, str]] = {
        "letter": "options are listed; the most likely letter is the answer",
        "cloze": "options are not listed; the option most likely per character is the answer",
    }
    cue = "정답："

    @property
    def by_letter(self) -> bool:
        """Whether options are listed and called by their letters; otherwise an option's text is the answer."""
        return self.protocol.mode != "cloze"

    @property
    def headline(self) -> str:
        """The metric that decides the prediction."""
        return "acc" if self.by_letter else "acc_norm"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that each sample carries; letters all have one length, so that one metric is all."""
        return ("acc",) if self.by_letter else ("acc", "acc_norm", "acc_bytes", "acc_tokens")

    @property
    def description(self) -> str:
        """What is said once, before the solved examples."""
        return ""

    @abstractmethod
    def items(self) -> Sequence[Question]: ...

    def examples(self, item: Question) -> Sequence[Question]:
        """Solved examples to choose from; never the item itself."""
        return ()

    @property
    def data_hash(self) -> str:
        shown = [[q.id, q.question, list(q.options), q.answer, q.group, q.cluster] for q in self.items()]
        return digest(canonical(shown))

    def write(self, item: Question) -> str:
        """The question's block, up to the place where the answer follows."""
        lines = [item.question.strip()]
        if self.by_letter:
            lines += [f"{letter}. {text}" for letter, text in zip(LETTERS, item.options, strict=False)]
        return "\n".join([*lines, self.cue])

    def answer(self, item: Question) -> str:
        """The right answer as an example shows it."""
        return item.letter if self.by_letter else item.options[item.answer]

    def prompt(self, item: Question) -> Prompt:
        """The question with its solved examples before it."""
        shots = [Demonstration(self.write(q), self.answer(q)) for q in self.chosen(item)]
        return compose(self.protocol, shots, self.write(item), description=self.description)

    def chosen(self, item: Question) -> Sequence[Question]:
        """As many examples as the protocol says: the first, or drawn from seed and item id. Raises RequestError."""
        shots, pool = self.protocol.shots, self.examples(item) if self.protocol.shots else ()
        if len(pool) < shots:
            raise RequestError(f"--shots {shots}: {self.name} has {len(pool)} examples for {item.id}; use fewer shots")
        if self.protocol.demos == "per-item" and len(pool) > shots:
            return random.Random(digest(str(self.seed), item.id)).sample(list(pool), shots)  # noqa: S311
        return pool[:shots]

    def scoring(self, item: Question) -> Score:
        """The question as it is asked by log-likelihood."""
        return Score(self.prompt(item), tuple(continuation(self.protocol, text) for text in self.texts(item)))

    def request(self, item: Question) -> Request:
        """What is asked about an item first; what a preview shows."""
        return self.scoring(item)

    def check(self) -> None:
        for item in self.items()[:1]:
            self.request(item)

    def texts(self, item: Question) -> Sequence[str]:
        """What each option is called in an answer: its letter, or its text."""
        return LETTERS[: len(item.options)] if self.by_letter else item.options

    async def evaluate(self, item: Any, model: Model) -> Sample:
        answer = await model.score(self.scoring(item))
        return scored_sample(
            item, answer.options, self.texts(item), decide=self.headline, metrics=self.metrics, seed=self.seed
        )

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        measured = [sample for sample in samples if sample.scores]
        names = tuple(measured[0].scores) if measured else ()
        estimates = {name: estimate(measured, name) for name in names}
        seeds = per_seed(measured, self.headline)
        breakdown = {"seed": seeds} if len(seeds) > 1 else {}
        ties = sum(sample.detail.get("tied", 1) > 1 for sample in measured)
        notes = [f"{ties:,} exact ties, decided for the first option"] if ties else []
        uneven = sum(len(set(sample.detail.get("tokens", ()))) > 1 for sample in measured) if self.by_letter else 0
        if uneven:
            notes.append(f"in {uneven:,} items the letters have different numbers of tokens; their sums are compared")
        return Aggregate(self.headline, self.name, estimates, breakdown, tuple(notes))

    def floors(self, items: Sequence[Any]) -> Mapping[str, Estimate]:
        return blind_floors(items)

    @property
    def random_floor(self) -> bool:
        return not self.by_letter
