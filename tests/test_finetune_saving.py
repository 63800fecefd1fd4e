"""Networks of our own on disk: what is written comes back, and what does not fit is named."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("transformers")

import torch
from safetensors import safe_open
from torch import nn
from transformers import BertConfig

from jatdae.errors import ModelError
from jatdae.finetune.heads.body import blank_body
from jatdae.finetune.heads.saving import load_module, save_module
from jatdae.models.options import ModelOptions


class Slices(nn.Module):
    """Two weights that are slices of one block, as recurrent layers have them on a GPU, and a third that is tied."""

    def __init__(self, block: torch.Tensor) -> None:
        super().__init__()
        self.first, self.second = nn.Parameter(block[:4].view(2, 2).T), nn.Parameter(block[4:])
        self.tied = self.second


def saved(module: nn.Module, folder: Path) -> Path:
    save_module(module, BertConfig(), folder)
    return folder


def test_weights_that_share_memory_are_saved_and_come_back_tied(tmp_path: Path) -> None:
    folder = saved(Slices(torch.arange(10.0)), tmp_path / "saved")

    loaded = load_module(Slices(torch.zeros(10)), folder)

    assert loaded.first.tolist() == [[0, 2], [1, 3]] and loaded.second.tolist() == [4, 5, 6, 7, 8, 9]
    assert loaded.tied is loaded.second
    with safe_open(folder / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2)), "2 weights are missing, such as 1.bias"),
        (nn.Sequential(nn.Linear(3, 2, bias=False)), "1 weight is foreign to this task's model, such as 0.bias"),
        (nn.Sequential(nn.Linear(4, 2)), "1 weight is of another shape, such as 0.weight"),
    ],
)
def test_weights_that_do_not_fit_are_named(module: nn.Module, told: str, tmp_path: Path) -> None:
    folder = saved(nn.Sequential(nn.Linear(3, 2)), tmp_path / "saved")

    with pytest.raises(ModelError) as caught:
        load_module(module, folder)

    assert told in str(caught.value) and "model.safetensors" in str(caught.value)


@pytest.mark.parametrize("content", [None, b"", b"no tensors at all"])
def test_a_file_that_is_absent_or_damaged_is_named(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "model.safetensors").write_bytes(content)

    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_module(nn.Linear(2, 2), tmp_path)


def test_a_body_is_rebuilt_from_its_config_without_a_pooler(tmp_path: Path) -> None:
    config = BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, dtype="bfloat16"
    )
    save_module(nn.Linear(2, 2), config, tmp_path)

    body = blank_body(tmp_path, ModelOptions())

    assert body.pooler is None and body.dtype == torch.float32 and body.config.hidden_size == 8
