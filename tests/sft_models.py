"""Fine-tuning on a tiny model and the bundled items, as a function and as a process of its own that tests kill:
`python sft_models.py BASE FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from jatdae.benchmarks.sources import Source
from jatdae.finetune.causal.adapter import AdapterCard
from jatdae.finetune.causal.settings import resolve_settings
from jatdae.finetune.causal.supervision import training_task
from jatdae.finetune.causal.tuning import Base, Course, learn
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress

QUICK = {"lr": "1e-2", "batch": "4", "micro_batch": "2", "epochs": "2"}
LONG = {**QUICK, "epochs": "14"}
"""Forty-two steps, a checkpoint after each."""


def write_prompt(folder: Path) -> Path:
    """Wording without definitions, so that rows are short."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "description.txt").write_text("", encoding="utf-8")
    (folder / "cloze.txt").write_text("원문: {{original_sentence}}\n부정문:\n", encoding="utf-8")
    return folder


def open_course(folder: Path, mode: str = "cloze", seed: int = 1200, **settings: str) -> Course:
    """The bundled train items under short prompts, which lie beside the folder."""
    prompt = str(write_prompt(folder / "prompt")) if mode == "cloze" else ""
    return Course(training_task(mode, Source.of("mini"), {"prompt": prompt}), resolve_settings(settings), seed)


def open_base(reference: Path | str) -> Base:
    return Base.open(parse_reference(str(reference)), ModelOptions(device="cpu", offline=True))


def tuned(base: Path | str, folder: Path, mode: str = "cloze", seed: int = 1200, **settings: str) -> AdapterCard:
    """An adapter in `folder / "adapter"`, learned or found there."""
    course = open_course(folder, mode, seed, **{**QUICK, **settings})
    return learn(open_base(base), course, folder / "adapter", folder / "training", Progress(quiet=True))


if __name__ == "__main__":
    tuned(sys.argv[1], Path(sys.argv[2]), **LONG)
