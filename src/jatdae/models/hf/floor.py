"""A model that knows nothing: what a score is worth without any knowledge of the language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from jatdae.models.base import ModelIdentity
from jatdae.models.hf.backend import HfBackend
from jatdae.models.hf.identity import end_tokens, shared_facts


def random_like(backend: HfBackend, seed: int) -> HfBackend:
    """A tiny untrained Llama with the same tokenizer and window: what a score is worth without any knowledge."""
    config = _tiny_config(backend)
    ends = end_tokens(config, backend.tokenizer)
    facts = shared_facts(backend.tokenizer, backend.options, ends)
    facts |= {"name": "random-llama", "weights": f"seed {seed}, {config.to_json_string()}", "dtype": "float32"}
    identity = ModelIdentity(f"random-llama:{seed}", facts)
    options = replace(backend.options, dtype="float32", device="cpu", batch_tokens=None)
    return HfBackend(
        identity=identity,
        tokenizer=backend.tokenizer,
        config=config,
        make_model=lambda: _random_model(config, seed),
        options=options,
        end_tokens=ends,
    )


def _tiny_config(backend: HfBackend) -> Any:
    from transformers import LlamaConfig

    text = getattr(backend.config, "text_config", None) or backend.config
    return LlamaConfig(
        vocab_size=max(int(getattr(text, "vocab_size", 0) or 0), len(backend.tokenizer)),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=backend.encoder.window,
        tie_word_embeddings=True,
        bos_token_id=backend.tokenizer.bos_token_id,
        eos_token_id=backend.tokenizer.eos_token_id,
        pad_token_id=None,
    )


def _random_model(config: Any, seed: int) -> torch.nn.Module:
    """Weights from a seed; the global generator is put back as it was."""
    from transformers import LlamaForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config).eval()
