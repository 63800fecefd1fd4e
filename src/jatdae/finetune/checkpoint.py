"""A fine-tuned checkpoint: a folder that the Hugging Face libraries can read too, with a card of how it was made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from jatdae.benchmarks.klue.labels import LABELS
from jatdae.errors import ModelError, RequestError
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Recipe
from jatdae.models.hf.loading import silent_transformers

CARD = "jatdae.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class TunedCard:
    """How a checkpoint was made: on what task, from which encoder, with which settings, and what it reached on dev.

    `dev` holds the official metrics (0..100) of the kept weights; `history` those of every evaluation.
    """

    task: str
    encoder: str
    seed: int
    settings: Mapping[str, Any]
    labels: tuple[str, ...]
    data_hash: str
    key: str
    steps: int
    best_step: int
    dev: Mapping[str, float | None]
    history: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    format: int = FORMAT


def write_checkpoint(folder: Path, recipe: Recipe, model: nn.Module, card: TunedCard) -> None:
    """Weights, config, tokenizer and card; the folder appears whole or not at all. Raises ModelError if it is taken."""
    if folder.exists() and any(folder.iterdir()):
        raise ModelError(f"{folder} is not empty; name a new folder")
    draft = folder.with_name(f"{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    with silent_transformers():
        recipe.save(model, draft)
    recipe.encoder.tokenizer.save_pretrained(draft)
    (draft / CARD).write_text(json.dumps(asdict(card), ensure_ascii=False, indent=1), encoding="utf-8")
    if folder.exists():
        folder.rmdir()
    draft.replace(folder)


def read_card(folder: Path) -> TunedCard | None:
    """The card of a folder; None where there is none. Raises ModelError for one that cannot be read."""
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("format") != FORMAT:
            raise ModelError(f"{path}, field 'format': {content.get('format')!r} is not known; update jatdae")
        fields = {**content, "labels": tuple(content["labels"]), "notes": tuple(content["notes"])}
        return TunedCard(**{**fields, "history": tuple(content["history"])})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); fine-tune again") from None


_HEADS = {
    "ynat": "ForSequenceClassification",
    "sts": "ForSequenceClassification",
    "nli": "ForSequenceClassification",
    "re": "ForSequenceClassification",
    "ner": "ForTokenClassification",
    "mrc": "ForQuestionAnswering",
}


def is_tuned(task: str, encoder: Encoder) -> bool:
    """Whether a checkpoint has this task's head already, so that it is evaluated as it is.

    It has if its card says so or, without a card, if its architecture is the task's and its labels are the task's by
    name, in any order. Raises RequestError for a card of another task.
    """
    local = encoder.source.local
    card = read_card(local.folder) if local else None
    if card is not None:
        if card.task != task:
            raise RequestError(f"{encoder.name} is fine-tuned on klue/{card.task}; it cannot be run on klue/{task}")
        return True
    architectures = getattr(encoder.config, "architectures", None) or ()
    if task not in _HEADS or not any(name.endswith(_HEADS[task]) for name in architectures):
        return False
    if task == "mrc":
        return True
    names = set(encoder.config.id2label.values())
    return encoder.config.num_labels == 1 if task == "sts" else names == set(LABELS[task])
