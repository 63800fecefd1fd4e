"""The encoder's body as part of a network of our own: hidden states only, and what the trainer asks of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModel

from jatdae.finetune.encoder import Encoder
from jatdae.models.base import ModelReference
from jatdae.models.hf.encoders import load_encoder_config
from jatdae.models.hf.loading import find_source, one_line, quiet
from jatdae.models.options import ModelOptions


class Headed(nn.Module):
    """A network whose `encoder` is a body of transformers."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def activation_checkpointing_enable(self, **choices: Any) -> None:
        """Compute the encoder's layers again on the way back; the trainer calls it for `gradient_checkpointing`."""
        self.encoder.activation_checkpointing_enable(**choices)

    def gradient_checkpointing_enable(self, **choices: Any) -> None:
        """The same, under the name that trainers before transformers 5.24 call."""
        self.encoder.gradient_checkpointing_enable(**choices)


def pretrained_body(encoder: Encoder) -> Any:
    """The body with its weights. A pooler is left off: nothing reads it, so it would get no gradient."""
    return _without_pooler(encoder.load(AutoModel))


def blank_body(folder: Path, options: ModelOptions) -> Any:
    """The body that `config.json` of a saved network describes, in float32, its weights yet to be loaded.

    Raises ModelError for a folder that holds no encoder.
    """
    source = find_source(ModelReference("hf", str(folder)))
    config = load_encoder_config(source, options)
    with quiet(), one_line(source, "config", options):
        body = AutoModel.from_config(config, dtype=torch.float32, trust_remote_code=options.trust_remote_code)
    return _without_pooler(body)


def _without_pooler(body: Any) -> Any:
    if getattr(body, "pooler", None) is not None:
        body.pooler = None
    return body
