"""Negation inside existing Korean tasks: KMMLU questions and KoBEST BoolQ, each in an affirmative and a negated form.

Run both forms of one study and `paired_polarity` says what the negation costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from jatdae.benchmarks.base import Aggregate, Card, refuse_unused_sampling, register
from jatdae.benchmarks.inspection import FileFact, Inspection
from jatdae.benchmarks.kmmlu.pinned import Provenance, compare, problem
from jatdae.benchmarks.konubench.data import deviations, locate, require_index, require_text
from jatdae.benchmarks.konubench.release import pin_of
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question
from jatdae.benchmarks.sources import Source, read_json_array, read_json_lines
from jatdae.errors import DataError, RequestError
from jatdae.types import Model, Protocol, Sample, digest

ORIGIN = "https://github.com/mcrl/Thunder-KoNUBench"
BOOLQ_OPTIONS = ("아니오", "예")
_BOOLQ_ORIGINAL = (
    "fetch the KoBEST BoolQ test set (skt/kobest_v1) and save it as kobest_boolq.jsonl beside the other files"
)


class SideStudy(MultipleChoice):
    """A zero-shot question in one of two forms, scored by the raw log-likelihood. Item ids are row numbers from 0."""

    version = "1"
    sizes: ClassVar[Mapping[str, int]]

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        super().__init__(name, protocol, source, seed)
        self._provenance = Provenance()

    @abstractmethod
    def path(self) -> Path:
        """The file of this form. Raises RequestError when it is not there."""

    @abstractmethod
    def read(self) -> Iterator[tuple[Question, str]]:
        """Each question with a digest of the text that both forms share."""

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        return Protocol(mode=mode)

    @property
    def headline(self) -> str:
        return "acc"

    @property
    def metrics(self) -> tuple[str, ...]:
        return ("acc",)

    @property
    def prompt_hash(self) -> str:
        """A digest of the layout, taken from a question with placeholders for its texts."""
        return digest(self.write(Question("0", "{question}", ("{A}", "{B}"), 0)))

    @property
    def random_floor(self) -> bool:
        return False

    @cached_property
    def _rows(self) -> list[tuple[Question, str]]:
        if self.protocol.split != "test" or self.protocol.shots:
            raise RequestError(f"{self.name} has a test split only and is asked without examples (--shots 0)")
        refuse_unused_sampling(self.protocol)
        self._provenance = _compared(self.path(), self.source)
        return list(self.read())

    @cached_property
    def _basis(self) -> dict[str, str]:
        return {question.id: basis for question, basis in self._rows}

    def items(self) -> Sequence[Question]:
        return [question for question, _ in self._rows]

    async def evaluate(self, item: Any, model: Model) -> Sample:
        sample = await super().evaluate(item, model)
        return replace(sample, detail={**sample.detail, "basis": self._basis[item.id]})

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        numbers = super().aggregate(samples)
        count = len({sample.item for sample in samples if sample.scores})
        title = f"{self.card.title}, {'negated' if self.name.endswith('-neg') else 'affirmative'}"
        if self.source.folder is None:
            title += ", mini items"
        else:
            title = ", ".join([title, *deviations(self._provenance, count, self.sizes[self.name])])
        return replace(numbers, title=title, notes=(*numbers.notes, *self._provenance.notes))


@register("konubench/kmmlu-pos", "KMMLU questions with two options, affirmative form (7,154 items)")
@register("konubench/kmmlu-neg", "the same questions, negated (7,154 items)")
class NegatedKMMLU(SideStudy):
    """Two options A and B after a KMMLU question; row for row both files have the same options and opposite answers."""

    modes: ClassVar[Mapping[str, str]] = {"letter": "the two options are listed; the more likely letter is the answer"}
    card = Card("KMMLU for negation", "CC BY-ND 4.0 (KMMLU); none stated for the changes", ORIGIN)
    sizes: ClassVar[Mapping[str, int]] = {"konubench/kmmlu-pos": 7154, "konubench/kmmlu-neg": 7154}

    def path(self) -> Path:
        stem = "kmmlu_neg" if self.name.endswith("-neg") else "kmmlu_pos"
        return locate(self.source, (f"{stem}.json",), (f"dataset/{stem}/test",))

    def read(self) -> Iterator[tuple[Question, str]]:
        path = self.path()
        for number, row in enumerate(read_json_array(path)):
            where = f"item {number + 1}"
            question, a, b, category = (
                require_text(path, where, row, name) for name in ("question", "A", "B", "Category")
            )
            _check_share(path, where, row.get("Human Accuracy"))
            answer = require_index(path, where, row, "answer")
            yield Question(str(number), question, (a, b), answer, group=category), digest(a, b)


def _check_share(path: Path, where: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and 0 <= value <= 1):  # pyright: ignore[reportOperatorIssue]
        raise DataError(
            f"{where}: a number from 0 to 1 or null is expected, found {value!r}", path=path, field="Human Accuracy"
        )


@register("konubench/boolq", "KoBEST BoolQ, the original questions (1,404 items)")
@register("konubench/boolq-neg", "KoBEST BoolQ with the polarity of each question turned round (1,404 items)")
class NegatedBoolQ(SideStudy):
    """A passage and a question to be answered with no (아니오) or yes (예).

    The headline is the raw log-likelihood. Dividing by length would be a trap: the three syllables of 아니오 then win
    nearly always, which gives the constant 51.9 on the negated set whatever the model.
    """

    modes: ClassVar[Mapping[str, str]] = {"cloze": "the more likely of the two answers, 아니오 and 예"}
    card = Card("KoBEST BoolQ for negation", "CC BY-SA 4.0 (KoBEST); none stated for the changes", ORIGIN)
    sizes: ClassVar[Mapping[str, int]] = {"konubench/boolq": 1404, "konubench/boolq-neg": 1404}

    def path(self) -> Path:
        negated = self.name.endswith("-neg")
        stem = "kobest_boolq_neg" if negated else "kobest_boolq"
        names = (f"{stem}.json",) if negated else (f"{stem}.json", f"{stem}.jsonl")
        return locate(self.source, names, (f"dataset/{stem}/test",), "" if negated else _BOOLQ_ORIGINAL)

    def read(self) -> Iterator[tuple[Question, str]]:
        path = self.path()
        for number, row in enumerate(_rows(path)):
            where = f"item {number + 1}"
            paragraph, question = (require_text(path, where, row, name) for name in ("paragraph", "question"))
            text = f"{paragraph} 질문: {question}"
            answer = require_index(path, where, row, "label")
            yield Question(str(number), text, BOOLQ_OPTIONS, answer), digest(" ".join(paragraph.split()))

    def write(self, item: Question) -> str:
        """The block as lm-evaluation-harness has it: blanks at the edges of a paragraph stay, a blank ends the block.

        Each answer brings its own blank besides, so two of them stand before it.
        """
        return f"{item.question} 답변: "


def _rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON array, or of a file with one JSON object a line."""
    if path.suffix != ".jsonl":
        return read_json_array(path)
    return [row for _, row in read_json_lines(path)]


