"""Named entities: a tag for each token, which becomes the tags of the characters that it covers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForTokenClassification

from jatdae.benchmarks.klue.labels import ENTITY_TAGS
from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.records import TaggedSentence
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.finetune.alignment import Piece, WordPieces, special_around
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Batch, Feature, Recipe, padded, text_batch
from jatdae.finetune.tag_alignment import BLANK, OUTSIDE, clean_tags, official_labels, official_tags

UNTRAINED = -100
"""What the loss leaves out: padding."""
COUNTED_POSITIONS = frozenset({"albert", "bert", "electra"})
"""Model types in which a padding token's position is its place in the row."""


class TaggingRecipe(Recipe):
    """NER: `[CLS] tokens [SEP]`, each of them with one of 13 tags, both special tokens with `O`.

    Tokens are labelled by the baseline's rule (`official_labels`), so that published scores can be reproduced; whole
    words with an unknown token are learned by their first character's tag. Characters are predicted twice: as the
    tokens really cover them (`tags`), and as the official reader spreads them (`official_tags`).

    That reader also takes the output at the input's last position, which is padding unless the row is full, for the
    baseline fills all rows up to `max_length`. Here rows are only as long as their batch needs. So that no prediction
    depends on a row's batch, a padding token follows every row that isn't full, and what the model says there counts.
    It has the position that the baseline's last one has (`COUNTED_POSITIONS`; in RoBERTa and its kin all padding shares
    one), and sees all of the sentence and no other padding, so the output is the baseline's. In models with relative
    positions it is nearer to the sentence than the baseline's, and its tag can differ.
    """

    task = "ner"

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self.pieces = WordPieces(encoder.tokenizer)
        self.before, self.after = special_around(encoder.tokenizer)
        self.room = self.max_length - len(self.before) - len(self.after)
        self.head_tags = ENTITY_TAGS

    def features(self, records: Sequence[TaggedSentence], *, training: bool) -> list[Feature]:
        return [self._feature(record, training) for record in records]

    def _feature(self, record: TaggedSentence, training: bool) -> Feature:
        """`detail` is how many tokens were cut off, and how many of all are the unknown one."""
        words = self._words(record)
        pieces = [piece for word in words for piece in word]
        kept = pieces[: self.room]
        inputs = {"input_ids": [*self.before, *(piece.id for piece in kept), *self.after]}
        if training:
            labels = official_labels(record.text, record.tags, words, self.encoder.tokenizer.unk_token)[: self.room]
            framed = [*[OUTSIDE] * len(self.before), *labels, *[OUTSIDE] * len(self.after)]
            inputs["labels"] = [ENTITY_TAGS.index(label) for label in framed]
        unknown = sum(map(self.pieces.is_unknown, pieces))
        return Feature(record.id, inputs, (len(pieces) - len(kept), unknown))

    def _words(self, record: TaggedSentence) -> list[tuple[Piece, ...]]:
        return [self.pieces.split(word) for word in record.text.split(BLANK)]

    def collate(self, features: Sequence[Feature]) -> Batch:
        batch = text_batch(features, self.encoder)
        if all("labels" in feature.inputs for feature in features):
            batch["labels"] = padded([feature.inputs["labels"] for feature in features], UNTRAINED)
            return batch
        return self._with_last(batch)

    def _with_last(self, batch: Batch) -> Batch:
        """The batch with room for a padding token after each row that isn't full."""
        if batch["input_ids"].shape[1] < self.max_length:
            fillings = {"input_ids": self.encoder.tokenizer.pad_token_id}
            batch = {
                name: nn.functional.pad(values, (0, 1), value=fillings.get(name, 0)) for name, values in batch.items()
            }
        if self.encoder.config.model_type in COUNTED_POSITIONS:
            mask = batch["attention_mask"]
            batch["position_ids"] = torch.arange(mask.shape[1]).where(mask.bool(), self.max_length - 1)
        return batch

    def build(self) -> nn.Module:
        self.head_tags = ENTITY_TAGS
        names = dict(enumerate(ENTITY_TAGS))
        return self.encoder.load(
            AutoModelForTokenClassification, id2label=names, label2id={name: place for place, name in names.items()}
        )

    def outputs(self, model: nn.Module, batch: Batch) -> list[np.ndarray]:
        """The best tag's number at each position of a row, and at the padding after it; of a full row at its last."""
        logits = model(**{name: values for name, values in batch.items() if name != "labels"}).logits
        best = logits.argmax(-1).to(torch.int8).cpu().numpy()
        lengths = batch["attention_mask"].sum(-1).tolist()
        return [
            np.append(row[:length], row[min(length, len(row) - 1)]) for row, length in zip(best, lengths, strict=True)
        ]

    def predictions(
        self, records: Sequence[TaggedSentence], features: Sequence[Feature], outputs: Sequence[np.ndarray]
    ) -> dict[str, Prediction]:
        triples = zip(records, features, outputs, strict=True)
        return {feature.item: self._prediction(record, output) for record, feature, output in triples}

    def _prediction(self, record: TaggedSentence, output: np.ndarray) -> Prediction:
        told = [self.head_tags[number] for number in output.tolist()]
        words, labels = self._words(record), told[len(self.before) : len(told) - 1 - len(self.after)]
        unknown = self.encoder.tokenizer.unk_token
        return {
            "tags": clean_tags(record.text, words, labels),
            "official_tags": official_tags(record.text, words, labels, (told[0], told[-1]), unknown),
        }

    def notes(self, records: Sequence[TaggedSentence], features: Sequence[Feature]) -> tuple[str, ...]:
        cut = sum(feature.detail[0] > 0 for feature in features)
        unknown = sum(feature.detail[1] > 0 for feature in features)
        of = f"of {len(features):,} sentences"
        found = []
        if cut:
            found.append(f"{cut:,} {of} are longer than {self.max_length} tokens; what is cut off is predicted as O")
        if unknown:
            found.append(
                f"{unknown:,} {of} hold characters that the tokenizer does not know: the official reader takes what "
                "follows them one token too early, and no model reaches 100 there"
            )
        return tuple(found)

    def load(self, folder: Path) -> nn.Module:
        # a checkpoint made elsewhere may number the same tags in another order
        own = tuple(name for _, name in sorted(self.encoder.config.id2label.items()))
        self.head_tags = own if set(own) == set(ENTITY_TAGS) else ENTITY_TAGS
        return self.encoder.load(AutoModelForTokenClassification, whole=True)
