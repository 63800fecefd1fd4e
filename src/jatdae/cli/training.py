"""`jatdae train`: fine-tune an encoder and keep the checkpoint, without measuring more than the dev split."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.klue.task import FINETUNE, KlueTask
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
    """What the user typed: a task and `key=value` words, the encoder, where the checkpoint goes, the training seed."""

    words: Sequence[str]
    model: str
    out: Path
    data: str | None
    settings: Sequence[str]
    seed: int


def train_command(request: TrainRequest, options: ModelOptions, *, as_json: bool, quiet: bool) -> None:
    """Fine-tune, or go on where a killed run stopped; under `accelerate launch` one process tells and writes."""
    out = _writable(request.out)
    task = _task(request)
    tuner = open_tuner(task, parse_reference(request.model), options)
    if tuner.tuned:
        raise RequestError(f"{request.model} has a head for {task.name} already; `jatdae run` scores it as it is")
    from jatdae.finetune.checkpoint import read_card
    from jatdae.finetune.tuning import fine_tune, is_main_process

    work = out.with_name(f"{out.name}.training")
    data = training_data(task)
    done = fine_tune(tuner, data, request.seed, out, work, Progress(quiet=quiet or not is_main_process()))
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


def _task(request: TrainRequest) -> KlueTask:
    """The one task that is named, with its data read. Raises RequestError."""
    names = [word for word in request.words if "=" not in word]
    if len(names) != 1:
        raise RequestError(f"one task is trained at a time, such as klue/nli; got {', '.join(names) or 'none'}")
    entry = find_task(names[0])
    if FINETUNE not in entry.task.modes:
        raise RequestError(f"{entry.name} is not fine-tuned; klue's tasks are (see: jatdae list modes)")
    words = [word for word in request.words if "=" in word]
    sampling, own = read_settings([*request.settings, *words])
    if sampling:
        raise RequestError(f"--set {next(iter(sampling))}: training samples no text")
    protocol = build_protocol(entry, FINETUNE, options=own, seeds=(request.seed,))
    task = prepare(entry, protocol, Source.of(request.data))[0]
    if not is_fine_tuned(task):
        raise RequestError(f"{entry.name} is fine-tuned in another way; see its documentation")
    return task
