"""`jatdae train`: fine-tune a model on one task and keep the checkpoint; klue's encoders here, konubench in `sft`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.base import Entry, build_protocol, find_task
from jatdae.benchmarks.klue.task import FINETUNE, KlueTask
from jatdae.benchmarks.konubench.data import BENCHMARK as KONUBENCH
from jatdae.benchmarks.sources import Source
from jatdae.cli.settings import read_settings
from jatdae.errors import RequestError
from jatdae.evaluate import is_fine_tuned, open_tuner, prepare
from jatdae.evaluate.tuned import training_data
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.runtime import Progress


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What the user typed: a task and `key=value` words, the model, where the checkpoint goes, the training seed.

    `seed` None takes the task's own; `mode` says how konubench is learned.
    """

    words: Sequence[str]
    model: str
    out: Path
    data: str | None
    settings: Sequence[str]
    seed: int | None = None
    mode: str | None = None


SEED = 42
"""The training seed of an encoder, unless one is named."""


def train_command(request: TrainRequest, options: ModelOptions, *, as_json: bool, quiet: bool) -> None:
    """Fine-tune, or go on where a killed run stopped; under `accelerate launch` one process tells and writes."""
    out = _writable(request.out)
    entry = _entry(request.words)
    settings = [*request.settings, *(word for word in request.words if "=" in word)]
    if entry.name == KONUBENCH:
        from jatdae.cli.sft import train_adapter

        train_adapter(request, out, settings, options, as_json=as_json, quiet=quiet)
        return
    if FINETUNE not in entry.task.modes:
        raise RequestError(f"{entry.name} is not fine-tuned; klue's tasks and {KONUBENCH} are (see: jatdae list modes)")
    if request.mode not in (None, FINETUNE):
        raise RequestError(f"--mode {request.mode}: {entry.name} is fine-tuned in one way; leave it out")
    _train_encoder(entry, out, request, settings, options, as_json=as_json, quiet=quiet)


def _train_encoder(
    entry: Entry,
    out: Path,
    request: TrainRequest,
    settings: Sequence[str],
    options: ModelOptions,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    seed = SEED if request.seed is None else request.seed
    task = _task(entry, settings, seed, request.data)
    tuner = open_tuner(task, parse_reference(request.model), options)
    if tuner.tuned:
        raise RequestError(f"{request.model} has a head for {task.name} already; `jatdae run` scores it as it is")
    from jatdae.finetune.checkpoint import read_card
    from jatdae.finetune.tuning import fine_tune, is_main_process

    work = out.with_name(f"{out.name}.training")
    data = training_data(task)
    done = fine_tune(tuner, data, seed, out, work, Progress(quiet=quiet or not is_main_process()))
    if not is_main_process():
        return
    card = read_card(done)
    if as_json:
        print(document({"checkpoint": str(done), "card": card}))
        return
    reached = ", ".join(_shown(name, value) for name, value in (card.dev if card else {}).items())
    print(f"{done}: {task.name} dev {reached}")
    print(f"next: jatdae run {task.name} --model {done}", file=sys.stderr)


def _writable(out: Path) -> Path:
    """The whole path of a folder that can be made. Raises RequestError before any work is done for it."""
    out = out.expanduser().absolute()
    nearest = next(folder for folder in (out, *out.parents) if folder.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK) or out.resolve() == Path.cwd():
        raise RequestError(f"--out {out} is no folder that can be made; name a new one")
    return out


def _shown(name: str, value: float | None) -> str:
    return f"{name.replace('_', ' ')} {'undefined' if value is None else f'{value:.2f}'}"


def _entry(words: Sequence[str]) -> Entry:
    """The one task that is named. Raises RequestError."""
    names = [word for word in words if "=" not in word]
    if len(names) != 1:
        raise RequestError(f"one task is trained at a time, such as klue/nli; got {', '.join(names) or 'none'}")
    return find_task(names[0])


def _task(entry: Entry, settings: Sequence[str], seed: int, data: str | None) -> KlueTask:
    """The task with its data read. Raises RequestError."""
    sampling, own = read_settings(settings)
    if sampling:
        raise RequestError(f"--set {next(iter(sampling))}: training samples no text")
    protocol = build_protocol(entry, FINETUNE, options=own, seeds=(seed,))
    task = prepare(entry, protocol, Source.of(data))[0]
    if not is_fine_tuned(task):
        raise RequestError(f"{entry.name} is fine-tuned in another way; see its documentation")
    return task
