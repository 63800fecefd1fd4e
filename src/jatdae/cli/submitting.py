"""`jatdae export klue-submission`: predictions of a split in the formats of KLUE's leaderboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.benchmarks.klue.labels import TASKS, known_task
from jatdae.benchmarks.klue.reading import locate
from jatdae.benchmarks.klue.reading.files import short_split
from jatdae.benchmarks.klue.reading.unlabelled import read_inputs
from jatdae.benchmarks.klue.submission import CLOSED, FILE, submission
from jatdae.benchmarks.sources import Source
from jatdae.cli.predicting import check_writable, finetuning, open_tuned, predict_records, tell_notes, write_whole
from jatdae.errors import RequestError
from jatdae.models.base import ModelReference, parse_reference
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.runtime import Progress

if TYPE_CHECKING:
    from jatdae.finetune.tuning import Tuner


@dataclass(frozen=True, slots=True)
class _Part:
    """One task of an export: who predicts which records of which file, and where to."""

    tuner: Tuner
    path: Path
    records: list[Any]
    target: Path


def export_command(
    models: Sequence[str],
    out: Path,
    *,
    data: str | None,
    split: str,
    options: ModelOptions,
    as_json: bool,
    quiet: bool,
) -> int:
    """Predict a split with each model and write `out/<folder of the release>/output.csv`; nothing if any part fails."""
    parts = _plan(models, out, Source.of(data), short_split(split), options)
    progress = Progress(quiet=quiet)
    made = []
    for part in parts:
        predictions, notes = predict_records(part.tuner, part.records, progress)
        made.append((part, submission(part.tuner.task, part.records, predictions), notes))
    for part, text, _ in made:
        write_whole(part.target, text)
    if as_json:
        print(document({"submission": [_told(part, notes) for part, _, notes in made], "notes": [CLOSED]}))
    else:
        for part, _, notes in made:
            print(part.target)
            tell_notes((f"klue/{part.tuner.task}: {note}" for note in notes), as_json=False)
        print(f"note: {CLOSED}", file=sys.stderr)
    return 0


def _plan(models: Sequence[str], out: Path, source: Source, split: str, options: ModelOptions) -> list[_Part]:
    """All that can be checked before a model predicts, checked. Raises RequestError, DataError, ModelError."""
    named = [_task_and_reference(text) for text in models]
    if not named:
        raise RequestError("no model is named; for example: jatdae export klue-submission klue/nli=./checkpoint")
    parts: dict[str, _Part] = {}
    for task, reference in named:
        if task in parts:
            raise RequestError(f"two models are named for klue/{task}; a submission has one for each task")
        path = locate(source, task, split)
        target = out / path.name.partition(f"_{split}")[0] / FILE
        check_writable(target)
        parts[task] = _Part(open_tuned(task, reference, options), path, read_inputs(task, path), target)
    return list(parts.values())


def _task_and_reference(text: str) -> tuple[str, ModelReference]:
    """`klue/TASK=REF`, or a folder whose card names its task. Raises RequestError."""
    name, equals, rest = text.partition("=")
    if equals and (name.startswith("klue/") or name in TASKS):
        return known_task(name), parse_reference(rest)
    with finetuning(text):
        from jatdae.finetune.checkpoint import read_card

    reference = parse_reference(text)
    card = read_card(Path(reference.name).expanduser())
    if card is None:
        raise RequestError(f"{text} does not say which task it is fine-tuned on; write klue/TASK={text}")
    return card.task, reference


def _told(part: _Part, notes: Sequence[str]) -> dict[str, Any]:
    return {
        "task": f"klue/{part.tuner.task}",
        "model": str(part.tuner.reference),
        "input": part.path,
        "items": len(part.records),
        "out": part.target,
        "settings": part.tuner.settings,
        "notes": list(notes),
    }
