"""KoNUBench: choose the standard negation of a Korean sentence among plausible wrong ones.

Source: Thunder-KoNUBench (arXiv 2601.04693). Items, orders, seeds and metrics as published; the wording of the prompts
is ours unless a folder with other templates is named (`--set prompt=FOLDER`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, cast

from jatdae.benchmarks.aggregation import estimate
from jatdae.benchmarks.base import Aggregate, Card, refuse_unused_sampling, register
from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.kmmlu.pinned import Provenance, compare
from jatdae.benchmarks.konubench.artefacts import artefact_floors
from jatdae.benchmarks.konubench.chat import chat_sample
from jatdae.benchmarks.konubench.data import SIZES, deviations, read_records, short_split, split_path
from jatdae.benchmarks.konubench.demonstrations import SEEDS, SHOTS, draw
from jatdae.benchmarks.konubench.examination import inspect
from jatdae.benchmarks.konubench.mistakes import mistakes
from jatdae.benchmarks.konubench.options import NegationQuestion, Repair, build_question
from jatdae.benchmarks.konubench.release import REVISION, pin_of, release
from jatdae.benchmarks.konubench.wording import Wording, read_wording
from jatdae.benchmarks.multiple_choice import MultipleChoice, blind_floors
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.types import Estimate, Generate, Model, Protocol, Request, Sample, Sampling, canonical, digest

CARD = Card(
    title="KoNUBench",
    licence="none stated",
    origin="https://github.com/mcrl/Thunder-KoNUBench",
    citation="Thunder-KoNUBench: A Corpus-Aligned Benchmark for Korean Negation Understanding. arXiv 2601.04693",
)
CHOICES = {"repair": ("none", "swap"), "edges": ("stored", "stripped")}


@register("konubench", "choose the standard negation of a sentence (1,284 test items)")
class KoNUBench(MultipleChoice):
    """The benchmark in its three modes.

    Settings: `repair=swap` reads the fields that the files exchange the right way round already in the prompt (the
    error analysis always does); `edges=stripped` drops blanks at the edges of the texts, which otherwise count in the
    length; `prompt=FOLDER` takes the wording from a folder.
    """

    version = "1"
    card = CARD
    modes: ClassVar[Mapping[str, str]] = {
        "cloze": "options are not listed; the option most likely per character is the answer",
        "symbol": "options are listed; the most likely letter is the answer",
        "chat": "options are listed; a letter is read from the generated text",
    }

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        super().__init__(name, protocol, source, seed)
        self._provenance = Provenance()

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        chat = mode == "chat"
        return Protocol(
            mode=mode,
            seeds=SEEDS,
            demos="per-item",
            chat_template=chat,
            sampling=Sampling(max_tokens=16, stop=("\n",)) if chat else Sampling(),
            options={"repair": "none", "edges": "stored", "prompt": ""},
        )

    @classmethod
    def inspect(cls, name: str, source: Source) -> Inspection:
        return inspect(source)

    @classmethod
    def release(cls, name: str) -> Release:
        return release()

    @cached_property
    def _split(self) -> str:
        return short_split(self.protocol.split)

    @cached_property
    def _items(self) -> list[NegationQuestion]:
        if self.protocol.mode != "chat":
            refuse_unused_sampling(self.protocol)
        self._provenance = self._compared()
        return self._read(self._split)

    def _compared(self) -> Provenance:
        """Whether the files that are read are the published ones."""
        if self.source.folder is None:
            return Provenance()
        splits = [self._split, *(["val"] if self.protocol.shots else [])]
        return compare(((split_path(self.source, split), pin_of(split)[0]) for split in splits), REVISION)

    @cached_property
    def _pool(self) -> list[NegationQuestion]:
        return self._read("val") if self.protocol.shots else []

    @cached_property
    def _drawn(self) -> Mapping[str, Sequence[NegationQuestion]]:
        return draw(self._items, self._pool, self.protocol.shots, self.seed, self.protocol.demos)

    @cached_property
    def _wording(self) -> Wording:
        return read_wording(self.protocol.options.get("prompt", ""), self.protocol.mode)

    def _read(self, split: str) -> list[NegationQuestion]:
        repair, edges = (self._choice(name) for name in ("repair", "edges"))
        return [
            build_question(record, shuffled=self.by_letter, repair=cast(Repair, repair), strip=edges == "stripped")
            for record in read_records(split_path(self.source, split))
        ]

    def _choice(self, name: str) -> str:
        value = self.protocol.options.get(name, CHOICES[name][0])
        if value not in CHOICES[name]:
            raise RequestError(f"--set {name}={value}: choose one of {', '.join(CHOICES[name])}")
        return value

    def items(self) -> Sequence[NegationQuestion]:
        return self._items

    def examples(self, item: Any) -> Sequence[NegationQuestion]:
        return self._drawn[item.id] if self.protocol.shots else ()

    @property
    def data_hash(self) -> str:
        """A digest of the texts that are shown, and of what sorts the answers: clause, origin, kinds, flags."""
        shown = [[q.id, q.question, list(q.options), q.answer] for q in (*self._items, *self._pool)]
        sorting = [[q.group, q.cluster, list(q.kinds), list(q.true_kinds), list(q.flags)] for q in self._items]
        return digest(canonical([sorting, shown]))

    @property
    def prompt_hash(self) -> str:
        """A digest of the wording: the description and the block's template."""
        return self._wording.hash

    @property
    def fingerprint_options(self) -> Mapping[str, str]:
        """The settings without the folder of the wording: `prompt_hash` says what was read there."""
        return {name: value for name, value in self.protocol.options.items() if name != "prompt"}

    @property
    def needs(self) -> frozenset[str]:
        asked = {"log_likelihoods"} if self.protocol.mode != "chat" else set()
        return frozenset(asked | ({"chat"} if self.protocol.chat_template else set()))

    @property
    def description(self) -> str:
        return self._wording.description

    def write(self, item: Any) -> str:
        return self._wording.write(item.question, item.options)

    def request(self, item: Any) -> Request:
        return self.generation(item) if self.protocol.mode == "chat" else self.scoring(item)

    def generation(self, item: NegationQuestion) -> Generate:
        """The question as it is asked for a letter in text."""
        return Generate(self.prompt(item), self.protocol.sampling)

    async def evaluate(self, item: Any, model: Model) -> Sample:
        if self.protocol.mode == "chat":
            sample = chat_sample(item, await model.generate(self.generation(item)), self.seed)
        else:
            sample = await super().evaluate(item, model)
        return replace(sample, detail={**sample.detail, **self._shown(item)})

    def _shown(self, item: NegationQuestion) -> dict[str, Any]:
        """What a reader wants to see of the question, and what the analysis of mistakes needs."""
        return {
            "original": item.question,
            "texts": list(item.options),
            "kinds": list(item.kinds),
            "true_kinds": list(item.true_kinds),
            "examples": [example.id for example in self.examples(item)],
        }

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        numbers = super().aggregate(samples)
        measured = [sample for sample in samples if sample.scores]
        tables = {**numbers.breakdown, "clause": _by_clause(measured, self.headline)}
        tables["errors"] = mistakes(measured, self.headline)
        if self.headline != "acc":
            tables["errors by raw log-likelihood"] = mistakes(measured, "acc")
        tables = {name: table for name, table in tables.items() if table}
        return replace(numbers, title=self._title(measured), breakdown=tables, notes=self._notes(measured))

    def _title(self, measured: Sequence[Sample]) -> str:
        if self.source.folder is None:
            return f"{CARD.title} mini items"
        whole, count = SIZES[self._split], len({sample.item for sample in measured})
        name = CARD.title if self._split == "test" else f"{CARD.title} ({self._split})"
        return ", ".join([name, *deviations(self._provenance, count, whole)])

    def _notes(self, measured: Sequence[Sample]) -> tuple[str, ...]:
        notes: list[str] = []
        if self.protocol.shots not in SHOTS:
            notes.append(f"{self.protocol.shots} examples: published numbers have {', '.join(map(str, SHOTS))}")
        ties = sum(sample.detail.get("tied", 1) > 1 for sample in measured)
        if ties and not self.by_letter:
            notes.append(f"{ties} ties for the first place: the right option comes first in this mode and takes them")
        return (*notes, *self._provenance.notes)

    def floors(self, items: Sequence[Any]) -> Mapping[str, Estimate]:
        if not items:
            return {}
        blind = blind_floors(items)
        if not self.by_letter:  # the right answer always comes first here, and no letter is shown
            blind = {name: floor for name, floor in blind.items() if not name.startswith("always ")}
        return {**blind, **artefact_floors(items)}


def _by_clause(samples: Sequence[Sample], metric: str) -> dict[str, Estimate]:
    """The headline by the clause that the local negation changes; items without one stand for themselves."""
    groups = sorted({sample.group for sample in samples})
    return {group: estimate([sample for sample in samples if sample.group == group], metric) for group in groups}
