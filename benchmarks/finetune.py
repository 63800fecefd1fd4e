"""One epoch on real KLUE-NLI pairs: batches of like length against padding to the fixed length of the original recipe.

    python benchmarks/finetune.py [--data DIR] [--repeats 2] [--epochs 1]

Both runs go through the same trainer, model, seed and settings; they differ in how rows are batched and padded. Needs
the dev file of KLUE-NLI, of which four fifths are trained on and one fifth is scored, by premise. Exits 1 if the
ratio of wall times is below 2.5 or the accuracies differ by more than noise.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.predicting import outputs_of
from jatdae.finetune.recipe import Batch, Feature, padded
from jatdae.finetune.recipes.classification import InferenceRecipe
from jatdae.finetune.tiny import build_tiny_encoder
from jatdae.finetune.training import Dev, Machine, fit
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress

FIXED = PUBLISHED["nli"].max_length
"""To so many tokens the original recipe pads every row."""
LEAST = 2.5
"""The ratio of wall times that is claimed."""


@dataclass(frozen=True, slots=True)
class FixedFeature(Feature):
    """A row that counts as one of the fixed length: batches of such rows are random."""

    @property
    def length(self) -> int:
        return FIXED


class FixedRecipe(InferenceRecipe):
    """The same task, every row padded to the fixed length."""

    def features(self, records: Sequence[Any], *, training: bool) -> list[Feature]:
        made = super().features(records, training=training)
        return [FixedFeature(feature.item, feature.inputs) for feature in made]

    def collate(self, features: Sequence[Feature]) -> Batch:
        filled = {"input_ids": self.encoder.tokenizer.pad_token_id, "attention_mask": 0, "token_type_ids": 0}
        batch = super().collate(features)
        return {
            name: padded(rows.tolist(), filled[name], FIXED) if name in filled else rows for name, rows in batch.items()
        }


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of training with one evaluation an epoch, and which dev items were right."""

    seconds: float
    right: tuple[bool, ...]

    @property
    def accuracy(self) -> float:
        return sum(self.right) / len(self.right)


def measured(kind: type[InferenceRecipe], encoder: Path, train: list[Any], dev: list[Any], epochs: int = 1) -> Timed:
    """Train and predict dev."""
    settings = replace(PUBLISHED["nli"], epochs=epochs, lr=5e-4, evaluations=1, patience=0)
    opened = Encoder.open(parse_reference(str(encoder)), ModelOptions(device="cpu"))
    recipe = kind(opened, settings)
    rows = recipe.features(dev, training=False)
    chosen_by = Dev(dev, JUDGING["nli"].units(dev), rows)
    with tempfile.TemporaryDirectory() as folder:
        progress = Progress(quiet=True)
        features = recipe.features(train, training=True)
        fitted = fit(recipe, features, chosen_by, Path(folder), seed=42, machine=Machine("cpu"), progress=progress)
    predictions = recipe.predictions(dev, rows, outputs_of(recipe, fitted.model, rows))
    return Timed(fitted.seconds, tuple(predictions[pair.id]["prediction"] == pair.label for pair in dev))


def split(records: list[Any]) -> tuple[list[Any], list[Any]]:
    """Four fifths and one fifth, by premise."""
    premises = sorted({record.premise for record in records})
    held_out = set(premises[::5])
    train = [record for record in records if record.premise not in held_out]
    return train, [record for record in records if record.premise in held_out]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("JATDAE_DATA", "../shared/data"))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=1, help="more of them lift the accuracies above chance")
    options = parser.parse_args()
    train, dev = split(read_task("nli", locate(Source.of(options.data), "nli", "dev")))
    with tempfile.TemporaryDirectory() as folder:
        texts = [text for record in train for text in record.texts]
        encoder = build_tiny_encoder(Path(folder) / "tiny", texts, vocabulary=8_000, hidden=128)
        runs: dict[type[InferenceRecipe], list[Timed]] = {InferenceRecipe: [], FixedRecipe: []}
        measured(InferenceRecipe, encoder, train[:64], dev[:64])  # the first run of a process pays for imports
        for _ in range(options.repeats):
            for kind, made in runs.items():
                made.append(measured(kind, encoder, train, dev, options.epochs))
    return report(runs[InferenceRecipe], runs[FixedRecipe], len(train), options.epochs)


def report(ours: list[Timed], fixed: list[Timed], rows: int, epochs: int) -> int:
    """Print the figures; 1 if they are not what is claimed."""
    fastest = [min(run.seconds for run in runs) for runs in (ours, fixed)]
    ratio = fastest[1] / fastest[0]
    differences = torch.tensor([float(a) - float(b) for a, b in zip(ours[0].right, fixed[0].right, strict=True)])
    mean, error = float(differences.mean()), float(differences.std() / len(differences) ** 0.5)
    print(f"{epochs} epochs, {rows:,} pairs, batch 32, {torch.get_num_threads()} threads; fastest of {len(ours)}")
    print(f"like lengths, own padding   {fastest[0]:7.2f} s   accuracy {100 * ours[0].accuracy:.2f}")
    print(f"fixed {FIXED} tokens           {fastest[1]:7.2f} s   accuracy {100 * fixed[0].accuracy:.2f}")
    print(f"ratio of wall time          {ratio:7.2f}")
    print(
        f"difference of accuracy      {100 * mean:7.2f} points, standard error {100 * error:.2f}, n={len(differences)}"
    )
    return 0 if ratio >= LEAST and abs(mean) <= 2 * error + 1e-9 else 1


if __name__ == "__main__":
    raise SystemExit(main())
