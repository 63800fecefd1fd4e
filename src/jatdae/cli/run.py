"""`jatdae run`: from options to a plan, from the plan to results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Entry, Task, build_protocol, find_task
from jatdae.benchmarks.families import expand
from jatdae.benchmarks.klue.recipes import grid as grid_cells
from jatdae.benchmarks.klue.task import FINETUNE
from jatdae.benchmarks.munbench.rule_judge import NAME as RULE
from jatdae.benchmarks.preview import preview
from jatdae.benchmarks.sources import Source
from jatdae.cli.settings import ints, key_values, one_of, read_settings
from jatdae.cli.suite import read_suite
from jatdae.errors import JatdaeError, ModelError, RequestError
from jatdae.evaluate import (
    Run,
    check_capabilities,
    choose_items,
    is_fine_tuned,
    measure,
    measure_fine_tuned,
    open_run,
    open_tuner,
    prepare,
)
from jatdae.models.base import AnyBackend, ModelReference, parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.reports.documents import document
from jatdae.reports.klue import klue_table
from jatdae.reports.pairs import paired_results
from jatdae.reports.tables import console, explain, grid_table, leaderboard, paired_table
from jatdae.runtime import Budget, Progress, Traffic
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
    backend_options: tuple[str, ...] = ()
    truncate: str = "refuse"
    trust_remote_code: bool = False
    offline: bool = False
    grid: str | None = None
    judges: tuple[str, ...] = ()
    base_url: str | None = None
    concurrency: int = 8
    max_usd: float | None = None
    max_calls: int | None = None


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model that is opened, weights not loaded yet: as a backend where tasks ask, as an encoder for each that is
    fine-tuned (by the task's place in the plan)."""

    reference: ModelReference
    backend: AnyBackend | None
    tuners: dict[int, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be measured: every model on every task under its protocol, with the data read; and who judges."""

    models: tuple[ModelReference, ...]
    tasks: tuple[list[Task], ...]
    options: ModelOptions
    judges: tuple[ModelReference, ...] = ()


def run_command(request: RunRequest, *, store: Path, preview: int | None, as_json: bool, quiet: bool) -> int:
    """Measure everything that was asked for; 0 when all of it is complete, 1 otherwise."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise RequestError(
            "`jatdae run` measures with one process; train with several by `accelerate launch --module jatdae train`, "
            "then run the checkpoint"
        )
    plan = make_plan(request)
    if preview is not None:
        return preview_command(plan, preview, as_json=as_json)
    progress = Progress(quiet=quiet)
    budget = Budget(request.max_usd, request.max_calls)
    judges = {str(judge): open_backend(judge, _options_of(judge, plan), progress.stage) for judge in plan.judges}
    contestants, unusable = open_contestants(plan, progress)
    with Store.open(store) as opened, open_run(opened, redact(["jatdae", *sys.argv[1:]]), progress) as run:
        run.errors += unusable
        run.traffic = Traffic(budget)
        numbered = measure_all(plan, contestants, run, judges)
        pairs = paired_results(run, numbered)
    results = [result for _, result in numbered]
    if as_json:
        told = {"run": run.id, "store": str(store), "versions": package_versions(), "machine": machine()}
        print(document({**told, "results": results, "paired": pairs, "errors": run.errors}))
    else:
        show_results(results, pairs, varied=request.grid is not None)
        print(f"run {run.id} is in {store}; `jatdae show {run.id} --store {store}` explains it", file=sys.stderr)
    return tell_failures(run)


def open_contestants(plan: Plan, progress: Progress) -> tuple[list[Contestant], list[str]]:
    """The models, weights not loaded yet, and why others cannot be run. Raises RequestError if a task needs more."""
    contestants: list[Contestant] = []
    unusable: list[str] = []
    for reference in plan.models:
        try:
            contestants.append(_opened(reference, plan, progress))
        except ModelError as error:
            unusable.append(str(error))
    return contestants, unusable


def _options_of(reference: ModelReference, plan: Plan) -> ModelOptions:
    """`--base-url` names the server of `openai:` models; litellm knows its providers' own."""
    if reference.backend != "litellm":
        return plan.options
    return replace(plan.options, remote=replace(plan.options.remote, base_url=None))


def _opened(reference: ModelReference, plan: Plan, progress: Progress) -> Contestant:
    tasks = [task for task, *_ in plan.tasks]
    asking = [task for task in tasks if not is_fine_tuned(task)]
    backend = open_backend(reference, _options_of(reference, plan), progress.stage) if asking else None
    if backend is not None:
        for task in asking:
            check_capabilities(task, backend)
    tuners: dict[int, Any] = {}
    encoders: dict[str, Any] = {}
    for place, task in enumerate(tasks):
        if is_fine_tuned(task):
            tuners[place] = open_tuner(task, reference, plan.options, encoders.get(task.task))
            encoders[task.task] = tuners[place].recipe.encoder
    return Contestant(reference, backend, tuners)


