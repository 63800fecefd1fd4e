"""What all stages of a run share: settings, data, units, results folder, store, progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jatdae.benchmarks.munbench.cases import case_of, response_of
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation
from jatdae.benchmarks.munbench.records import TRACKS, Dataset
from jatdae.benchmarks.munbench.units import Unit, units_of
from jatdae.errors import RequestError, did_you_mean
from jatdae.evaluate.munbench.config import ModelEntry, MunConfig
from jatdae.evaluate.munbench.files import ResultsFolder
from jatdae.judging.cases import Case, Response, case_key
from jatdae.runtime import Progress, Traffic
from jatdae.store import Store


@dataclass
class Workspace:
    """One run of MunBench. `tracks` and `models` narrow it down; records of others stay as they are."""

    config: MunConfig
    dataset: Dataset
    store: Store
    progress: Progress
    tracks: tuple[int, ...] = (1, 2, 3)
    models: tuple[str, ...] = ()
    traffic: Traffic = field(default_factory=Traffic)
    faults: list[str] = field(default_factory=list)

    @cached_property
    def folder(self) -> ResultsFolder:
        return ResultsFolder(Path(self.store.file).parent, self.config.profile)

    @cached_property
    def whole(self) -> Workspace:
        """The same over all tracks and models. What is made from records is made from all of them: a run of one track
        neither drops the others' lines from a derived file nor rates by its own games alone."""
        whole = replace(self, tracks=tuple(TRACKS), models=())
        whole.folder = self.folder
        return whole

    @cached_property
    def units(self) -> list[Unit]:
        """The units of the chosen tracks."""
        return units_of(self.dataset, self.tracks)

    @cached_property
    def cases(self) -> dict[str, Case]:
        """What judges are told, by unit; units that are not judged have none."""
        judged = [unit for unit in self.units if self.config.judges_unit(unit)]
        return {unit.id: case_of(unit, self.dataset, self.config.profile) for unit in judged}

    @cached_property
    def contestants(self) -> list[ModelEntry]:
        """The models to work on. Raises RequestError for a name that the settings lack."""
        known = {entry.id: entry for entry in self.config.models}
        for name in self.models:
            if name not in known:
                raise RequestError(f"--models {name!r} is not among the models; {did_you_mean(name, known)}")
        chosen = [entry for name, entry in known.items() if not self.models or name in self.models]
        if not chosen:
            raise RequestError("no models: name them under `models:` in the settings")
        return chosen

    def generations(self, model: str) -> dict[tuple[str, int], Generation]:
        """A contestant's samples of these units on this very data, by unit and index."""
        wanted = {unit.id for unit in self.units}
        kept = {}
        for one in self.folder.generations(model):
            name = case_key(one.item, one.variant)
            if name in wanted and one.dataset_hash in ("", self.dataset.hash):
                kept[name, one.index] = one
        return kept

    def judgeable(self, model: str) -> list[tuple[Unit, Generation]]:
        """What there is to judge of a contestant: scorable units with an answer."""
        found = self.generations(model)
        return [
            (unit, one)
            for unit in self.units
            if self.config.judges_unit(unit)
            for index in range(self.config.samples_per_item)
            if (one := found.get((unit.id, index))) is not None and one.status in ANSWERED
        ]

    def responses(self, model: str) -> dict[str, Response]:
        """A contestant's first sample of each unit, laid out for judging."""
        return {unit.id: response_of(unit, one) for unit, one in self.judgeable(model) if one.index == 0}


def names(entries: Sequence[ModelEntry]) -> list[str]:
    return [entry.id for entry in entries]
