"""Tasks that ask a model item by item: items -> coroutines -> samples -> a result in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from jatdae.benchmarks.base import Item, Task
from jatdae.benchmarks.munbench.task import MunTask
from jatdae.errors import JatdaeError, RequestFailed
from jatdae.evaluate.judged import check_panel, is_judged, panel_of
from jatdae.evaluate.munbench.panel import dispatchers
from jatdae.evaluate.planning import check_capabilities, choose_items, fingerprint_of
from jatdae.evaluate.run import Run, start_result, tell_lack
from jatdae.evaluate.summary import summarise
from jatdae.models.base import AnyBackend
from jatdae.runtime import Dispatcher, run_items, stopped_by_ctrl_c
from jatdae.types import Estimate, Outcome, Result, Sample

BUG_LIMIT = 20
"""Items that may fail by a fault of the task's own code before the run is given up."""

T = TypeVar("T")


def measure(
    passes: Sequence[Task], backend: AnyBackend, run: Run, judges: Mapping[str, AnyBackend] | None = None
) -> tuple[int, Result]:
    """Evaluate a task (one object for each few-shot seed) with one model; returns the result and its number.

    `judges` are the models, by name, that a judged task has its texts scored by.
    """
    task = passes[0]
    items = choose_items(task, task.protocol.limit)
    data_hash, fingerprint = task.data_hash, fingerprint_of(task)
    check_capabilities(task, backend)
    if is_judged(task):
        check_panel(task, backend.identity.reference)
    result_id = start_result(run, task, backend.identity, fingerprint=fingerprint, data_hash=data_hash)
    if is_judged(task):
        samples = _in_a_loop(_collect_judged(task, items, backend, run, result_id, judges or {}))
    else:
        samples = _in_a_loop(collect(passes, items, backend, run, result_id))
    floors = {**task.floors(items), **_random_floor(task, items, backend, run)}
    result = summarise(task, backend, items, samples, floors, fingerprint=fingerprint, data_hash=data_hash)
    run.store.finish_result(result_id, result)
    tell_lack(run, result)
    return result_id, result


async def _collect_judged(
    task: MunTask,
    items: Sequence[Item],
    backend: AnyBackend,
    run: Run,
    result_id: int,
    judges: Mapping[str, AnyBackend],
) -> list[Sample]:
    """As `collect`, with the judges of the task open beside its contestant."""
    wanted = {name: judge for name, judge in judges.items() if name in task.judges}
    async with dispatchers(wanted, run.store, run.traffic, run.progress) as opened:
        task.contestant, task.panel = backend.identity.reference, panel_of(task, opened)
        return await collect([task], items, backend, run, result_id)


def _in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook: then in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, work).result()


async def collect(
    passes: Sequence[Task], items: Sequence[Item], backend: AnyBackend, run: Run, result_id: int | None
) -> list[Sample]:
    """Ask about every item in every pass; samples are stored as they come and returned in file order."""
    label = f"{passes[0].name} {passes[0].protocol.mode} {passes[0].protocol.shots}-shot"
    run.progress.start(label, len(items) * len(passes))
    samples: list[Sample] = []
    unsaved: list[Sample] = []
    bugs: list[Exception] = []
    async with (
        Dispatcher(backend, run.store, traffic=run.traffic) as dispatcher,
        stopped_by_ctrl_c(dispatcher.stop, run.progress.stage),
    ):
        work = [(task, item) for task in passes for item in items]
        try:
            async for sample in run_items(work, lambda pair: _one(*pair, dispatcher, bugs)):
                samples.append(sample)
                unsaved.append(sample)
                if result_id is not None and len(unsaved) >= 256:
                    run.store.add_samples(result_id, unsaved)
                    unsaved = []
                run.progress.advance(len(samples), min(dispatcher.counts.stored, len(samples)))
        finally:
            if result_id is not None:
                run.store.add_samples(result_id, unsaved)
            run.progress.finish()
    place: dict[tuple[int | None, str], int] = {
        (task.seed, item.id): number for number, (task, item) in enumerate(work)
    }
    return sorted(samples, key=lambda sample: place[(sample.seed, sample.item)])


async def _one(task: Task, item: Item, dispatcher: Dispatcher, bugs: list[Exception]) -> Sample:
    """One item, isolated: what goes wrong with it becomes a failed sample and touches no other item."""
    model = dispatcher.for_item()
    try:
        sample = await task.evaluate(item, model)
    except RequestFailed as error:
        return _failed(task, item, error.kind, str(error), model.requests)
    except JatdaeError:
        raise
    except Exception as error:
        bugs.append(error)
        if len(bugs) > BUG_LIMIT:
            raise JatdaeError(f"{task.name} failed on {len(bugs)} items, last on {item.id}: {error!r}") from error
        return _failed(task, item, "internal", repr(error), model.requests)
    asked = {"cut_tokens": model.cut_tokens, "merged": model.merged}
    detail = {**sample.detail, **{name: value for name, value in asked.items() if value}}
    return replace(sample, seed=task.seed, requests=tuple(model.requests), detail=detail)


def _failed(task: Task, item: Item, kind: str, message: str, requests: Sequence[str]) -> Sample:
    detail = {"kind": kind, "error": message}
    return Sample(item.id, Outcome.FAILED, None, "", {}, item.group, "", task.seed, tuple(requests), detail)


def _random_floor(task: Task, items: Sequence[Item], backend: AnyBackend, run: Run) -> dict[str, Estimate]:
    """The headline that a small random model reaches on the same items, zero-shot, if it can read them all."""
    bare = type(task)(task.name, replace(task.protocol, shots=0), task.source, task.seed)
    floor = backend.random_like(seed=0) if task.random_floor else None
    if floor is None:
        return {}
    run.progress.stage("measuring a randomly initialised model on the same items")
    samples = _in_a_loop(collect([bare], items, floor, run, None))
    if any(sample.outcome is Outcome.FAILED for sample in samples):
        run.progress.stage("no random floor: some items do not fit the model's window")
        return {}
    aggregate = bare.aggregate(samples)
    return {"random model, 0-shot": aggregate.estimates[aggregate.headline]}