def make_plan(request: RunRequest) -> Plan:
    """Check everything that can be checked before a model is loaded. Raises RequestError."""
    request = _with_settings(request)
    wanted: list[tuple[str, dict[str, Any]]] = [
        (name, {}) for given in dict.fromkeys(request.tasks) for name in _runnable(given, request.mode)
    ]
    models = list(dict.fromkeys(request.models))
    if request.config is not None:
        suite = read_suite(request.config)
        models += suite.models
        wanted += [(name, task.choices()) for task in suite.tasks for name in _runnable(task.task, task.mode)]
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
        backend_options=key_values("--backend-option", request.backend_options),
        truncate=one_of("--truncate", request.truncate, ("refuse", "left")) or "refuse",
        trust_remote_code=request.trust_remote_code,
        offline=request.offline,
        remote=RemoteOptions(base_url=request.base_url, concurrency=request.concurrency),
    )
    judges = [name if name == RULE else str(parse_reference(name)) for name in dict.fromkeys(request.judges)]
    references = tuple(parse_reference(model) for model in models)
    asked = [
        pair
        for name, own in wanted
        for choices in _cells(name, _merged(_choices(request, judges), own), request.grid)
        for pair in _protocols(name, choices)
    ]
    source = Source.of(request.data)
    tasks = tuple(prepare(entry, protocol, source) for entry, protocol in asked)
    return Plan(references, tasks, options, tuple(parse_reference(name) for name in judges if name != RULE))


def _with_settings(request: RunRequest) -> RunRequest:
    """`--set epochs=3 lr=3e-5` reads as one option and a word after it: words with `=` are settings, never tasks."""
    settings = tuple(word for word in request.tasks if "=" in word)
    tasks = tuple(word for word in request.tasks if "=" not in word)
    return replace(request, tasks=tasks, settings=(*request.settings, *settings))


def _merged(choices: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """A suite's choices for a task over those of the command line; of settings each by its name."""
    options = {**choices.get("options", {}), **own.get("options", {})}
    return {**choices, **own, **({"options": options} if options else {})}


def _runnable(name: str, mode: str | None) -> tuple[str, ...]:
    """The tasks that a name stands for; of a whole benchmark those that have the mode, if any has."""
    names = expand(name)
    having = tuple(task for task in names if mode in find_task(task).task.modes)
    return having if len(names) > 1 and having else names


def _cells(name: str, choices: dict[str, Any], grid: str | None) -> Iterator[dict[str, Any]]:
    """The choices of each cell of a grid over a task's settings; without a grid the choices as they are."""
    if grid is None:
        yield choices
        return
    if not name.startswith("klue/") or choices.get("mode") not in (None, FINETUNE):
        raise RequestError(f"--grid is for fine-tuning; {name} has nothing to vary by it")
    options = choices.get("options") or {}
    for cell in grid_cells(grid, options):
        yield {**choices, "options": {**options, **cell}}


def _choices(request: RunRequest, judges: Sequence[str]) -> dict[str, Any]:
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
        "options": {**own, **({"judges": " ".join(judges)} if judges else {})} or None,
        "sampling": sampling or None,
    }
    return {name: value for name, value in made.items() if value is not None}


def _protocols(name: str, choices: dict[str, Any]) -> Iterator[tuple[Entry, Protocol]]:
    """The protocols of one task: one for each number of shots."""
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


def measure_all(
    plan: Plan, contestants: list[Contestant], run: Run, judges: Mapping[str, AnyBackend] | None = None
) -> list[tuple[int, Result]]:
    """Every model on every task, one in memory at a time; what cannot be run is reported, the rest goes on."""
    numbered: list[tuple[int, Result]] = []
    while contestants:
        contestant = contestants.pop(0)
        backend = contestant.backend
        for place, passes in enumerate(plan.tasks):
            task = passes[0]
            if backend is None and not is_fine_tuned(task):
                continue
            try:
                if is_fine_tuned(task):
                    numbered.append(measure_fine_tuned(task, contestant.tuners.pop(place), run))
                elif backend is not None:
                    numbered.append(measure(passes, backend, run, judges))
            except ModelError as error:
                run.errors.append(str(error))
                if not is_fine_tuned(task):
                    backend = None
    return numbered


def preview_command(plan: Plan, count: int, *, as_json: bool) -> int:
    """Print what would be sent, exactly, and send nothing."""
    shown = []
    if any(is_fine_tuned(task) for task, *_ in plan.tasks):
        raise RequestError("--preview shows prompts, and fine-tuning has none; choose --mode prompt")
    for reference in plan.models:
        backend = open_backend(reference, _options_of(reference, plan))
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


def show_results(results: Sequence[Result], pairs: Sequence[Any], *, varied: bool = False) -> None:
    """The tables of a run on standard output; of settings that were varied one table, without each in full."""
    screen = console()
    if varied:
        screen.print(grid_table(results))
        return
    for result in results:
        explain(screen, result, whole=False)
    if pairs:
        screen.print(paired_table(pairs))
    if results:
        screen.print(leaderboard(results))
    side_by_side = klue_table(results)
    if side_by_side is not None:
        screen.print(side_by_side)


def tell_failures(run: Run) -> int:
    """One line on standard error for everything that is missing; the exit code."""
    for error in run.errors:
        print(f"error: {error}", file=sys.stderr)
    return JatdaeError.exit_code if run.errors else 0
