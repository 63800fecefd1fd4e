"""Benchmarks by their bare names: which tasks they have, where their data come from, how they are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.base import Card, find_task, registry, spelling
from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, did_you_mean


@dataclass(frozen=True, slots=True)
class Family:
    """A benchmark's data: `inspect` looks at local files, `release` is what can be fetched (None: nothing).

    `after_pull` completes what was fetched and says so in a line, "" where there is nothing to say.
    """

    name: str
    card: Card
    inspect: Callable[[Source], Inspection | None]
    release: Release | None
    after_pull: Callable[[Path | None], str]


def expand(name: str) -> tuple[str, ...]:
    """The tasks that a name stands for: itself, or all tasks of a benchmark that is no task of its own.

    Spelling as in `find_task`. Raises RequestError with a hint for a name that is neither.
    """
    wanted = spelling(name)
    known = list(registry())
    exact = [task for task in known if spelling(task) == wanted]
    tasks = exact or [task for task in known if spelling(task.partition("/")[0]) == wanted]
    if not tasks:
        names = dict.fromkeys((*known, *(task.partition("/")[0] for task in known)))
        raise RequestError(f"unknown task {name!r}; {did_you_mean(name, names)} (see: jatdae list tasks)")
    return tuple(tasks)


def find_family(name: str) -> Family:
    """The benchmark of a name; a task's name stands for its family. Raises RequestError with a hint."""
    exact = expand(name)[0]
    benchmark = exact.partition("/")[0]
    first = expand(benchmark)[0]
    task = find_task(first).task
    return Family(
        benchmark,
        task.card,
        lambda source: task.inspect(exact, source),
        task.release(first),
        lambda folder: task.after_pull(first, folder),
    )
