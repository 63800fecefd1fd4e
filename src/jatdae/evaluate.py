"""The whole flow on one page: items -> coroutines -> samples -> estimates -> store."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from jatdae.benchmarks.aggregation import rate
from jatdae.benchmarks.base import Entry, Item, Task, build_protocol, find_task
from jatdae.benchmarks.sources import Source
from jatdae.errors import Interrupted, JatdaeError, RequestError, RequestFailed
from jatdae.models.base import Backend, parse_reference
from jatdae.runtime import Dispatcher, Progress, run_items, stopped_by_ctrl_c
from jatdae.runtime.environment import machine, package_versions
from jatdae.store import Store
from jatdae.types import Estimate, Outcome, Protocol, Result, Sample, canonical, digest

BUG_LIMIT = 20
"""Items that may fail by a fault of the task's own code before the run is given up."""
WARN_RATE = 0.01
"""Share of answers without a usable choice above which a result says so."""
_FAULTS = (Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.REFUSED, Outcome.FAILED)

T = TypeVar("T")


@dataclass(slots=True)
class Run:
    """One invocation: the store it writes to, its number there, how it tells what it does, and what went wrong."""

    store: Store
    id: int
    progress: Progress
    errors: list[str] = field(default_factory=list)


@contextmanager
def open_run(store: Store, command: str, progress: Progress) -> Iterator[Run]:
    """Record a run from its start to its end, however it ends."""
    run = Run(store, store.start_run(command, package_versions(), machine()), progress)
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
        store.end_run(run.id, status, "; ".join(run.errors) or None)


def evaluate(
    task: str,
    model: str | Backend,
    *,
    store: Store | Path | str = "jatdae-store",
    data: str | Path | None = None,
    mode: str | None = None,
    quiet: bool = True,
    **choices: Any,
) -> Result:
    """Measure one model on one task and return the result, which is also kept in the store.

    `model` is a reference such as `hf:./checkpoint` or a backend. `choices` are fields of `Protocol` (shots, seeds,
    limit, chat_template, options ...). Raises RequestError for what cannot be asked, ModelError for a model that
    cannot be run.
    """
    from jatdae.models.opening import open_backend
    from jatdae.models.options import ModelOptions

    entry = find_task(task)
    protocol = build_protocol(entry, mode, **choices)
    progress = Progress(quiet=quiet)
    if isinstance(model, str):
        model = open_backend(parse_reference(model), ModelOptions(), progress.stage)
    opened = store if isinstance(store, Store) else Store.open(store)
    try:
        passes = prepare(entry, protocol, Source.of(data))
        with open_run(opened, f"evaluate({task!r})", progress) as run:
            return measure(passes, model, run)[1]
    finally:
        if opened is not store:
            opened.close()


def measure(passes: Sequence[Task], backend: Backend, run: Run) -> tuple[int, Result]:
    """Evaluate a task (one object for each few-shot seed) with one model; returns the result and its number."""
    task = passes[0]
    items = choose_items(task, task.protocol.limit)
    data_hash, fingerprint = task.data_hash, fingerprint_of(task)
    check_capabilities(task, backend)
    run.store.remember_model(backend.identity)
    result_id = run.store.start_result(
        run.id,
        task=task.name,
        model_key=backend.identity.key,
        mode=task.protocol.mode,
        protocol=task.protocol,
        fingerprint=fingerprint,
        data_hash=data_hash,
        task_version=task.version,
    )
    samples = _in_a_loop(collect(passes, items, backend, run, result_id))
    floors = {**task.floors(items), **_random_floor(task, items, backend, run)}
    result = summarise(task, backend, items, samples, floors, fingerprint=fingerprint, data_hash=data_hash)
    run.store.finish_result(result_id, result)
    if not result.complete:
        failed = next(note for note in result.notes if note.startswith("incomplete"))
        run.errors.append(f"{result.task} on {result.model} is {failed}")
    return result_id, result


def _in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook: then in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, work).result()


def prepare(entry: Entry, protocol: Protocol, source: Source) -> list[Task]:
    """One task object for each few-shot seed. Raises RequestError or DataError if the data cannot be used."""
    seeds = protocol.seeds if protocol.shots else protocol.seeds[:1]
    passes = [entry.task(entry.name, protocol, source, seed) for seed in seeds]
    if not passes[0].items():
        raise RequestError(f"{entry.name} has no items in its {protocol.split} split")
    for task in passes:
        task.check()
    return passes


