"""Benchmarks by their bare names: where their data come from, how they are checked, whether they can be run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.base import Card, find_task, registry, spelling
from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.klue.inspection import CARD as KLUE_CARD
from jatdae.benchmarks.klue.inspection import inspect as inspect_klue
from jatdae.benchmarks.klue.labels import TASKS as KLUE_TASKS
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, did_you_mean


def _nothing_more(folder: Path | None) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Family:
    """A benchmark's data: `inspect` looks at local files, `release` is what can be fetched (None: nothing).

    `after_pull` completes what was fetched and says so in a line, "" where there is nothing to say.
    """

    name: str
    card: Card
    inspect: Callable[[Source], Inspection | None]
    release: Release | None = None
    after_pull: Callable[[Path | None], str] = _nothing_more
    tasks: tuple[str, ...] = ()
    """Names of tasks that aren't in the registry."""


SCORED_ONLY = {
    "klue": Family("klue", KLUE_CARD, inspect_klue, tasks=tuple(f"klue/{task}" for task in KLUE_TASKS)),
}
"""Benchmarks that have data and scoring, and no task that could be run."""


def find_family(name: str) -> Family:
    """The benchmark of a name; a task's name stands for its family. Raises RequestError with a hint."""
    alone = _scored_only(name)
    if alone is not None:
        return alone
    known = [*registry(), *SCORED_ONLY, *(task for family in SCORED_ONLY.values() for task in family.tasks)]
    if spelling(name) not in map(spelling, registry()):
        raise RequestError(f"unknown benchmark {name!r}; {did_you_mean(name, known)}")
    exact = find_task(name).name
    benchmark = exact.partition("/")[0]
    task = find_task(benchmark).task
    return Family(
        benchmark,
        task.card,
        lambda source: task.inspect(exact, source),
        task.release(benchmark),
        lambda folder: task.after_pull(benchmark, folder),
    )


def check_runnable(name: str) -> None:
    """Raises RequestError for a benchmark that can be scored and not run."""
    family = _scored_only(name)
    if family is not None:
        task = next((task for task in family.tasks if spelling(task) == spelling(name)), family.tasks[0])
        raise RequestError(
            f"{name} can be scored, not run: Jatdae does not fine-tune yet; score predictions made elsewhere with "
            f"`jatdae score {task} --pred FILE`"
        )


def _scored_only(name: str) -> Family | None:
    for family in SCORED_ONLY.values():
        if spelling(name) in (family.name, *map(spelling, family.tasks)):
            return family
    return None
