"""Where an adapter sits: the attention's projections, by the names that an architecture gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jatdae.errors import ModelError

PROJECTIONS = (
    ("q_proj", "k_proj", "v_proj", "o_proj"),  # Llama, Mistral, Qwen, Gemma, EXAONE 4
    ("q_proj", "k_proj", "v_proj", "out_proj"),  # EXAONE 3, OPT, GPT-J, GPT-Neo
    ("q_proj", "k_proj", "v_proj", "dense"),  # Phi
    ("qkv_proj", "o_proj"),  # Phi-3
    ("query_key_value", "dense"),  # GPT-NeoX, BLOOM, Falcon
    ("c_attn", "c_proj"),  # GPT-2
    ("wqkv", "wo"),  # InternLM 2
    ("Wqkv", "out_proj"),  # MPT
)
"""The query, key, value and output projections; some architectures compute the first three in one."""


def attention_projections(model: Any) -> list[str]:
    """Endings of module names, such as `self_attn.q_proj`, that name all attention projections and nothing else.

    Raises ModelError where the architecture has none under a known name.
    """
    found = sorted({f"{parent}.{name}" for parent, names in _attentions(model) for name in names})
    if not found:
        known = "; ".join(", ".join(names) for names in PROJECTIONS)
        raise ModelError(
            f"{type(model).__name__}: no attention projections are known here ({known}); set targets=linear"
        )
    return found


def _attentions(model: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The last name of each module that holds all projections of a kind, with their names."""
    for path, module in model.named_modules():
        children = {name for name, child in module.named_children() if getattr(child, "weight", None) is not None}
        for names in PROJECTIONS:
            if children.issuperset(names):
                yield path.rpartition(".")[2], names
                break
