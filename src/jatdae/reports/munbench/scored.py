"""The rubric's values that a report is made of: one a unit, which is one prompt of one item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from jatdae.benchmarks.munbench.generations import ANSWERED, Generation, Status
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.config import MunConfig
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.scales import HIGHEST, LOWEST
from jatdae.judging.summary import SampleScore
from jatdae.stats import mean
from jatdae.types import Estimate

Counting = Literal["headline", "all", "answered"]
"""`headline`: what was judged; an empty text counts 0 unless `missing_policy` says `exclude`, an error is missing.
`all`: what has no text at all counts 0 as well. `answered`: neither, so only texts that are there."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A unit and one judged sample of it."""

    unit: Unit
    score: SampleScore


def mean_score(values: Sequence[float], items: Sequence[str]) -> Estimate:
    """The mean of scores with its interval by item, which ends where the scale does."""
    found = mean(values, items)
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(LOWEST, found.low), high=min(HIGHEST, found.high))


@dataclass
class Scored:
    """A workspace's records as values by model and unit. Several samples of a unit are averaged first."""

    work: Workspace

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.work)

    @property
    def config(self) -> MunConfig:
        return self.work.config

    @property
    def is_compat(self) -> bool:
        return self.config.profile == "compat"

    @property
    def models(self) -> list[str]:
        return self.evidence.models

    @cached_property
    def main_units(self) -> dict[int, list[Unit]]:
        """The units that count for the headline, by track, without tracks that have none."""
        found = {track: [unit for unit in self.work.units if unit.track == track and unit.is_main] for track in TRACKS}
        return {track: units for track, units in found.items() if units}

    @cached_property
    def all_main_units(self) -> list[Unit]:
        return [unit for units in self.main_units.values() for unit in units]

    def samples(self, model: str, unit: Unit) -> Iterator[tuple[Generation | None, SampleScore | None]]:
        """What there is of each sample of a unit."""
        for index in range(self.config.samples_per_item):
            key = (model, unit.id, index)
            yield self.evidence.generations.get(key), self.evidence.samples.get(key)

    def value(self, model: str, unit: Unit, counting: Counting = "headline") -> float | None:
        """The unit's score from 0 to 10; None where nothing counts."""
        known = [
            value
            for made, score in self.samples(model, unit)
            if (value := self._sample_value(made, score, counting)) is not None
        ]
        return sum(known) / len(known) if known else None

    def _sample_value(self, made: Generation | None, score: SampleScore | None, counting: Counting) -> float | None:
        if made is None or made.status not in ANSWERED:
            return LOWEST if counting == "all" else None
        is_empty = made.status is Status.EMPTY
        if is_empty and (
            counting == "answered" or (counting == "headline" and self.config.missing_policy == "exclude")
        ):
            return None
        if score is None or score.final_mean is None:
            return None
        # Weights that do not sum to 1 exactly may carry a mean over the end of the scale by a last digit.
        return min(max(score.final_mean, LOWEST), HIGHEST)

    def values(self, model: str, units: Sequence[Unit], counting: Counting = "headline") -> dict[str, float]:
        """Scores by unit id; units without one are left out."""
        return {unit.id: value for unit in units if (value := self.value(model, unit, counting)) is not None}

    def estimate(self, model: str, units: Sequence[Unit], counting: Counting = "headline") -> Estimate | None:
        """The mean of some units with its interval by item; None where none is scored."""
        kept = [(unit, value) for unit in units if (value := self.value(model, unit, counting)) is not None]
        return mean_score([value for _, value in kept], [unit.item.id for unit, _ in kept]) if kept else None

    def judged(self, model: str, units: Sequence[Unit]) -> list[Pair]:
        """Samples that are complete and count for the headline, in the units' order."""
        return [
            Pair(unit, score)
            for unit in units
            for made, score in self.samples(model, unit)
            if score is not None and self._sample_value(made, score, "headline") is not None
        ]
