"""One invocation: recorded in the store from its start to its end, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from jatdae.benchmarks.base import Task
from jatdae.errors import Interrupted, JatdaeError
from jatdae.models.base import ModelIdentity
from jatdae.runtime import Progress, Traffic
from jatdae.runtime.environment import machine, package_versions
from jatdae.store import Store
from jatdae.store.progress import note_progress
from jatdae.types import Result


@dataclass(slots=True)
class Run:
    """One invocation: the store it writes to, its number there, how it tells what it does, and what went wrong."""

    store: Store
    id: int
    progress: Progress
    errors: list[str] = field(default_factory=list)
    traffic: Traffic = field(default_factory=Traffic)


def start_result(run: Run, task: Task, identity: ModelIdentity, *, fingerprint: str, data_hash: str) -> int:
    """Open a task's result for a model in the store; returns its number."""
    run.store.remember_model(identity)
    return run.store.start_result(
        run.id,
        task=task.name,
        model_key=identity.key,
        mode=task.protocol.mode,
        protocol=task.protocol,
        fingerprint=fingerprint,
        data_hash=data_hash,
        task_version=task.version,
    )


def tell_lack(run: Run, result: Result) -> None:
    """Record as the run's error what a result lacks: answers that failed, or a score at all."""
    if not result.complete:
        failed = next(note for note in result.notes if note.startswith("incomplete"))
        run.errors.append(f"{result.task} on {result.model} is {failed}")
    elif not result.estimates:
        run.errors.append(f"{result.task} on {result.model} has {result.notes[0]}")


@contextmanager
def open_run(store: Store, command: str, progress: Progress) -> Iterator[Run]:
    """Record a run from its start to its end, however it ends."""
    run = Run(store, store.start_run(command, package_versions(), machine()), progress)
    progress.listen(lambda label, done, total: note_progress(store, run.id, label, done, total))
    status = "failed"
    try:
        yield run
        status = "failed" if run.errors else "done"
    except (Interrupted, KeyboardInterrupt):
        status = "interrupted"
        raise
    except JatdaeError as error:
        run.errors.append(str(error))
        raise
    finally:
        progress.listen(None)
        store.end_run(run.id, status, "; ".join(run.errors) or None)
