"""The whole flow on one page: items -> coroutines -> samples -> estimates -> store."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Entry, Item, Task, build_protocol, find_task
from jatdae.benchmarks.konubench.polarity import PolarityReport, paired_polarity
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError, ModelError, RequestError, RequestFailed
from jatdae.models.base import Backend, parse_reference
from jatdae.runtime import Dispatcher, Interrupted, Progress, run_items
from jatdae.stats import proportion
from jatdae.store import Store
from jatdae.types import (
    Completion,
    Estimate,
    Generate,
    Outcome,
    Protocol,
    Request,
    Result,
    Sample,
    Score,
    Scores,
    canonical,
    digest,
)

BUG_LIMIT = 20
"""Items that may fail by a fault of the task's own code before the run is given up."""
WARN_RATE = 0.01
"""Share of answers without a usable choice above which a result says so."""
PACKAGES = ("jatdae", "torch", "transformers", "tokenizers", "numpy", "scipy")
PAIRED_TASKS = (("konubench/kmmlu-pos", "konubench/kmmlu-neg"), ("konubench/boolq", "konubench/boolq-neg"))
"""Positive and negative form of one study: measured in one run, they are also compared item by item."""
_FAULTS = (Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.REFUSED, Outcome.FAILED)


@dataclass(slots=True)
class Run:
    """One invocation: the store it writes to, its number there, and how it tells what it does."""

    store: Store
    id: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class Paired:
    """The positive and the negative form of a study, measured on one model."""

    model: str
    positive: str
    negative: str
    report: PolarityReport


@contextmanager
def open_run(store: Store, command: str, progress: Progress) -> Iterator[Run]:
    """Record a run from its start to its end, however it ends."""
    run = Run(store, store.start_run(command, package_versions(), machine()), progress)
    status = "failed"
    try:
        yield run
        status = "done"
    except (Interrupted, KeyboardInterrupt):
        status = "interrupted"
        raise
    finally:
        store.end_run(run.id, status)


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
        with open_run(opened, f"evaluate({task!r})", progress) as run:
            return measure(entry, protocol, Source.of(data), model, run)[1]
    finally:
        if opened is not store:
            opened.close()


def measure(entry: Entry, protocol: Protocol, source: Source, backend: Backend, run: Run) -> tuple[int, Result]:
    """Evaluate one task under one protocol with one model; returns the stored result's number and the result."""
    passes = prepare(entry, protocol, source)
    items = choose_items(passes[0], protocol.limit)
    check_capabilities(passes[0], backend)
    fingerprint = fingerprint_of(passes[0])
    run.store.remember_model(backend.identity)
    result_id = run.store.start_result(
        run.id,
        task=entry.name,
        model_key=backend.identity.key,
        mode=protocol.mode,
        protocol=protocol,
        fingerprint=fingerprint,
        data_hash=passes[0].data_hash,
        task_version=passes[0].version,
    )
    samples = asyncio.run(collect(passes, items, backend, run, result_id))
    floors = {**passes[0].floors(items), **_random_floor(entry, protocol, source, items, backend, run)}
    result = summarise(passes[0], backend, fingerprint, items, samples, floors)
    run.store.finish_result(result_id, result)
    return result_id, result


def prepare(entry: Entry, protocol: Protocol, source: Source) -> list[Task]:
    """One task object for each few-shot seed. Raises RequestError or DataError if the data cannot be used."""
    seeds = protocol.seeds if protocol.shots else protocol.seeds[:1]
    passes = [entry.task(entry.name, protocol, source, seed) for seed in seeds]
    if not passes[0].items():
        raise RequestError(f"{entry.name} has no items in its {protocol.split} split")
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
    """Refuse a task that needs more than the backend can do."""
    for need in sorted(task.needs):
        if not getattr(backend.capabilities, need):
            raise ModelError(
                f"{task.name} in mode {task.protocol.mode!r} needs {need.replace('_', '-')}, "
                f"which {backend.identity.reference} does not give; choose another mode or backend"
            )


def fingerprint_of(task: Task) -> str:
    """A digest of the question that is asked: task, version, data, prompt and protocol; not the model."""
    protocol = asdict(task.protocol)
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
    async with Dispatcher(backend, run.store) as dispatcher, _stopped_by_ctrl_c(dispatcher):
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
    detail = {**sample.detail, **({"cut_tokens": model.cut_tokens} if model.cut_tokens else {})}
    return replace(sample, seed=task.seed, requests=tuple(model.requests), detail=detail)


def _failed(task: Task, item: Item, kind: str, message: str, requests: Sequence[str]) -> Sample:
    detail = {"kind": kind, "error": message}
    return Sample(item.id, Outcome.FAILED, None, "", {}, item.group, "", task.seed, tuple(requests), detail)


