"""The KMMLU task: one class for the whole benchmark, its four categories and each of its 45 subjects."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Aggregate, Card, register
from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.kmmlu import reasoning, scoring
from jatdae.benchmarks.kmmlu.data import folder_of, in_both, provenance, read_examples, read_scope
from jatdae.benchmarks.kmmlu.extraction import EXTRACTION_VERSION
from jatdae.benchmarks.kmmlu.floors import subject_floors
from jatdae.benchmarks.kmmlu.inspection import inspect
from jatdae.benchmarks.kmmlu.pinned import Provenance
from jatdae.benchmarks.kmmlu.protocols import MODES, STRICT, check, description, published, setting
from jatdae.benchmarks.kmmlu.release import REVISION, release, write_cot_exemplars
from jatdae.benchmarks.kmmlu.replies import generated_sample, needs_asking_again
from jatdae.benchmarks.kmmlu.subjects import KMMLU, Subject, find_subject, scope_of, task_names
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question
from jatdae.benchmarks.prompting import Demonstration, compose
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.types import Completion, Estimate, Generate, Model, Prompt, Protocol, Request, Sample, canonical, digest


class Kmmlu(MultipleChoice):
    """Multiple-choice questions of Korean exams (Son et al. 2024, arXiv 2402.11548), asked in four modes.

    Order of the solved examples: `--demos fixed`, the default, shows the dev rows in file order, as the paper does;
    `--demos per-item` draws them anew for each item, as the plain KMMLU tasks of lm-evaluation-harness do (by a
    generator of its own, so the order of an item differs). The protocol of a result, and with it the fingerprint, says
    which.
    """

    version = f"1+extraction.{EXTRACTION_VERSION}"
    card = Card(
        title="KMMLU",
        licence="CC BY-ND 4.0",
        origin="HAERAE-HUB/KMMLU, HAERAE-HUB/KMMLU-HARD",
        revision=REVISION,
        citation="Son et al., KMMLU: Measuring Massive Multitask Language Understanding in Korean, arXiv 2402.11548",
    )
    modes = MODES

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        super().__init__(name, protocol, source, seed)
        self.scope = scope_of(name)
        check(protocol)
        self.cue = setting(protocol, "cue")
        self._provenance = Provenance()

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        return published(mode)

    @classmethod
    def inspect(cls, name: str, source: Source) -> Inspection:
        return inspect(source, name)

    @classmethod
    def release(cls, name: str) -> Release | None:
        return release() if scope_of(name).release == KMMLU else None

    @classmethod
    def after_pull(cls, name: str, folder: Path | None) -> str:
        try:
            return f"worked solutions for the mode cot are in {write_cot_exemplars(folder)}"
        except RequestError as missing:
            return f"no worked solutions for the mode cot: {missing}"

    @property
    def needs(self) -> frozenset[str]:
        chat = {"chat"} if self.protocol.chat_template else set()
        return frozenset(chat if self._generates else chat | {"log_likelihoods"})

    @property
    def headline(self) -> str:
        """The metric that decides: `acc`; in the mode `cloze` `acc_norm`; with the strict match `acc_strict`."""
        if self._generates and setting(self.protocol, "match") == STRICT:
            return "acc_strict"
        return super().headline

    @property
    def description(self) -> str:
        return description(self.protocol)

    @property
    def _generates(self) -> bool:
        return self.protocol.mode in ("direct", "cot")

    # ---- data

    @cached_property
    def _folder(self) -> Path:
        return folder_of(self.source, self.scope.release)

    @cached_property
    def _questions(self) -> Mapping[Subject, list[Question]]:
        return read_scope(self._folder, self.scope, self.protocol.split)

    @cached_property
    def _dev(self) -> Mapping[Subject, list[Question]]:
        """The rows that serve as examples; the mode `cot` brings its own."""
        if self.protocol.shots == 0 or self.protocol.mode == "cot":
            return {}
        return {subject: read_examples(self._folder, subject, self.scope.release) for subject in self._questions}

    @cached_property
    def _worked(self) -> Mapping[Subject, tuple[reasoning.WorkedExample, ...]]:
        if self.protocol.shots == 0 or self.protocol.mode != "cot":
            return {}
        return reasoning.read_worked_examples(self._folder, tuple(self._questions))

    @cached_property
    def _shown_as_example(self) -> frozenset[str]:
        """Items that also stand among their own subject's examples, as two of the published files have it."""
        shown = {s: in_both(self._questions[s], rows) for s, rows in self._dev.items() if self.protocol.split != "dev"}
        worked = {
            s: [item for item in self._questions[s] if any(reasoning.is_example_of(example, item) for example in rows)]
            for s, rows in self._worked.items()
            if self.protocol.split != "dev"
        }
        return frozenset(item.id for items in (*shown.values(), *worked.values()) for item in items)

    @cached_property
    def _items(self) -> tuple[Question, ...]:
        self._provenance = self._compared()
        for subject, questions in self._questions.items():
            for item in questions[:EXAMINED]:
                self._demonstrations(item, subject)
        return tuple(
            replace(item, flags=(*item.flags, scoring.SHOWN)) if item.id in self._shown_as_example else item
            for questions in self._questions.values()
            for item in questions
        )

    def _compared(self) -> Provenance:
        """Whether the files that were read are the published ones, seen when they are read and not after the run."""
        if self.source.folder is None:
            return Provenance()
        read = [*((s, self.protocol.split) for s in self._questions), *((s, "dev") for s in self._dev)]
        return provenance(self._folder, self.scope.release, read)

    def items(self) -> Sequence[Question]:
        """All questions of the split, subjects in alphabetical order, rows in file order.

        Raises RequestError when files are missing or a subject has too few examples, DataError for a faulty row.
        """
        return self._items

    @property
    def data_hash(self) -> str:
        examples = {s.config: [[q.question, list(q.options), q.answer] for q in rows] for s, rows in self._dev.items()}
        worked = {
            s.config: [[e.question, list(e.options), e.solution] for e in rows] for s, rows in self._worked.items()
        }
        return digest(super().data_hash, canonical(examples), canonical(worked))

    # ---- prompts

    def examples(self, item: Question) -> Sequence[Question]:
        """The subject's dev rows, never the item: in file order, or with `per-item` drawn from seed and item id."""
        rows = self._dev.get(_subject(item), [])
        return self._chosen([row for row in rows if row.id != item.id], item)

    def _chosen(self, others: Sequence[Any], item: Question) -> Sequence[Any]:
        shots = self.protocol.shots
        if shots > len(others):
            raise RequestError(
                f"--shots {shots}: {_subject(item).config} has {len(others)} examples for {item.id} "
                f"(an item is never its own example); use --shots {len(others)} or fewer"
            )
        if self.protocol.demos == "per-item":
            others = random.Random(digest(str(self.seed), item.id)).sample(others, len(others))  # noqa: S311
        return others[:shots]

    def _demonstrations(self, item: Question, subject: Subject) -> list[Demonstration]:
        if self.protocol.shots == 0:
            return []
        if self.protocol.mode != "cot":
            return [Demonstration(self.write(row), self.answer(row)) for row in self.examples(item)]
        rows = self._worked[subject]
        if self.protocol.split == "dev":
            own = int(item.id.rsplit("/", 1)[1])
            rows = [e for n, e in enumerate(rows) if n != own and not reasoning.is_example_of(e, item)]
        as_published = setting(self.protocol, "layout") == "lm-eval"
        return [
            reasoning.demonstration(example, self.cue, subject, as_published=as_published)
            for example in self._chosen(rows, item)
        ]

    def write(self, item: Question) -> str:
        if self.protocol.mode == "cot":
            return reasoning.block(item.question.strip(), item.options, self.cue, _subject(item))
        return super().write(item)

    def prompt(self, item: Question) -> Prompt:
        shots = self._demonstrations(item, _subject(item))
        return compose(self.protocol, shots, self.write(item), description=self.description)

    def generation(self, item: Question) -> Generate:
        """The question as it is asked in the modes that generate."""
        return Generate(self.prompt(item), self.protocol.sampling)

    def request(self, item: Question) -> Request:
        return self.generation(item) if self._generates else self.scoring(item)

    # ---- asking and counting

    async def evaluate(self, item: Any, model: Model) -> Sample:
        if not self._generates:
            return await super().evaluate(item, model)
        completion = await self._ask(item, model)
        return generated_sample(item, completion, self.protocol, self.seed)

    async def _ask(self, item: Question, model: Model) -> Completion:
        """A direct answer stops at a blank line, which saves most of its tokens. A text that opens with one is asked
        for again without that stop, and cut afterwards."""
        request = self.generation(item)
        completion = await model.generate(request)
        stops = tuple(stop for stop in request.sampling.stop if stop != "\n\n")
        if self.protocol.mode != "direct" or stops == request.sampling.stop or not needs_asking_again(completion):
            return completion
        return await model.generate(replace(request, sampling=replace(request.sampling, stop=stops)))

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        bundled = self.source.folder is None
        return scoring.aggregate(
            samples, self.scope, self.protocol, self.headline, bundled=bundled, data=self._provenance
        )

    def floors(self, items: Sequence[Any]) -> Mapping[str, Estimate]:
        return subject_floors(items)

    def stratum(self, item: Question) -> str:
        """A limit takes so many items of each subject."""
        return item.group


EXAMINED = 5
"""Questions a subject whose examples are chosen before anything is asked, so that a lack of them shows at once."""


def _subject(item: Question) -> Subject:
    subject = find_subject(item.group)
    if subject is None:
        raise RequestError(f"{item.id}: {item.group!r} is not a KMMLU subject")
    return subject


for _name, _summary in task_names():
    register(_name, _summary)(Kmmlu)
