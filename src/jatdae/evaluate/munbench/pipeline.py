"""The stages in order, each callable alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
from jatdae.benchmarks.sources import MINI, Source
from jatdae.evaluate.munbench.config import MunConfig
from jatdae.evaluate.munbench.generation_stage import generate_all
from jatdae.evaluate.munbench.judging_stage import judge_pairs, judge_rubric
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.locking import locked
from jatdae.evaluate.munbench.rating_stage import rate_all
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.evaluate.run import open_run
from jatdae.runtime import Progress, Traffic
from jatdae.store import Store

STAGES: Mapping[str, Callable[[Workspace], int]] = {
    "generate": generate_all,
    "rubric": judge_rubric,
    "pairwise": judge_pairs,
    "elo": rate_all,
}
"""Each returns how many records it had to leave missing."""


def data_folder(config: MunConfig) -> Path:
    """Where the settings' data lie; the word `mini` stands for the bundled starter set."""
    name = config.paths.data_dir
    return locate_data(Source.of(MINI if name == MINI else config.data_dir))


@contextmanager
def workspace(
    config: MunConfig,
    command: str,
    *,
    tracks: Sequence[int] = (1, 2, 3),
    models: Sequence[str] = (),
    progress: Progress | None = None,
) -> Iterator[Workspace]:
    """Open a results folder for one process, with its data read and its budget as far spent as the store says."""
    dataset = read_dataset(data_folder(config))
    progress = progress or Progress(quiet=True)
    with locked(config.results_dir), Store.open(config.results_dir) as store, open_run(store, command, progress) as run:
        budget = config.new_budget()
        budget.calls, budget.spent_usd = store.spent()
        work = Workspace(config, dataset, store, progress, tuple(tracks), tuple(models), traffic=Traffic(budget))
        write_text(config.results_dir / "config.json", config.model_dump_json(indent=2) + "\n")
        yield work
        run.errors += work.faults


def run_stages(work: Workspace, stages: Sequence[str]) -> None:
    """Run stages in order. A stage that leaves something missing is told, and the next goes on with what there is.

    Raises what a stage raises: a model that cannot be asked, a stop by the user.
    """
    for stage in stages:
        missing = STAGES[stage](work)
        if missing:
            work.faults.append(f"{stage}: {missing} records are missing; the same command asks for them again")
