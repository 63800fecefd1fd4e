"""`jatdae predict`: what a fine-tuned checkpoint says about items that need no labels."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.klue.reading.unlabelled import input_notes, read_inputs
from jatdae.benchmarks.klue.recipes import OPTIONS
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.transfer import replaced_whole
from jatdae.errors import ModelError, RequestError
from jatdae.models.base import ModelReference, parse_reference
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.runtime import Progress

if TYPE_CHECKING:
    from jatdae.finetune.tuning import Tuner

STANDARD_OUTPUT = Path("-")


def predict_command(
    task: str,
    model: str,
    input_file: Path,
    out: Path | None,
    *,
    options: ModelOptions,
    as_json: bool,
    quiet: bool,
) -> int:
    """Predict a file's items and write JSON lines that `jatdae score` reads, to a file or standard output."""
    task = known_task(task)
    target = None if out in (None, STANDARD_OUTPUT) else out
    if target is not None:
        check_writable(target)
    records = read_inputs(task, input_file)
    tuner = open_tuned(task, parse_reference(model), options)
    predicted, notes = predict_records(tuner, records, Progress(quiet=quiet))
    lines = prediction_lines(predicted.items())
    if target is not None:
        write_whole(target, "".join(f"{line}\n" for line in lines))
    told = {"task": f"klue/{task}", "model": str(tuner.reference), "input": str(input_file), "items": len(lines)}
    if as_json:
        where: dict[str, Any] = {"predictions": [json.loads(line) for line in lines]} if target is None else {}
        print(document({"predict": {**told, "out": target, **where, "settings": tuner.settings, "notes": notes}}))
    elif target is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    else:
        print(f"{len(lines):,} predictions of klue/{task} are in {target}", file=sys.stderr)
    tell_notes(notes, as_json=as_json)
    return 0


@contextlib.contextmanager
def finetuning(model: str) -> Iterator[None]:
    """For the imports of what runs a fine-tuned model. Raises ModelError that says how to install what is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{model} needs the package {error.name}; install it with: pip install 'jatdae[hf]'"
        raise ModelError(message) from None


def open_tuned(task: str, reference: ModelReference, options: ModelOptions) -> Tuner:
    """A model with the task's head, set as when it was fine-tuned. Raises RequestError for one without, ModelError."""
    with finetuning(str(reference)):
        from jatdae.finetune.tuning import Tuner
    tuner = Tuner.open(task, reference, options, OPTIONS)
    if not tuner.tuned:
        raise RequestError(
            f"{reference} has no head for klue/{task}, so it cannot predict; fine-tune it first: "
            f"jatdae train klue/{task} --model {reference.name} --out DIR"
        )
    return tuner


def predict_records(
    tuner: Tuner, records: list[Any], progress: Progress
) -> tuple[dict[str, Prediction], tuple[str, ...]]:
    """Predictions by item, and what a reader of them must know. Raises ModelError."""
    from jatdae.finetune.tuning import predict

    predicted = predict(None, tuner, records, progress)
    return dict(predicted.predictions), (*input_notes(tuner.task, records), *predicted.notes)


def prediction_lines(predictions: Iterable[tuple[str, Prediction]]) -> list[str]:
    """A JSON line for each item, without its end. Raises ModelError for a number that is none."""
    lines = []
    for guid, prediction in predictions:
        try:
            lines.append(json.dumps({"guid": guid, **prediction}, ensure_ascii=False, allow_nan=False))
        except ValueError:
            raise ModelError(f"{guid}: what the model gives is no finite number; try --dtype float32") from None
    return lines


def check_writable(target: Path) -> None:
    """That a file can be put there, before any work is done for it. Raises RequestError."""
    if target.is_dir():
        raise RequestError(f"--out {target} is a folder; name a file in it, for example {target / 'predictions.jsonl'}")
    nearest = next(folder for folder in target.absolute().parents if folder.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise RequestError(f"--out {target}: {nearest} is no folder that can be written to")


def write_whole(target: Path, text: str) -> None:
    """Put a file in place whole or not at all; line ends stay as they are. Raises RequestError."""
    try:
        with replaced_whole(target) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise RequestError(f"--out {target} cannot be written ({error.strerror})") from None


def tell_notes(notes: Iterable[str], *, as_json: bool) -> None:
    """A line on standard error for each; none where the document on standard output has them."""
    if not as_json:
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
