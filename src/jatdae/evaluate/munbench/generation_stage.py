"""Stage 1: every contestant writes to every unit. Only what has no usable record yet is asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jatdae.benchmarks.munbench.generating import generate
from jatdae.benchmarks.munbench.generations import ANSWERED, Generation
from jatdae.benchmarks.munbench.prompts import prompt_hash
from jatdae.benchmarks.munbench.units import Unit
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.config import FILE, ModelEntry, is_file
from jatdae.evaluate.munbench.files import read_outputs
from jatdae.evaluate.munbench.panel import dispatchers, open_models
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.runtime import Dispatcher, run_items
from jatdae.types import Sampling


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
    sampling = Sampling(config.max_tokens, config.temperature, seed=config.seed if config.temperature else None)
    wanted = [(unit, index) for unit in work.units for index in range(config.samples_per_item)]
    todo = [(unit, index) for unit, index in wanted if not _is_usable(found.get((unit.id, index)))]
    fresh: list[Generation] = []

    async def one(asked: tuple[Unit, int]) -> Generation:
        unit, index = asked
        model = dispatcher.for_item()
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


def _is_usable(generation: Generation | None) -> bool:
    """An error or half a role play is asked again, and so is what was asked in other words."""
    return generation is not None and generation.status in ANSWERED and generation.prompt_hash in ("", prompt_hash())


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
    """Texts that were written elsewhere, by people for example. Returns how many units have none."""
    folder = work.config.folder / Path(entry.id.removeprefix(FILE))
    known = {unit.id for unit in work.units}
    brought = {
        (one.item, one.variant): replace(one, model=entry.id, dataset_hash=work.dataset.hash)
        for one in read_outputs(folder)
        if (f"{one.item}/{one.variant}" if one.variant else one.item) in known
    }
    if not brought:
        raise RequestError(f"{entry.id}: no line of {folder} belongs to the items; lines need item_id and outputs")
    work.folder.save_generations(entry.id, list(brought.values()))
    work.progress.stage(f"{entry.id}: {len(brought)} of {len(known)} texts were brought")
    return len(known) - len(brought)
