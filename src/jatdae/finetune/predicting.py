"""From a model with a head to the outputs of every row, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn

from jatdae.errors import ModelError
from jatdae.finetune.batching import batches_by_length
from jatdae.finetune.recipe import Feature, Recipe


def outputs_of(
    recipe: Recipe,
    model: nn.Module,
    features: Sequence[Feature],
    *,
    dtype: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> list[Any]:
    """What the model says to each row, in the rows' order; `advance` is told how many are done.

    Only small values are kept, never a set's logits. Raises ModelError when the device's memory does not suffice.
    """
    device = next(model.parameters()).device
    found: list[Any] = [None] * len(features)
    was_training = model.training
    model.eval()
    done = 0
    try:
        with torch.no_grad(), autocast(device.type, dtype):
            for places in batches_by_length(features, recipe.settings.eval_batch):
                batch = recipe.collate([features[place] for place in places])
                told = recipe.outputs(model, {name: values.to(device) for name, values in batch.items()})
                for place, output in zip(places, told, strict=True):
                    found[place] = output
                done += len(places)
                advance(done)
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"out of memory on {device} at eval_batch={recipe.settings.eval_batch}; choose less, --set eval_batch=8"
        ) from error
    finally:
        model.train(was_training)
    return found


def autocast(device: str, dtype: str | None) -> AbstractContextManager[Any]:
    """Mixed precision for `bfloat16` and `float16`; nothing for float32."""
    if dtype in (None, "float32"):
        return nullcontext()
    return torch.autocast(device, getattr(torch, dtype))
