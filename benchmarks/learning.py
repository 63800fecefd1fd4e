"""Does fine-tuning learn? A small encoder is trained here from nothing, then fine-tuned on four real KLUE tasks.

    python benchmarks/learning.py --data path/to/data

Of these tasks the dev files are at hand. Each is cut by clusters into 70 % train, 10 % dev (which chooses the weights)
and 20 % test (which is scored). Pre-training sees the train parts and other Korean text of the same folder, and no text
of the other two parts. Prints Markdown tables. Exits 1 where a score is not clearly above its floor, which is what
needs no reading: clearly means that the whole 95 % interval is more than 0.05 above.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from korean_texts import pretraining_pairs
from pretraining import Course, pretrain
from safetensors import safe_open
from splitting import SHARES, split_task

from jatdae import evaluate
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.types import Estimate, Result

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
COURSE = Course()
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "sts": {"lr": "3e-4", "epochs": "6", "batch": "16"},
    "nli": {"lr": "3e-4", "epochs": "5", "batch": "32"},
    "ner": {"lr": "1e-3", "epochs": "8", "batch": "32"},
    "dp": {"lr": "5e-4", "epochs": "8", "batch": "16"},
}
"""Tasks in their order. An encoder of this size takes larger steps and more epochs than the published settings have."""
SHARED_SETTINGS: Mapping[str, str] = {"max_length": "128", "evaluations": "1", "patience": "0"}
MARGIN = 0.05
"""So far above its floor an interval has to begin. Above 0 alone would be too easy: even random tags reach that."""
DECIDING: Mapping[str, Sequence[str]] = {
    "sts": ("pearson",),
    "nli": ("accuracy",),
    "ner": ("entity_f1",),
    "dp": ("uas_macro", "las_macro"),
}


@dataclass(frozen=True, slots=True)
class Reached:
    """A metric of a task: what was reached, and what is reached without reading."""

    task: str
    metric: str
    score: Estimate
    floor: float

    @property
    def is_clear(self) -> bool:
        """Whether the whole interval is above the floor by the margin."""
        return self.score.low is not None and self.score.low > self.floor + MARGIN

    def __str__(self) -> str:
        score = self.score
        interval = "none" if score.low is None or score.high is None else f"{score.low:.4f} to {score.high:.4f}"
        return (
            f"| {self.task} | {self.metric.replace('_', ' ')} | {score.value:.4f} | {interval} | {self.floor:.4f} "
            f"| {score.value - self.floor:+.4f} | {'yes' if self.is_clear else 'no'} |"
        )


def reached(task: str, result: Result) -> Iterator[Reached]:
    """The metrics of a result by which its task is judged here."""
    for metric in DECIDING[task]:
        yield Reached(task, metric, result.estimates[metric], best_floor(task, metric, result.floors))


def best_floor(task: str, metric: str, floors: Mapping[str, Estimate]) -> float:
    """The best of a result's floors in a metric. A constant has no Pearson's r; there 0 is what chance gives."""
    first = JUDGING[task].official[0]
    return max(
        (floor.value for name, floor in floors.items() if (name.partition(", ")[2] or first) == metric), default=0
    )


class Stopwatch:
    """Seconds on the wall, and of all cores together: the second is what to trust on a busy machine."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        return f"{time.perf_counter() - self.wall:.0f} s ({time.process_time() - self.cpu:.0f} s of CPU)"


def count_parameters(folder: Path) -> int:
    """Numbers in the safetensors files below a folder."""
    total = 0
    for path in folder.rglob("model.safetensors"):
        with safe_open(path, framework="np") as file:
            total += sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118
    return total


def make_encoder(folder: Path, parts: Mapping[str, Mapping[str, Sequence[Any]]], data: Path) -> Path:
    """Pre-train in `folder` and tell how large the encoder is and how long it took."""
    watch = Stopwatch()
    pairs = pretraining_pairs(parts, data)
    pretrain(folder, pairs, COURSE, _tell_losses)
    print(
        f"Encoder: {count_parameters(folder):,} parameters, {COURSE.steps:,} batches of {COURSE.batch} out of "
        f"{len(pairs):,} pairs of texts, {watch}.\n"
    )
    return folder


def _tell_losses(step: int, losses: Sequence[float]) -> None:
    if step % 200 == 0:
        told = ", ".join(f"{name} {loss:.2f}" for name, loss in zip(("words", "shared", "pairs"), losses, strict=True))
        print(f"pre-training, step {step} of {COURSE.steps}: {told}", file=sys.stderr)


def measure(data: Path, scratch: Path) -> list[Reached]:
    """Split, pre-train, fine-tune and print; what was reached."""
    whole, labelled = Stopwatch(), scratch / "data"
    labelled.mkdir()
    parts = {task: split_task(task, Source.of(data), labelled) for task in SETTINGS}
    encoder = make_encoder(scratch / "encoder", parts, data)
    found: list[Reached] = []
    courses: list[str] = []
    for task, own in SETTINGS.items():
        watch, store, options = Stopwatch(), scratch / task, {**SHARED_SETTINGS, **own}
        result = evaluate(
            f"klue/{task}", str(encoder), data=labelled, split="test", store=store, options=options, quiet=False
        )
        found += reached(task, result)
        sizes = " | ".join(f"{len(parts[task][part]):,}" for part in SHARES)
        told = ", ".join(f"{name} {value}" for name, value in own.items())
        courses.append(f"| {task} | {sizes} | {told} | {count_parameters(store):,} | {watch} |")
    _print_table("task | metric | score | 95 % interval | floor | above it by | clearly", found)
    _print_table(f"task | {' | '.join(SHARES)} | settings | parameters | time", courses)
    print(f"In all {whole} on {os.cpu_count()} cores.")
    return found


def _print_table(head: str, rows: Sequence[object]) -> None:
    print(f"| {head} |", "|---" * len(head.split(" | ")) + "|", *rows, "", sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("JATDAE_DATA") or DATA))
    chosen: Any = parser.parse_args()
    # the matrices are so small that a second thread costs more than it gives
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        found = measure(chosen.data, Path(scratch))
    sys.exit(0 if all(one.is_clear for one in found) else 1)


if __name__ == "__main__":
    main()