def _compared(path: Path, source: Source) -> Provenance:
    """Whether a study's file is the published one."""
    if source.folder is None:
        return Provenance()
    sha256, revision = pin_of(path.stem)
    return compare([(path, sha256)], revision)


def side_studies(source: Source) -> Iterator[Inspection]:
    """A look at each side study whose file the source holds: rows, and how often each answer is the right one."""
    studies = {"konubench/kmmlu-pos": NegatedKMMLU, "konubench/kmmlu-neg": NegatedKMMLU}
    studies |= {"konubench/boolq": NegatedBoolQ, "konubench/boolq-neg": NegatedBoolQ}
    for name, kind in studies.items():
        task = kind(name, kind.default_protocol(name, next(iter(kind.modes))), source, 0)
        try:
            path = task.path()
        except RequestError:
            continue
        yield _inspect(name, path, task, source)


def _inspect(name: str, path: Path, task: SideStudy, source: Source) -> Inspection:
    try:
        items = task.items()
    except DataError as error:
        return Inspection(name, (), problems=(str(error),))
    answers = Counter(item.answer for item in items)
    facts = {f"{name}: answer {answer}": count for answer, count in sorted(answers.items())}
    groups = Counter(item.group for item in items if item.group)
    facts |= {f"{name}: {group}": count for group, count in groups.most_common()}
    data = _compared(path, source)
    problems = tuple(problem(file, data.revision) for file in data.altered)
    return Inspection(
        name, (FileFact.of(path, len(items)),), {f"{name}: items": len(items), **facts}, problems=problems
    )
