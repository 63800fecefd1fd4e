"""Topics, similarity and inference: one text or a pair through a classification head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification

from jatdae.benchmarks.klue.labels import LABELS
from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Batch, Feature, Recipe, text_batch


class SequenceRecipe(Recipe):
    """What they share: the model's own classification head over `[CLS] text [SEP]` or `[CLS] a [SEP] b [SEP]`."""

    labels: ClassVar[tuple[str, ...]] = ()
    """Label names in the official order; empty for a regression."""

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self.head_labels = self.labels

    def texts(self, record: Any) -> tuple[str, ...]:
        """What is read: one text or two."""
        return record.texts

    def target(self, record: Any) -> int | float:
        """What is learned: a label's place, or a number."""
        return self.labels.index(record.label)

    def encoded(self, records: Sequence[Any]) -> Sequence[Mapping[str, list[int]]]:
        """`input_ids` (and segments) of each record."""
        return self.encoder.encode([self.texts(record) for record in records], self.max_length)

    def features(self, records: Sequence[Any], *, training: bool) -> list[Feature]:
        return [
            Feature(record.id, {**inputs, "labels": self.target(record)} if training else inputs)
            for record, inputs in zip(records, self.encoded(records), strict=True)
        ]

    def collate(self, features: Sequence[Feature]) -> Batch:
        batch = text_batch(features, self.encoder)
        if all("labels" in feature.inputs for feature in features):
            kind = torch.long if self.labels else torch.float
            batch["labels"] = torch.tensor([feature.inputs["labels"] for feature in features], dtype=kind)
        return batch

    def build(self) -> nn.Module:
        self.head_labels = self.labels
        return self.encoder.load(AutoModelForSequenceClassification, **self._head())

    def _head(self) -> dict[str, Any]:
        if not self.labels:
            return {"num_labels": 1, "problem_type": "regression"}
        names = dict(enumerate(self.labels))
        places = {name: place for place, name in names.items()}
        return {"id2label": names, "label2id": places, "problem_type": "single_label_classification"}

    def outputs(self, model: nn.Module, batch: Batch) -> list[Any]:
        logits = model(**{name: values for name, values in batch.items() if name != "labels"}).logits.float()
        if not self.labels:
            return logits[:, 0].tolist()
        return list(logits.softmax(-1).cpu().numpy())

    def predictions(
        self, records: Sequence[Any], features: Sequence[Feature], outputs: Sequence[Any]
    ) -> dict[str, Prediction]:
        pairs = zip(features, outputs, strict=True)
        return {feature.item: self._prediction(output) for feature, output in pairs}

    def _prediction(self, output: Any) -> Prediction:
        if not self.labels:
            return {"prediction": float(output)}
        named = dict(zip(self.head_labels, output, strict=True))
        probabilities = [float(named[name]) for name in self.labels]
        return {"prediction": self.labels[int(np.argmax(probabilities))], "probabilities": probabilities}

    def load(self, folder: Path) -> nn.Module:
        # a checkpoint made elsewhere may number the same labels in another order
        own = tuple(name for _, name in sorted(self.encoder.config.id2label.items()))
        self.head_labels = own if set(own) == set(self.labels) else self.labels
        return self.encoder.load(AutoModelForSequenceClassification, whole=True)


class TopicRecipe(SequenceRecipe):
    """YNAT: a headline to one of seven topics."""

    task = "ynat"
    labels = LABELS["ynat"]


class InferenceRecipe(SequenceRecipe):
    """NLI: premise and hypothesis to one of three relations."""

    task = "nli"
    labels = LABELS["nli"]


class SimilarityRecipe(SequenceRecipe):
    """STS: two sentences to a number on the raw scale of 0 to 5, by squared error."""

    task = "sts"

    def target(self, record: Any) -> float:
        return record.real_label
