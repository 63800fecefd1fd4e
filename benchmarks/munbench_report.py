"""How long a leaderboard of the full size takes: 13 models, 191 prompts, 9 judgements of each text, 500 pairs.

Usage: python benchmarks/munbench_report.py [models]

Texts are cut from the bundled items, judgements are drawn. Prints a Markdown table; exits 1 above 10 seconds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from jatdae.benchmarks.munbench.cases import case_of, response_of
from jatdae.benchmarks.munbench.generations import Generation, Status
from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
from jatdae.benchmarks.munbench.records import Dataset, LiteraryItem, MunItem, NuanceItem
from jatdae.benchmarks.munbench.units import Unit
from jatdae.benchmarks.sources import Source
from jatdae.evaluate.munbench.config import build_config
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.rating_stage import rate_all
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.cases import RubricScore, Verdict
from jatdae.judging.presentation import text_hash
from jatdae.judging.scales import weighted_mean
from jatdae.reports.munbench import leaderboard, write_leaderboard
from jatdae.runtime import Progress
from jatdae.store import Store

JUDGES = ("openrouter/a/first", "openrouter/b/second", "openrouter/c/third")
ITERATIONS, PAIRS, LIMIT = 3, 500, 10.0
SIZES = {1: 50, 2: 48, 3: 60}
VARIANTS = 33


def full_size(mini: Dataset) -> Dataset:
    """The bundled items, repeated under new ids until there are as many as in the published set."""
    items: list[MunItem] = []
    for track, size in SIZES.items():
        for number, item in enumerate(islice(cycle(mini.of_track(track)), size)):
            items.append(replace(item, id=f"T{track}-{number // 60 + 1:02d}-{number % 60 + 1:02d}"))
    spare = mini.of_track(3)
    contrast = next(item.variant for item in spare if isinstance(item, NuanceItem) and item.variant)
    last = [replace(item, variant=contrast if place < VARIANTS else None) for place, item in enumerate(items[98:])]
    return replace(mini, items=(*items[:98], *last))


def text_of(item: MunItem) -> str:
    """Prose to cut answers from."""
    return item.prompt if isinstance(item, LiteraryItem | NuanceItem) else f"{item.setup} {' '.join(item.turns)}"


def generations(work: Workspace, model: str, random: np.random.Generator) -> Iterator[tuple[Unit, Generation]]:
    prose = " ".join(text_of(item) for item in work.dataset.items[:120])
    for unit in work.units:
        size = 130 if unit.track == 1 else 700
        starts = random.integers(0, len(prose) - size, 4 if unit.track == 1 else 1)
        outputs = tuple(prose[start : start + size] for start in starts)
        yield (
            unit,
            Generation(
                unit.item.id, unit.track, unit.variant, model, Status.OK, outputs, dataset_hash=work.dataset.hash
            ),
        )


def judged(work: Workspace, unit: Unit, made: Generation, random: np.random.Generator) -> Iterator[RubricScore]:
    case, hashed = case_of(unit, work.dataset), text_hash(response_of(unit, made))
    for judge in JUDGES:
        for iteration in range(ITERATIONS):
            scores = {one.name: float(np.clip(random.normal(7, 1.5), 0, 10).round(1)) for one in case.criteria}
            yield RubricScore(
                case.item,
                case.variant,
                case.track,
                made.model,
                judge,
                iteration,
                "ok",
                scores,
                weighted_mean(scores, case.criteria),
                evidence=dict.fromkeys(scores, "짧은 구절"),
                raw=("{}" * 200,),
                text_hash=hashed,
            )


def fill(work: Workspace) -> None:
    """Write every record of a finished run."""
    random = np.random.default_rng(0)
    for entry in work.config.models:
        made = list(generations(work, entry.id, random))
        work.folder.save_generations(entry.id, [one for _, one in made])
        scores = [score for unit, one in made for score in judged(work, unit, one, random)]
        work.folder.save_scores(entry.id, scores)
    texts = {entry.id: work.responses(entry.id) for entry in work.config.models}
    names, units = list(texts), [unit for unit in work.units if unit.is_main]
    verdicts = []
    for number in range(PAIRS):
        unit = units[number % len(units)]
        a, b = (names[place] for place in random.choice(len(names), 2, replace=False))
        for judge in JUDGES:
            for first, second in ((a, b), (b, a)):
                hashes = [text_hash(texts[model][unit.id]) for model in (first, second)]
                winner = "A" if random.random() < 0.5 else "B"
                verdicts.append(
                    Verdict(
                        unit.item.id,
                        unit.variant,
                        unit.track,
                        first,
                        second,
                        judge,
                        "ok",
                        winner,
                        first_hash=hashes[0],
                        second_hash=hashes[1],
                    )
                )
    work.folder.save_verdicts(verdicts)


def main(models: int) -> int:
    dataset = full_size(read_dataset(locate_data(Source.of("mini"))))
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder)) as store:
        names = [f"openrouter/vendor{number}/model{number}" for number in range(models)]
        config = build_config({"models": names, "judges": list(JUDGES), "pairwise": {"anchors": names[:1]}})
        fill(Workspace(config, dataset, store, Progress(quiet=True)))
        rate_all(Workspace(config, dataset, store, Progress(quiet=True)))
        start = time.perf_counter()
        _ = Evidence(Workspace(config, dataset, store, Progress(quiet=True))).metrics
        measured = time.perf_counter() - start
        work = Workspace(config, dataset, store, Progress(quiet=True))
        start = time.perf_counter()
        board = leaderboard(work)
        made = time.perf_counter()
        write_leaderboard(board, Path(folder))
        end = time.perf_counter()
    print("| models | prompts | judgements a text | leaderboard, s | of it measuring texts, s | writing, s |")
    print("| --- | --- | --- | --- | --- | --- |")
    judgements = len(JUDGES) * ITERATIONS
    seconds = f"{made - start:.2f} | {measured:.2f} | {end - made:.2f}"
    print(f"| {models} | {len(work.units)} | {judgements} | {seconds} |")
    return int(end - start > LIMIT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 13))
