"""Stage 1: every contestant writes to every unit. Only what has no usable record yet is asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jatdae.benchmarks.munbench.generating import generate
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation
from jatdae.benchmarks.munbench.prompts import prompt_hash
from jatdae.benchmarks.munbench.units import SPECIFIED, Unit
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.config import FILE, ModelEntry, MunConfig, is_file
from jatdae.evaluate.munbench.files import read_outputs
from jatdae.evaluate.munbench.panel import dispatchers, open_models
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.cases import case_key
from jatdae.runtime import Dispatcher, run_items
from jatdae.store import Store
from jatdae.types import Generate, Sampling


def generate_all(work: Workspace) -> int:
    """Run the stage for every contestant; returns how many samples are still missing.

    Raises ModelError before anything is asked when a model cannot be, Interrupted when the user stops it. Whatever
    happens, what was answered is in the store and in the results folder.
    """
    backends = open_models(work.contestants, work.config, work.progress)
    missing = 0
    for entry in work.contestants:
        if is_file(entry):
            missing += _bring(work, entry)
            continue
        one = {entry.id: backends[entry.id]}
        missing += asyncio.run(_ask(work, entry, one))
    return missing


async def _ask(work: Workspace, entry: ModelEntry, backends: dict) -> int:
    async with dispatchers(backends, work.store, work.traffic, work.progress) as opened:
        return await _generate(work, entry, opened[entry.id])


async def _generate(work: Workspace, entry: ModelEntry, dispatcher: Dispatcher) -> int:
    config, found = work.config, work.generations(entry.id)
    wanted = [(unit, index) for unit in work.units for index in range(config.samples_per_item)]
    todo = [
        (unit, index)
        for unit, index in wanted
        if not _is_usable(found.get((unit.id, index)), _sampling(config, index), work.store)
    ]
    fresh: list[Generation] = []

    async def one(asked: tuple[Unit, int]) -> Generation:
        unit, index = asked
        model = dispatcher.for_item()
        sampling = _sampling(config, index)
        made = await generate(unit, model, entry.id, sampling, index=index, dataset_hash=work.dataset.hash)
        return replace(made, requests=tuple(model.requests))

    work.progress.start(f"{entry.id}: writing", len(wanted))
    try:
        async for generation in run_items(todo, one):
            fresh.append(generation)
            work.progress.advance(len(wanted) - len(todo) + len(fresh), len(wanted) - len(todo))
    finally:
        work.folder.save_generations(entry.id, fresh)
        work.progress.finish()
        work.progress.stage(_told(entry.id, [*found.values(), *fresh], dispatcher))
    return sum(generation.status not in ANSWERED for generation in fresh)


def _sampling(config: MunConfig, index: int) -> Sampling:
    """Each sample of a prompt has its own seed: a server that heeds it would write the same text again."""
    return Sampling(config.max_tokens, config.temperature, seed=config.seed + index if config.temperature else None)


def _is_usable(generation: Generation | None, sampling: Sampling, store: Store) -> bool:
    """An error or half a role play is asked again, and so is what was asked in other words or sampled otherwise.

    A record without a request in the store was made elsewhere and stands as it is.
    """
    if generation is None or generation.status not in ANSWERED or generation.prompt_hash not in ("", prompt_hash()):
        return False
    exchange = store.exchange(generation.requests[0]) if generation.requests else None
    return exchange is None or not isinstance(exchange[0], Generate) or exchange[0].sampling == sampling


def _told(model: str, generations: Sequence[Generation], dispatcher: Dispatcher) -> str:
    """One line: what became of the samples, calls, tokens, cost, faults."""
    last = {(one.item, one.variant, one.index): one for one in generations}.values()
    statuses = Counter(one.status.value for one in last)
    faults = Counter(one.error.partition(":")[0] for one in last if one.error)
    costs = [one.cost_usd for one in last if one.cost_usd is not None]
    counts = dispatcher.counts
    parts = [
        ", ".join(f"{number} {status}" for status, number in sorted(statuses.items())),
        f"{counts.asked} calls answered, {counts.stored} from the store, {counts.failed} failed",
        f"{sum(one.usage.get('completion', 0) for one in last):,} tokens written",
    ]
    if costs:
        parts.append(f"{sum(costs):.2f} US dollars")
    if faults:
        parts.append("faults: " + ", ".join(f"{number} {kind}" for kind, number in sorted(faults.items())))
    return f"{model}: " + "; ".join(parts)


def _bring(work: Workspace, entry: ModelEntry) -> int:
    """Texts that were written elsewhere, by people for example. Returns how many samples have none."""
    folder = work.config.folder / Path(entry.id.removeprefix(FILE))
    lines, warnings = read_outputs(folder)
    work.folder.warnings += warnings
    known = {unit.id: unit for unit in work.units}
    brought = {
        (unit.id, one.index): replace(
            one, model=entry.id, track=unit.track, variant=unit.variant, dataset_hash=work.dataset.hash
        )
        for one in lines
        if (unit := _unit_of(one, known)) is not None
    }
    if not brought:
        raise RequestError(f"{entry.id}: no line of {folder} belongs to the items; lines need item_id and outputs")
    work.folder.save_generations(entry.id, list(brought.values()))
    wanted = {(unit, index) for unit in known for index in range(work.config.samples_per_item)}
    usable = {key for key, one in brought.items() if one.status in ANSWERED} & wanted
    work.progress.stage(f"{entry.id}: {len(usable)} of {len(wanted)} texts were brought")
    return len(wanted) - len(usable)


def _unit_of(one: Generation, known: Mapping[str, Unit]) -> Unit | None:
    """A text's unit; without a variant, that of the item's main prompt."""
    names = (case_key(one.item, one.variant), case_key(one.item, one.variant or SPECIFIED))
    return next((known[name] for name in names if name in known), None)
