"""A plain training loop over few items, to see whether a recipe's head can learn them by heart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.recipes import OPTIONS, resolve
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Recipe
from jatdae.finetune.recipes import find_recipe
from jatdae.finetune.tiny import build_tiny_encoder
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions


def tiny_recipe(task: str, records: Sequence[Any], folder: Path, *, hidden: int = 64, **settings: Any) -> Recipe:
    """A task's recipe on a tiny BERT whose tokenizer was trained on the records' own texts."""
    build_tiny_encoder(folder, [text for record in records for text in record.texts], hidden=hidden)
    encoder = Encoder.open(parse_reference(str(folder)), ModelOptions())
    chosen = resolve(task, OPTIONS, hidden, JUDGING[task].official)
    return find_recipe(task)(encoder, replace(chosen, **settings))


def overfit(
    recipe: Recipe, records: Sequence[Any], *, steps: int, lr: float = 1e-3, batch: int = 8
) -> dict[str, float]:
    """Official scores (0..100) on the very items that were trained on, by Adam with a fixed seed."""
    import torch

    torch.manual_seed(0)
    features = recipe.features(records, training=True)
    model = recipe.build().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, steps)
    order: list[int] = []
    for _ in range(steps):
        if len(order) < batch:
            order = torch.randperm(len(features)).tolist()
        chosen, order = order[:batch], order[batch:]
        loss = model(**recipe.collate([features[place] for place in chosen]))["loss"]
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    scores = predicted_scores(recipe, model, records)
    return {name: score.official for name, score in scores.items() if score.official is not None}


def predicted_scores(recipe: Recipe, model: Any, records: Sequence[Any]) -> Any:
    """The model's scores on the records, by its own predictions."""
    import torch

    features = recipe.features(records, training=False)
    model.eval()
    outputs: list[Any] = []
    with torch.no_grad():
        for start in range(0, len(features), 16):
            outputs += recipe.outputs(model, recipe.collate(features[start : start + 16]))
    predictions = recipe.predictions(records, features, outputs)
    return judge(recipe.task, JUDGING[recipe.task].units(records), predictions).scores
