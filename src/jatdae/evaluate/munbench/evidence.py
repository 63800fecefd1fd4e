"""All that a run has gathered, read back from its folder and joined: what ratings and reports are made of.

Judgements of texts that have changed since are left out; so everything after the judging can be made again at any time
from the records alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jatdae.benchmarks.munbench.cases import GATE, response_of
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation
from jatdae.benchmarks.munbench.metrics import TextMetrics
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.games import Comparison, comparisons
from jatdae.evaluate.munbench.measuring import measured
from jatdae.evaluate.munbench.workspace import Workspace, names
from jatdae.judging.cases import Response, RubricScore, Verdict, case_key
from jatdae.judging.identity import Identities
from jatdae.judging.presentation import text_hash
from jatdae.judging.summary import SampleScore, SummaryPolicy, summarise_sample

Key = tuple[str, str, int]
"""Model, unit, index of the sample."""


@dataclass
class Evidence:
    """A view of a workspace's records. Everything is computed when it is first asked for."""

    work: Workspace

    @cached_property
    def models(self) -> list[str]:
        return names(self.work.contestants)

    @cached_property
    def judges(self) -> list[str]:
        return names(self.work.config.judges)

    @cached_property
    def units(self) -> Mapping[str, Unit]:
        return {unit.id: unit for unit in self.work.units}

    @cached_property
    def identities(self) -> Identities:
        return Identities(self.work.config.identity, self.work.config.families)

    @cached_property
    def generations(self) -> Mapping[Key, Generation]:
        """Every sample that there is a record of, whatever became of it."""
        return {
            (model, unit, index): one
            for model in self.models
            for (unit, index), one in self.work.generations(model).items()
        }

    @cached_property
    def responses(self) -> Mapping[Key, Response]:
        return {
            key: response_of(self.units[key[1]], one) for key, one in self.generations.items() if one.status in ANSWERED
        }

    @cached_property
    def metrics(self) -> Mapping[Key, TextMetrics]:
        """The measures that need no judge, of every answered sample that is not empty. Each text is measured once."""
        texts = {
            key: one.outputs for key, one in self.generations.items() if one.status in ANSWERED and one.text.strip()
        }
        return measured(texts, self.units, self.work.dataset, self.work.folder.path / "metrics.jsonl")

    @cached_property
    def scores(self) -> Mapping[Key, list[RubricScore]]:
        """Judgements of the present texts by the present judges."""
        hashes = {key: text_hash(response) for key, response in self.responses.items()}
        found: dict[Key, list[RubricScore]] = {}
        for model in self.models:
            for one in self.work.folder.scores(model):
                key = (model, case_key(one.item, one.variant), one.index)
                if one.judge in self.judges and one.text_hash == hashes.get(key):
                    found.setdefault(key, []).append(one)
        return found

    @cached_property
    def samples(self) -> Mapping[Key, SampleScore]:
        """The rubric's result for every sample that was judged."""
        config = self.work.config
        compat = config.profile == "compat"
        policy = {
            gated: SummaryPolicy(
                tuple(self.judges),
                min_judges=1 if compat else None if config.min_judges == "all" else int(config.min_judges),
                self_judging=config.rubric.self_judging or ("include" if compat else "exclude_self"),
                identities=self.identities,
                gate=GATE if gated and not compat else (),
            )
            for gated in (True, False)
        }
        return {
            key: summarise_sample(records, policy[self.units[key[1]].track == 3])
            for key, records in self.scores.items()
        }

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on the present texts by the present judges."""
        hashes = {key: text_hash(response) for key, response in self.responses.items()}
        judges = set(names(self.work.config.pairwise_judges))
        return [
            one
            for one in self.work.folder.verdicts()
            if one.judge in judges
            and one.first_hash == hashes.get((one.first, self.unit_of(one), 0))
            and one.second_hash == hashes.get((one.second, self.unit_of(one), 0))
        ]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        return comparisons(self.verdicts, self.identities, compat=self.work.config.profile == "compat")

    @staticmethod
    def unit_of(one: Verdict | Comparison) -> str:
        return case_key(one.item, one.variant)
