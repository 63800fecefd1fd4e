"""What will be asked: the task's passes, the items, what it needs of a model, the fingerprint of the question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jatdae.benchmarks.base import Entry, Item, Task
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.models.base import AnyBackend
from jatdae.types import Protocol, canonical, digest


def prepare(entry: Entry, protocol: Protocol, source: Source) -> list[Task]:
    """One task object for each few-shot seed. Raises RequestError or DataError if the data cannot be used."""
    seeds = protocol.seeds if protocol.shots else protocol.seeds[:1]
    passes = [entry.task(entry.name, protocol, source, seed) for seed in seeds]
    if not passes[0].items():
        raise RequestError(f"{entry.name} has no items in its {protocol.split} split")
    for task in passes:
        task.check()
    return passes


def choose_items(task: Task, limit: int | None) -> list[Any]:
    """All items, or a random `limit` of every stratum: those whose hashed ids come first, in file order.

    The subset depends on nothing but ids, so a larger limit holds a smaller one.
    """
    items = list(task.items())
    _refuse_duplicates(items)
    if limit is None:
        return items
    kept: set[str] = set()
    strata: dict[str, list[str]] = {}
    for item in items:
        strata.setdefault(task.stratum(item), []).append(item.id)
    for ids in strata.values():
        kept.update(sorted(ids, key=lambda name: hashlib.sha256(name.encode()).digest())[:limit])
    return [item for item in items if item.id in kept]


def _refuse_duplicates(items: Sequence[Item]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise RequestError(f"two items have the id {item.id!r}; ids must differ")
        seen.add(item.id)


def check_capabilities(task: Task, backend: AnyBackend) -> None:
    """Refuse a task that needs more than the backend can do. Raises RequestError."""
    for need in sorted(task.needs):
        if not getattr(backend.capabilities, need):
            raise RequestError(
                f"{task.name} in mode {task.protocol.mode!r} needs {need.replace('_', '-')}, "
                f"which {backend.identity.reference} does not give; choose another mode or backend"
            )


def fingerprint_of(task: Task, data_hash: str | None = None, *, trains: bool = True) -> str:
    """A digest of the question that is asked: task, version, data, prompt and protocol; not the model.

    What the protocol cannot use is left out: choice of examples where there are none, seeds where nothing is drawn.
    `data_hash` stands for the data where not all of the task's own take part; without `trains` nothing is learned, and
    settings of training are left out.
    """
    protocol = {**asdict(task.protocol), "options": dict(task.fingerprint_options)}
    if not task.protocol.shots:
        protocol |= {"seeds": task.protocol.seeds if task.draws_seeds and trains else (), "demos": "", "shots_as": ""}
    if not trains:
        protocol["options"] = {name: value for name, value in task.protocol.options.items() if name == "max_length"}
    return digest(canonical([task.name, task.version, data_hash or task.data_hash, task.prompt_hash, protocol]))