class _stopped_by_ctrl_c:
    """While inside, Ctrl-C drains the dispatcher; a second one stops at once."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._installed = False

    async def __aenter__(self) -> None:
        try:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop)
            self._installed = True
        except (NotImplementedError, RuntimeError, ValueError):
            pass  # not the main thread, or a system without signal handlers: Ctrl-C then stops at once

    async def __aexit__(self, *_: object) -> None:
        if self._installed:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    def _stop(self) -> None:
        self._dispatcher.stop()
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        self._installed = False


def summarise(
    task: Task,
    backend: Backend,
    fingerprint: str,
    items: Sequence[Item],
    samples: Sequence[Sample],
    floors: Mapping[str, Estimate],
) -> Result:
    """Samples to a result: the task's estimates, the rates of every fault, and what a reader must know."""
    aggregate = task.aggregate(samples)
    rates = {outcome.value: proportion([float(s.outcome is outcome) for s in samples]) for outcome in _FAULTS}
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
    )


def _notes(protocol: Protocol, samples: Sequence[Sample], rates: Mapping[str, Estimate], failed: int) -> Iterator[str]:
    if protocol.sampling.temperature > 0:
        yield f"sampled at temperature {protocol.sampling.temperature:g}: not the published protocol, which is greedy"
    if failed:
        first = next(sample for sample in samples if sample.outcome is Outcome.FAILED)
        yield f"incomplete: {failed} of {len(samples)} failed, first {first.item}: {first.detail['error']}"
    for name, rate in rates.items():
        if name != Outcome.FAILED and rate.value > WARN_RATE:
            yield f"{rate.value:.1%} of the answers are {name} and count as wrong: the score measures format as well"
    near = sum(bool(sample.detail.get("near_tie")) for sample in samples)
    if near:
        yield f"{near} of {len(samples)} choices were near ties (under 0.05 nat), which another dtype may turn"
    cut = sum("cut_tokens" in sample.detail for sample in samples)
    if cut:
        yield f"{cut} of {len(samples)} prompts were cut from the left to fit the model's window"


def _random_floor(
    entry: Entry, protocol: Protocol, source: Source, items: Sequence[Item], backend: Backend, run: Run
) -> dict[str, Estimate]:
    """The headline that a small randomly initialised model reaches on the same items, zero-shot."""
    bare = replace(protocol, shots=0)
    task = entry.task(entry.name, bare, source, protocol.seeds[0])
    floor = backend.random_like(seed=0) if task.random_floor else None
    if floor is None:
        return {}
    run.progress.stage("measuring a randomly initialised model on the same items")
    samples = asyncio.run(collect([task], items, floor, run, None))
    aggregate = task.aggregate(samples)
    return {"random model, 0-shot": aggregate.estimates[aggregate.headline]}


class _Asked(Exception):
    """Not an error: it carries the first request out of a coroutine."""

    def __init__(self, request: Request) -> None:
        self.request = request


class _Listener:
    """A model that answers nothing and gives back what it was asked."""

    async def score(self, request: Score) -> Scores:
        raise _Asked(request)

    async def generate(self, request: Generate) -> Completion:
        raise _Asked(request)


def preview(entry: Entry, protocol: Protocol, source: Source, count: int) -> list[tuple[str, Request]]:
    """The first request of the first `count` items that a run would ask about, with the items' ids."""
    task = prepare(entry, protocol, source)[0]

    async def first(item: Item) -> tuple[str, Request]:
        try:
            await task.evaluate(item, _Listener())
        except _Asked as asked:
            return item.id, asked.request
        raise JatdaeError(f"{task.name} asks nothing about {item.id}")

    async def all_of_them() -> list[tuple[str, Request]]:
        return [await first(item) for item in choose_items(task, protocol.limit)[:count]]

    return asyncio.run(all_of_them())


def paired_results(store: Store, numbered: Sequence[tuple[int, Result]]) -> list[Paired]:
    """For each model that was measured on both forms of a negation study: what the negation costs, item by item."""
    found: list[Paired] = []
    for positive, negative in PAIRED_TASKS:
        for number, result in numbered:
            partner = next((n for n, other in numbered if _is_partner(result, other, positive, negative)), None)
            if partner is not None:
                report = paired_polarity(list(store.samples(number)), list(store.samples(partner)))
                found.append(Paired(result.model, positive, negative, report))
    return found


def _is_partner(result: Result, other: Result, positive: str, negative: str) -> bool:
    same = result.model == other.model and result.protocol == other.protocol
    return same and result.task == positive and other.task == negative


def package_versions() -> dict[str, str]:
    """Versions of what decides numbers, Python included."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """What kind of machine this is, in a few words; nothing that names its user or place."""
    return {"system": platform.system(), "architecture": platform.machine(), "byteorder": sys.byteorder}
