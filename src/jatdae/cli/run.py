"""`jatdae run`: from options to a plan, from the plan to results."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Entry, Task, build_protocol, find_task
from jatdae.benchmarks.families import check_runnable
from jatdae.benchmarks.preview import preview
from jatdae.benchmarks.sources import Source
from jatdae.cli.settings import ints, one_of, read_settings
from jatdae.cli.suite import read_suite
from jatdae.errors import JatdaeError, ModelError, RequestError
from jatdae.evaluate import Run, check_capabilities, choose_items, measure, open_run, prepare
from jatdae.models.base import Backend, ModelReference, parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.reports.pairs import paired_results
from jatdae.reports.tables import console, explain, leaderboard, paired_table
from jatdae.runtime import Progress
from jatdae.runtime.environment import machine, package_versions
from jatdae.store import Store, redact
from jatdae.types import Protocol, Result, Sampling


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the user typed, as text; `None` where nothing was said."""

    tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    config: Path | None = None
    mode: str | None = None
    shots: str | None = None
    seeds: str | None = None
    demos: str | None = None
    split: str | None = None
    limit: int | None = None
    data: str | None = None
    chat_template: bool | None = None
    shots_as: str | None = None
    settings: tuple[str, ...] = ()
    dtype: str | None = None
    device: str = "auto"
    batch_tokens: int | None = None
    truncate: str = "refuse"
    trust_remote_code: bool = False
    offline: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be measured: every model on every task under its protocol, with the data read."""

    models: tuple[ModelReference, ...]
    tasks: tuple[list[Task], ...]
    options: ModelOptions


def run_command(request: RunRequest, *, store: Path, preview: int | None, as_json: bool, quiet: bool) -> int:
    """Measure everything that was asked for; 0 when all of it is complete, 1 otherwise."""
    plan = make_plan(request)
    if preview is not None:
        return preview_command(plan, preview, as_json=as_json)
    progress = Progress(quiet=quiet)
    backends, unusable = open_backends(plan, progress)
    with Store.open(store) as opened, open_run(opened, redact(["jatdae", *sys.argv[1:]]), progress) as run:
        run.errors += unusable
        numbered = measure_all(plan, backends, run)
        pairs = paired_results(run, numbered)
    results = [result for _, result in numbered]
    if as_json:
        told = {"run": run.id, "store": str(store), "versions": package_versions(), "machine": machine()}
        print(document({**told, "results": results, "paired": pairs, "errors": run.errors}))
    else:
        show_results(results, pairs)
        print(f"run {run.id} is in {store}; `jatdae show {run.id} --store {store}` explains it", file=sys.stderr)
    return tell_failures(run)


def open_backends(plan: Plan, progress: Progress) -> tuple[list[Backend], list[str]]:
    """The models, weights not loaded yet, and why others cannot be run. Raises RequestError if a task needs more."""
    backends: list[Backend] = []
    unusable: list[str] = []
    for reference in plan.models:
        try:
            backends += [open_backend(reference, plan.options, progress.stage)]
        except ModelError as error:
            unusable.append(str(error))
    for backend in backends:
        for task, *_ in plan.tasks:
            check_capabilities(task, backend)
    return backends, unusable


def make_plan(request: RunRequest) -> Plan:
    """Check everything that can be checked before a model is loaded. Raises RequestError."""
    wanted: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in dict.fromkeys(request.tasks)]
    models = list(dict.fromkeys(request.models))
    if request.config is not None:
        suite = read_suite(request.config)
        models += suite.models
        wanted += [(task.task, task.choices()) for task in suite.tasks]
    if not wanted:
        raise RequestError(
            "no task is named; for example: jatdae run kmmlu --model hf:./checkpoint (see: jatdae list tasks)"
        )
    if not models:
        raise RequestError("no model is named; add --model, for example --model hf:./checkpoint")
    options = ModelOptions(
        dtype=one_of("--dtype", request.dtype, ("float32", "bfloat16", "float16")),
        device=request.device,
        batch_tokens=request.batch_tokens,
        truncate=one_of("--truncate", request.truncate, ("refuse", "left")) or "refuse",
        trust_remote_code=request.trust_remote_code,
        offline=request.offline,
    )
    references = tuple(parse_reference(model) for model in models)
    asked = [pair for name, own in wanted for pair in _protocols(name, {**_choices(request), **own})]
    source = Source.of(request.data)
    return Plan(references, tuple(prepare(entry, protocol, source) for entry, protocol in asked), options)


def _choices(request: RunRequest) -> dict[str, Any]:
    """The protocol choices of the command line, those that were made."""
    sampling, own = read_settings(request.settings)
    made: dict[str, Any] = {
        "mode": request.mode,
        "shots": ints("--shots", request.shots),
        "seeds": ints("--seeds", request.seeds),
        "demos": one_of("--demos", request.demos, ("fixed", "per-item")),
        "split": request.split,
        "limit": request.limit,
        "chat_template": request.chat_template,
        "shots_as": one_of("--shots-as", request.shots_as, ("turns", "text")),
        "options": own or None,
        "sampling": sampling or None,
    }
    return {name: value for name, value in made.items() if value is not None}


def _protocols(name: str, choices: dict[str, Any]) -> Iterator[tuple[Entry, Protocol]]:
    """The protocols of one task: one for each number of shots."""
    check_runnable(name)
    entry = find_task(name)
    given = dict(choices)
    sampling: dict[str, Any] = given.pop("sampling", {})
    for shots in given.pop("shots", None) or (None,):
        protocol = build_protocol(
            entry, given.get("mode"), shots=shots, **{k: v for k, v in given.items() if k != "mode"}
        )
        if sampling.get("temperature"):
            sampling = {"seed": 0, **sampling}
        if sampling:
            known = {field.name for field in fields(Sampling)}
            protocol = replace(
                protocol, sampling=replace(protocol.sampling, **{k: sampling[k] for k in sampling if k in known})
            )
        yield entry, protocol


def measure_all(plan: Plan, backends: list[Backend], run: Run) -> list[tuple[int, Result]]:
    """Every model on every task, one in memory at a time; one that cannot be run is reported, the others go on."""
    numbered: list[tuple[int, Result]] = []
    while backends:
        backend = backends.pop(0)
        try:
            for passes in plan.tasks:
                numbered += [measure(passes, backend, run)]
        except ModelError as error:
            run.errors.append(str(error))
    return numbered


def preview_command(plan: Plan, count: int, *, as_json: bool) -> int:
    """Print what would be sent, exactly, and send nothing."""
    shown = []
    for reference in plan.models:
        backend = open_backend(reference, plan.options)
        for task, *_ in plan.tasks:
            for item, request in preview(task, choose_items(task, task.protocol.limit)[:count]):
                sent = backend.preview(request)
                asked = {"model": str(reference), "task": task.name, "protocol": task.protocol, "item": item}
                shown.append({**asked, "sequences": sent})
    if as_json:
        print(document({"preview": shown}))
        return 0
    for entry in shown:
        print(f"=== {entry['model']} {entry['task']} {entry['item']}")
        for number, sequence in enumerate(entry["sequences"]):
            print(f"--- sequence {number}: {len(sequence.ids)} tokens\n{sequence.text}\n{list(sequence.ids)}")
    return 0


def show_results(results: Sequence[Result], pairs: Sequence[Any]) -> None:
    """The tables of a run on standard output."""
    screen = console()
    for result in results:
        explain(screen, result, whole=False)
    if pairs:
        screen.print(paired_table(pairs))
    if results:
        screen.print(leaderboard(results))


def tell_failures(run: Run) -> int:
    """One line on standard error for everything that is missing; the exit code."""
    for error in run.errors:
        print(f"error: {error}", file=sys.stderr)
    return JatdaeError.exit_code if run.errors else 0
