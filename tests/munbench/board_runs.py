"""Finished runs made by hand: texts, scores and verdicts written through the results folder, to report on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from munbench_folder import NUANCE, RUBRIC_1, RUBRIC_3, documents, write

from jatdae.benchmarks.munbench.cases import GATE, case_of, response_of
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation, Status
from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.benchmarks.munbench.units import Unit, units_of
from jatdae.evaluate.munbench.config import build_config
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.cases import RubricScore, Verdict
from jatdae.judging.forced import forced_floor
from jatdae.judging.presentation import text_hash
from jatdae.judging.scales import weighted_mean
from jatdae.runtime import Progress
from jatdae.store import Store

MODELS = ("openrouter/gana/gana-7", "openrouter/dara/dara-2", "claude-cli/maba-1")
JUDGES = ("openrouter/gana/gana-7", "openrouter/saa/saa-9", "openrouter/jacha/jacha-3")
"""The first judge is also a contestant."""
HONORIFIC, SUBTEXT = "존댓말 층위·어법", "반어·서브텍스트 해석"
Scores = Mapping[str, float]
Give = Callable[[str, Unit, str, int, random.Random], Scores | float | None]
"""Model, unit, judge, iteration, chance to scores by criterion, one score for all, or None for a failed call."""


def data_files(registers: int = 1) -> dict[str, Any]:
    """The small data set with criteria named as in the published rubrics, and as many register items as wanted."""
    files = documents()
    files[RUBRIC_1]["criteria"][1]["name_ko"] = HONORIFIC
    for place, name in enumerate((*GATE, SUBTEXT)):
        files[RUBRIC_3]["criteria"][place]["name_ko"] = name
    first = files[NUANCE][0]
    files[NUANCE][1:1] = [{**first, "id": f"T3-01-{number:02d}"} for number in range(2, registers + 1)]
    return files


def drawn(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
    """A strong, a middling and a weak model, judges of different leniency, items of different difficulty."""
    level = 7.5 - 1.5 * (MODELS.index(model) if model in MODELS else 1)
    lenient = {name: place - 1 for place, name in enumerate(JUDGES)}.get(judge, 0)
    return min(10.0, max(0.0, level + 0.4 * lenient + chance.gauss(0, 0.7)))


def text_of(model: str, unit: Unit, place: int) -> str:
    """Korean prose, different for every model, unit and place."""
    chance = random.Random(f"{model}|{unit.id}|{place}")
    words = ["비가", "오다", "그쳤다.", "골목에", "불이", "켜졌다.", "아무도", "말하지", "않았다.", "문을", "닫았다."]
    return f"{model[-1]} " + " ".join(chance.choice(words) for _ in range(chance.randint(20, 60)))


@dataclass
class MadeRun:
    """What to write. `statuses` and `texts` replace what a model did with a unit; `scores` says what judges give."""

    folder: Path
    models: Sequence[str] = MODELS
    judges: Sequence[str] = JUDGES
    iterations: int = 2
    give: Give = drawn
    statuses: Mapping[tuple[str, str], Status] = field(default_factory=dict)
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=data_files)
    kept: dict[tuple[str, str], list[RubricScore]] = field(default_factory=dict)
    """All scores that were written, by model and unit."""

    @contextmanager
    def work(self, *, tracks: Sequence[int] = (1, 2, 3), models: Sequence[str] = ()) -> Iterator[Workspace]:
        """The run's workspace, with data and settings as they are now."""
        dataset = read_dataset(write(self.folder / "data", self.files))
        config = build_config(
            {
                "models": list(self.models),
                "judges": list(self.judges),
                "rubric_iterations": self.iterations,
                "ratings": {"bootstrap": 100},
                "folder": self.folder,
                **self.settings,
            }
        )
        with Store.open(config.results_dir) as store:
            yield Workspace(config, dataset, store, Progress(quiet=True), tuple(tracks), tuple(models))

    def write(self) -> MadeRun:
        """Write texts and scores of every model."""
        with self.work() as work:
            for model in self.models:
                made = {unit.id: self._generation(work, model, unit) for unit in work.units}
                work.folder.save_generations(model, list(made.values()))
                scores: list[RubricScore] = []
                for unit in work.units:
                    if made[unit.id].status in ANSWERED and unit.scorable:
                        self.kept[model, unit.id] = list(self._scores(work, unit, made[unit.id]))
                        scores += self.kept[model, unit.id]
                work.folder.save_scores(model, scores)
        return self

    def _generation(self, work: Workspace, model: str, unit: Unit) -> Generation:
        status = self.statuses.get((model, unit.id), Status.OK)
        places = range(4 if unit.track == 1 else 1)
        outputs = tuple(self.texts.get((model, unit.id)) or text_of(model, unit, place) for place in places)
        if status is Status.EMPTY:
            outputs = ("",) * len(places)
        if status is Status.ERROR:
            outputs = ()
        return Generation(
            unit.item.id, unit.track, unit.variant, model, status, outputs, dataset_hash=work.dataset.hash
        )

    def _scores(self, work: Workspace, unit: Unit, made: Generation) -> Iterator[RubricScore]:
        case, response = case_of(unit, work.dataset, work.config.profile), response_of(unit, made)
        for judge in self.judges:
            for iteration in range(self.iterations):
                if made.status is Status.EMPTY and work.config.profile == "standard":
                    yield forced_floor(case, response, judge, iteration)
                    continue
                chance = random.Random(f"{made.model}|{unit.id}|{judge}|{iteration}")
                given = self.give(made.model, unit, judge, iteration, chance)
                names = [criterion.name for criterion in case.criteria]
                scores = given if isinstance(given, Mapping) else dict.fromkeys(names, given or 0.0)
                common = (case.item, case.variant, case.track, made.model, judge, iteration)
                if given is None:
                    yield RubricScore(*common, "failed", error="timeout", text_hash=text_hash(response))
                else:
                    weighted = weighted_mean(scores, case.criteria)
                    yield RubricScore(*common, "ok", scores, weighted, text_hash=text_hash(response))

    def compare(self, winner: Callable[[str, str, Unit, str], str | None], judges: Sequence[str] = ()) -> MadeRun:
        """Write the verdicts of all pairs on the main prompts in both orders; None for a failed call."""
        with self.work() as work:
            texts = {model: work.responses(model) for model in self.models}
            main = [unit for unit in units_of(work.dataset) if unit.is_main]
            verdicts = []
            for judge in judges or self.judges:
                for first in self.models:
                    for second in self.models:
                        verdicts += [
                            Verdict(
                                unit.item.id,
                                unit.variant,
                                unit.track,
                                first,
                                second,
                                judge,
                                "failed" if won is None else "ok",
                                won,  # type: ignore[arg-type]
                                first_hash=text_hash(texts[first][unit.id]),
                                second_hash=text_hash(texts[second][unit.id]),
                            )
                            for unit in main
                            if first != second and unit.id in texts[first] and unit.id in texts[second]
                            for won in (winner(first, second, unit, judge),)
                        ]
            work.folder.save_verdicts(verdicts)
        return self