def choose_items(task: Task, limit: int | None) -> list[Item]:
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


def check_capabilities(task: Task, backend: Backend) -> None:
    """Refuse a task that needs more than the backend can do. Raises RequestError."""
    for need in sorted(task.needs):
        if not getattr(backend.capabilities, need):
            raise RequestError(
                f"{task.name} in mode {task.protocol.mode!r} needs {need.replace('_', '-')}, "
                f"which {backend.identity.reference} does not give; choose another mode or backend"
            )


def fingerprint_of(task: Task) -> str:
    """A digest of the question that is asked: task, version, data, prompt and protocol; not the model.

    What the protocol cannot use is left out: seeds and choice of examples where there are none.
    """
    protocol = {**asdict(task.protocol), "options": dict(task.fingerprint_options)}
    if not task.protocol.shots:
        protocol |= {"seeds": (), "demos": "", "shots_as": ""}
    return digest(canonical([task.name, task.version, task.data_hash, task.prompt_hash, protocol]))


async def collect(
    passes: Sequence[Task], items: Sequence[Item], backend: Backend, run: Run, result_id: int | None
) -> list[Sample]:
    """Ask about every item in every pass; samples are stored as they come and returned in file order."""
    label = f"{passes[0].name} {passes[0].protocol.mode} {passes[0].protocol.shots}-shot"
    run.progress.start(label, len(items) * len(passes))
    samples: list[Sample] = []
    unsaved: list[Sample] = []
    bugs: list[Exception] = []
    async with Dispatcher(backend, run.store) as dispatcher, stopped_by_ctrl_c(dispatcher.stop, run.progress.stage):
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


def summarise(
    task: Task,
    backend: Backend,
    items: Sequence[Item],
    samples: Sequence[Sample],
    floors: Mapping[str, Estimate],
    *,
    fingerprint: str,
    data_hash: str,
) -> Result:
    """Samples to a result: the task's estimates, the rates of every fault, and what a reader must know."""
    aggregate = task.aggregate(samples)
    rates = {outcome.value: rate(samples, outcome) for outcome in _FAULTS}
    failed = sum(sample.outcome is Outcome.FAILED for sample in samples)
    return Result(
        task=task.name,
        model=backend.identity.reference,
        protocol=task.protocol,
        fingerprint=fingerprint,
        title=aggregate.title,
        headline=aggregate.headline,
        estimates=aggregate.estimates,
        rates=rates,
        floors=floors,
        breakdown=aggregate.breakdown,
        items=len(items),
        complete=not failed,
        notes=(*aggregate.notes, *_notes(task.protocol, samples, rates, failed), *backend.notes),
        settings=backend.settings,
        model_key=backend.identity.key,
        data_hash=data_hash,
        task_version=task.version,
    )


def _notes(protocol: Protocol, samples: Sequence[Sample], rates: Mapping[str, Estimate], failed: int) -> Iterator[str]:
    if protocol.sampling.temperature > 0:
        yield f"sampled at temperature {protocol.sampling.temperature:g}: not the published protocol, which is greedy"
    if failed:
        first = next(sample for sample in samples if sample.outcome is Outcome.FAILED)
        yield f"incomplete: {failed} of {len(samples)} failed, first {first.item}: {first.detail['error']}"
    for name, share in rates.items():
        if name != Outcome.FAILED and share.value > WARN_RATE:
            yield f"{share.value:.1%} of the answers are {name} and count as wrong: the score measures format as well"
    near = sum(bool(sample.detail.get("near_tie")) for sample in samples)
    if near:
        yield f"{near} of {len(samples)} choices were near ties (under 0.05 nat), which another dtype may turn"
    cut = sum("cut_tokens" in sample.detail for sample in samples)
    if cut:
        yield f"{cut} of {len(samples)} prompts were cut from the left to fit the model's window"
    merged = sum("merged" in sample.detail for sample in samples)
    if merged:
        yield (
            f"in {merged} of {len(samples)} items a token covers the end of the prompt and the start of an option; "
            "their options are scored from the last token boundary that all share with the prompt"
        )


def _random_floor(task: Task, items: Sequence[Item], backend: Backend, run: Run) -> dict[str, Estimate]:
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
