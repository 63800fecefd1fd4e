"""Saving a network of our own with its encoder: one file of weights, beside the config of the encoder's body."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from jatdae.errors import ModelError

WEIGHTS = "model.safetensors"


def save_module(module: nn.Module, config: Any, folder: Path) -> None:
    """Write `config.json` of the encoder's body and `model.safetensors` of the whole module, tied weights by each name.

    Weights are copied first: on a GPU those of a recurrent layer are slices of one block, which a file cannot hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config.save_pretrained(folder)
    weights = {name: weight.detach().to("cpu", copy=True).contiguous() for name, weight in module.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def load_module(module: nn.Module, folder: Path) -> nn.Module:
    """The module with the weights that `save_module` wrote to `folder`.

    Raises ModelError for a file that is absent or damaged, and where a weight is missing, foreign or of another shape;
    the first such weight is named.
    """
    path = folder / WEIGHTS
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read; give the folder of a whole checkpoint: {error}") from error
    own = module.state_dict()
    shared = own.keys() & weights.keys()
    _refuse(own.keys() - shared, "missing", path)
    _refuse(weights.keys() - shared, "foreign to this task's model", path)
    _refuse({name for name in shared if own[name].shape != weights[name].shape}, "of another shape", path)
    module.load_state_dict(weights)
    return module


def _refuse(names: Collection[str], fault: str, path: Path) -> None:
    if names:
        many = f"{len(names)} weights are" if len(names) > 1 else "1 weight is"
        raise ModelError(f"{path}: {many} {fault}, such as {min(names)}; was it saved for this task and this encoder?")
