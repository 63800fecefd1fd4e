"""MunBench as tasks of the registry: `munbench/emotion`, `munbench/literary`, `munbench/nuance`.

An item is one prompt. The contestant writes, judges score the text by the track's rubric, and what can be computed
without a judge is computed. Comparison of contestants, ratings and the leaderboard are `jatdae munbench`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import ClassVar

from jatdae.benchmarks.base import Aggregate, Card, Task, register
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.munbench.cases import GATE, case_of, response_of
from jatdae.benchmarks.munbench.estimates import criteria_table, free_measures, group_table, variant_table
from jatdae.benchmarks.munbench.generating import generate
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation, Status
from jatdae.benchmarks.munbench.metrics import Measurer
from jatdae.benchmarks.munbench.prompts import prompt_hash
from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
from jatdae.benchmarks.munbench.records import TRACKS, Dataset
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit, units_of
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, RequestFailed
from jatdae.judging.cases import Profile
from jatdae.judging.forced import forced_floor
from jatdae.judging.judge import Judge
from jatdae.judging.summary import SampleScore, SelfJudging, SummaryPolicy, summarise_sample
from jatdae.stats import mean
from jatdae.types import Estimate, Model, Outcome, Protocol, Sample, Sampling

CARD = Card(
    title="MunBench (문벤치)",
    licence="none stated upstream: bring your own copy; the starter set (`--data mini`) is part of Jatdae",
    origin="published items in a folder of your own; nothing is fetched",
)
SELF_JUDGING: Mapping[Profile, SelfJudging] = {"standard": "exclude_self", "compat": "include"}
OUTCOMES: Mapping[Status, Outcome] = {
    Status.OK: Outcome.RIGHT,
    Status.TRUNCATED: Outcome.TRUNCATED,
    Status.REFUSED: Outcome.REFUSED,
    Status.EMPTY: Outcome.UNPARSED,
}


@register("munbench/nuance", "Speech levels, idioms, implied culture and subtext; judged text.")
@register("munbench/literary", "Literary commissions with constraints that expose habits of models; judged text.")
@register("munbench/emotion", "Role play in which feelings are read between the lines, then explained; judged text.")
class MunTask(Task):
    """One track. Whoever runs the task puts the judges into `panel`, by name, and who writes into `contestant`."""

    version: ClassVar[str] = "1"
    card: ClassVar[Card] = CARD
    modes: ClassVar[Mapping[str, str]] = {"generate": "The model writes, judges score what it wrote by a rubric."}
    faults_mean: ClassVar[str] = "are judged as they are, and an empty text gets the floor"

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        super().__init__(name, protocol, source, seed)
        self.track = next(track for track, title in TRACKS.items() if name.endswith(title))
        self.panel: Mapping[str, Judge] = {}
        self.contestant = ""

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        """Temperature 1 and 2,048 tokens, as published; three iterations of each judge."""
        options = {"judges": "", "iterations": "3", "profile": "standard"}
        return Protocol(mode=mode, split="all", sampling=Sampling(2048, 1.0, seed=0), options=options)

    @classmethod
    def inspect(cls, name: str, source: Source) -> Inspection | None:
        from jatdae.benchmarks.munbench.inspection import inspect_folder

        return inspect_folder(locate_data(source))

    @cached_property
    def dataset(self) -> Dataset:
        return read_dataset(locate_data(self.source))

    @cached_property
    def measurer(self) -> Measurer:
        return Measurer(self.dataset)

    @property
    def data_hash(self) -> str:
        return self.dataset.hash

    @property
    def prompt_hash(self) -> str:
        return prompt_hash()

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges' names, as the protocol has them."""
        return tuple(self.protocol.options["judges"].split())

    @property
    def iterations(self) -> int:
        """How often each judge scores a text. Raises RequestError for what is no number from 1 on."""
        given = self.protocol.options["iterations"]
        if not given.isdecimal() or int(given) < 1:
            raise RequestError(f"iterations {given!r}: a whole number from 1 on is needed")
        return int(given)

    @property
    def profile(self) -> Profile:
        """Raises RequestError for an unknown word."""
        for known in SELF_JUDGING:
            if self.protocol.options["profile"] == known:
                return known
        raise RequestError(f"profile {self.protocol.options['profile']!r}: 'standard' or 'compat' is needed")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"chat"})

    def items(self) -> Sequence[Unit]:
        """The track's prompts that can be scored."""
        return [unit for unit in units_of(self.dataset, (self.track,)) if unit.scorable]

    def check(self) -> None:
        if not self.judges:
            raise RequestError(
                f"{self.name} needs a judge; add --judge REF, or --judge rule for one that needs no model"
            )
        if self.protocol.shots:
            raise RequestError(f"{self.name} knows no examples; leave --shots out")
        _ = self.iterations, self.profile

    def stratum(self, item: Unit) -> str:
        return item.group

    async def evaluate(self, item: Unit, model: Model) -> Sample:
        """Have the unit written to, then judged by the whole panel."""
        made = await generate(item, model, self.contestant, self.protocol.sampling, dataset_hash=self.dataset.hash)
        if made.status not in ANSWERED:
            kind, _, message = made.error.partition(": ")
            raise RequestFailed(message, kind=kind)
        score = await self._judged(item, made)
        metrics = self.measurer.measure(item, made.outputs)
        scores = {f"judge {one.judge}": one.mean / 10 for one in score.judges if one.mean is not None}
        if score.final_mean is not None:
            scores["rubric"] = score.final_mean / 10
        return Sample(
            item=item.id,
            outcome=OUTCOMES[made.status],
            prediction="\n\n".join(made.outputs),
            target="",
            scores=scores,
            group=item.group,
            cluster=item.item.id,
            detail={
                "status": made.status.value,
                "variant": item.variant,
                "outputs": made.outputs,
                "criteria": dict(score.criteria),
                "gate_failed": score.gate_failed,
                "judges_failed": score.judges_failed,
                "metrics": asdict(metrics),
            },
        )

    async def _judged(self, unit: Unit, made: Generation) -> SampleScore:
        """The panel's scores. Raises RequestFailed when a judge gave none: a mean over fewer is another quantity."""
        profile = self.profile
        case, response = case_of(unit, self.dataset, profile), response_of(unit, made)
        calls = [(judge, iteration) for judge in self.panel.values() for iteration in range(self.iterations)]
        if made.status is Status.EMPTY and profile == "standard":
            records = [forced_floor(case, response, judge.name, iteration) for judge, iteration in calls]
        else:
            records = await asyncio.gather(*(judge.score(case, response, iteration) for judge, iteration in calls))
        gate = GATE if unit.track == 3 and profile == "standard" else ()
        policy = SummaryPolicy(tuple(self.panel), self_judging=SELF_JUDGING[profile], gate=gate)
        score = summarise_sample(records, policy)
        if not score.complete:
            faults = [
                f"{one.judge}: {one.error or one.status}" for one in records if one.status not in ("ok", "forced")
            ]
            raise RequestFailed("; ".join(dict.fromkeys(faults)), kind="judge")
        return score

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        """The rubric's mean (1 is 10 points) over the main prompts, each judge's, and what needs no judge."""
        main = [one for one in samples if one.detail.get("variant") != NEUTRAL and "rubric" in one.scores]
        if not main:
            return Aggregate("rubric", "no scores", {}, notes=("no text was judged",))
        estimates = dict(_means(main))
        breakdown = {
            "group": group_table(main),
            "criterion": criteria_table(main),
            **({"specified minus neutral": table} if (table := variant_table(samples)) else {}),
        }
        missing = sum("rubric" not in one.scores for one in samples)
        title = "rubric mean" if not missing else f"rubric mean over {len(samples) - missing} of {len(samples)} texts"
        return Aggregate("rubric", title, {**estimates, **free_measures(main)}, breakdown, tuple(_notes(self, main)))


def _means(samples: Sequence[Sample]) -> Iterator[tuple[str, Estimate]]:
    names = dict.fromkeys(["rubric", *(name for one in samples for name in one.scores)])
    for name in names:
        kept = [one for one in samples if name in one.scores]
        yield name, mean([one.scores[name] for one in kept], [one.cluster for one in kept])


def _notes(task: MunTask, samples: Sequence[Sample]) -> Iterator[str]:
    yield "rubric scores are points out of 10, here divided by 10; the judges are not validated against people"
    if "rule" in task.judges:
        yield "the judge 'rule' computes surface measures: no substitute for a reader"
    gated = sum(bool(one.detail.get("gate_failed")) for one in samples)
    if gated:
        yield f"{gated} of {len(samples)} texts fail the gate: honorifics under 3 points"
