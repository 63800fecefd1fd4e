"""Config and weights of encoders that are to be fine-tuned, or were. Weights come from safetensors only."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.hf.loading import Source, one_line, quiet
from jatdae.models.options import ModelOptions


def load_encoder_config(source: Source, options: ModelOptions) -> Any:
    """The config of a model. Raises ModelError for one that has both encoder and decoder, or no hidden size."""
    from transformers import AutoConfig

    with quiet(), one_line(source, "config", options):
        config = AutoConfig.from_pretrained(**source.arguments(options))
    if getattr(config, "is_encoder_decoder", False) or not isinstance(getattr(config, "hidden_size", None), int):
        raise ModelError(f"{source.name} ({config.model_type}) is no encoder such as BERT, RoBERTa or ELECTRA")
    return config


def load_encoder(
    source: Source, config: Any, options: ModelOptions, auto_class: Any, *, whole: bool, **overrides: Any
) -> Any:
    """The weights under a class such as `AutoModelForTokenClassification`, in float32, on the CPU.

    `overrides` are laid over a copy of the config. Weights that the checkpoint lacks, such as a new head's, come from
    torch's random state; with `whole` they are an error. Raises ModelError.
    """
    import torch

    config = deepcopy(config)
    for name, value in overrides.items():
        setattr(config, name, value)
    with quiet(), one_line(source, "weights", options):
        model, info = auto_class.from_pretrained(
            **source.arguments(options),
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            ignore_mismatched_sizes=not whole,
        )
    missing = sorted([*info["missing_keys"], *(str(key[0]) for key in info.get("mismatched_keys", ()))])
    lacking = missing if whole else _of_body(missing, model)
    if lacking:
        raise ModelError(f"{source.name}: {len(lacking)} weights are missing, such as {lacking[0]}")
    return model


def _of_body(names: Iterable[str], model: Any) -> list[str]:
    """Missing weights that belong to the encoder itself; a pooler may be absent, since pre-training needs none."""
    prefix = f"{model.base_model_prefix}."
    body = set(model.base_model.state_dict())
    return [
        name
        for name in names
        if (name.startswith(prefix) or name in body) and "pooler" not in name and "position_ids" not in name
    ]
