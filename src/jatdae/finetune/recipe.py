"""What a recipe is: how one task is put to an encoder, and how its outputs become predictions.

    records -> features -> batches -> model -> outputs -> predictions

To add a task, write a recipe in a file of `recipes/` and name it in `recipes/__init__.py`. Training, batching, saving
and scoring are the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor, nn

from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.finetune.encoder import Encoder

Batch = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Feature:
    """One row of a model's input. An item has one, or several: a passage's windows.

    `item` is the identifier that predictions go by (a record's guid; for wos `guid-number` of the user turn). `inputs`
    holds `input_ids`, special tokens included and not padded, and what else `collate` wants: targets only in training.
    `detail` is what `predictions` needs to read the outputs and the model does not.
    """

    item: str
    inputs: Mapping[str, Any]
    detail: Any = None

    @property
    def length(self) -> int:
        """Tokens of the row: what rows are sorted by, so that a batch holds rows of like length."""
        return len(self.inputs["input_ids"])


class Recipe(ABC):
    """One task on one encoder. `encoder.tokenizer` may be extended in `__init__`, before anything is encoded."""

    task: ClassVar[str]

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        self.encoder, self.settings = encoder, settings
        self.max_length = min(settings.max_length, encoder.max_length)

    @abstractmethod
    def features(self, records: Sequence[Any], *, training: bool) -> list[Feature]:
        """Rows for the records, in their order. In training with targets, and without what cannot be learned from."""

    @abstractmethod
    def collate(self, features: Sequence[Feature]) -> Batch:
        """One batch, padded to its longest row. Targets are in it where all features have them."""

    @abstractmethod
    def build(self) -> nn.Module:
        """The encoder with a new head, in float32. `forward(**batch)` gives a mapping with the training `loss`."""

    @abstractmethod
    def outputs(self, model: nn.Module, batch: Batch) -> list[Any]:
        """What the model says to each row: small values on the CPU (arrays, numbers), never the whole logits of a set.

        Called without gradients and in evaluation mode; `batch` is on the model's device and may lack targets.
        """

    @abstractmethod
    def predictions(
        self, records: Sequence[Any], features: Sequence[Feature], outputs: Sequence[Any]
    ) -> dict[str, Prediction]:
        """Item to what is predicted for it, in the fields that `scoring.fields.Prediction` names."""

    def check(self, records: Sequence[Any]) -> None:
        """Whether all records can be encoded, before anything is trained. Raises RequestError that names one."""
        return None

    def notes(self, records: Sequence[Any], features: Sequence[Feature]) -> tuple[str, ...]:
        """Facts about the encoding that a reader must know, such as how many texts were cut."""
        return ()

    def save(self, model: nn.Module, folder: Path) -> None:
        """Weights as safetensors and config, readable by `load`; the tokenizer is saved by the caller."""
        model.save_pretrained(folder)  # type: ignore[operator]

    @abstractmethod
    def load(self, folder: Path) -> nn.Module:
        """A model that `save` wrote, on the CPU. Raises ModelError where weights are missing."""


def padded(rows: Sequence[Sequence[int]], padding: int, width: int | None = None) -> Tensor:
    """Rows of whole numbers as one tensor (rows, longest or `width`), filled up at the right."""
    import torch

    longest = max(map(len, rows)) if width is None else width
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], dtype=torch.long)


def text_batch(features: Sequence[Feature], encoder: Encoder) -> Batch:
    """`input_ids`, `attention_mask` and, where the encoder takes them, `token_type_ids` of a batch."""
    ids = [feature.inputs["input_ids"] for feature in features]
    batch = {"input_ids": padded(ids, encoder.tokenizer.pad_token_id)}
    batch["attention_mask"] = padded([[1] * len(row) for row in ids], 0)
    if encoder.uses_segments:
        segments = [feature.inputs.get("token_type_ids") or [0] * feature.length for feature in features]
        batch["token_type_ids"] = padded(segments, 0)
    return batch
