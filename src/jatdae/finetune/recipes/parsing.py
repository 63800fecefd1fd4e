"""Dependency parsing: words and their parts of speech to a head and a label for each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from jatdae.benchmarks.klue.labels import DEPENDENCIES, PARTS_OF_SPEECH
from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.records import ParsedSentence
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.errors import ModelError
from jatdae.finetune.alignment import WordPieces, special_around
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.heads.body import blank_body, pretrained_body
from jatdae.finetune.heads.parser import NO_POS, NO_TARGET, ParserSizes, ParsingModel
from jatdae.finetune.heads.saving import load_module, save_module
from jatdae.finetune.recipe import Batch, Feature, Recipe, padded, text_batch

UNREAD, UNREAD_LAST = "NP", "VP"
"""Labels of words that were cut off: the commonest of words that hang on the next one, and of roots."""

_POS = {name: place for place, name in enumerate(PARTS_OF_SPEECH)}
_LABELS = {name: place for place, name in enumerate(DEPENDENCIES)}


class Parse(NamedTuple):
    """What is predicted for the words that were read: heads from 1, 0 for the root, and places of labels."""

    heads: NDArray[np.int64]
    labels: NDArray[np.int64]


class ParsingRecipe(Recipe):
    """DP: `[CLS] pieces of word 1, of word 2 ... [SEP]`, each word split by itself; a biaffine parser over the words.

    A word's part of speech is the last tag of its chain; one that is in no list (`AV`, a slip in v1's training file)
    or not known counts as the root's. A sentence that is too long is cut at the right, within a word if need be. Words
    without any piece left are not read: each gets the next word as its head, the last one the root. Nothing is learned
    from them, nor from words whose head is one of them.
    """

    task = "dp"
    sizes: ClassVar[ParserSizes] = ParserSizes()

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self.pieces = WordPieces(encoder.tokenizer)
        self.before, self.after = _special_ids(encoder)

    def features(self, records: Sequence[ParsedSentence], *, training: bool) -> list[Feature]:
        features = [self._feature(record, training) for record in records]
        return [feature for feature in features if not training or set(feature.inputs["heads"]) != {NO_TARGET}]

    def _feature(self, record: ParsedSentence, training: bool) -> Feature:
        """The row of a sentence; `detail` is how many pieces did not fit.

        `first` and `last` are places of pieces and begin with the root, which is the first special token.
        """
        words = [[piece.id for piece in self.pieces.split(word)] for word in record.words]
        room = self.max_length - len(self.before) - len(self.after)
        ends = list(accumulate(map(len, words)))
        starts = [start for start in (0, *ends[:-1]) if start < room]
        kept, shift = len(starts), len(self.before)
        inputs: dict[str, list[int]] = {
            "input_ids": [*self.before, *list(chain.from_iterable(words))[:room], *self.after],
            "first": [0, *(shift + start for start in starts)],
            "last": [0, *(shift + min(end, room) - 1 for end in ends[:kept])],
            "pos": [NO_POS, *(_POS.get(tags[-1], NO_POS) for tags in record.pos[:kept])],
        }
        targets = _targets(record, kept) if training else {}
        return Feature(record.id, inputs | targets, max(0, ends[-1] - room))

    def collate(self, features: Sequence[Feature]) -> Batch:
        batch = text_batch(features, self.encoder)
        batch.pop("token_type_ids", None)
        rows = [feature.inputs for feature in features]
        paddings = {"first": 0, "last": 0, "pos": NO_POS}
        if all("heads" in row for row in rows):
            paddings |= {"heads": NO_TARGET, "labels": NO_TARGET}
        for name, padding in paddings.items():
            batch[name] = padded([row[name] for row in rows], padding)
        batch["words"] = torch.tensor([len(row["first"]) - 1 for row in rows])
        return batch

    def build(self) -> nn.Module:
        return ParsingModel(pretrained_body(self.encoder), self.sizes)

    def outputs(self, model: nn.Module, batch: Batch) -> list[Parse]:
        scores = model(**{name: values for name, values in batch.items() if name not in ("heads", "labels")})
        heads, labels = (scores[name].argmax(-1).cpu().numpy() for name in ("arc_scores", "label_scores"))
        counts = batch["words"].tolist()
        return [Parse(heads[row, :count], labels[row, :count]) for row, count in enumerate(counts)]

    def predictions(
        self, records: Sequence[ParsedSentence], features: Sequence[Feature], outputs: Sequence[Parse]
    ) -> dict[str, Prediction]:
        words = {record.id: len(record.words) for record in records}
        pairs = zip(features, outputs, strict=True)
        return {feature.item: _whole_tree(parse, words[feature.item]) for feature, parse in pairs}

    def notes(self, records: Sequence[ParsedSentence], features: Sequence[Feature]) -> tuple[str, ...]:
        cut = [feature for feature in features if feature.detail]
        if not cut:
            return ()
        words = {record.id: len(record.words) for record in records}
        unread = sum(words[feature.item] + 1 - len(feature.inputs["first"]) for feature in cut)
        return (
            f"{len(cut)} of {len(features)} sentences are longer than {self.max_length} tokens and were cut; "
            f"words not read: {unread}, each is put under the word after it",
        )

    def save(self, model: nn.Module, folder: Path) -> None:
        save_module(model, model.encoder.config, folder)  # type: ignore[union-attr]

    def load(self, folder: Path) -> nn.Module:
        return load_module(ParsingModel(blank_body(folder, self.encoder.options), self.sizes), folder)


def _targets(record: ParsedSentence, kept: int) -> dict[str, list[int]]:
    """Heads and places of labels of the words that were kept; nothing to learn where the head was not."""
    arcs = list(zip(record.heads, record.labels, strict=True))[:kept]
    return {
        "heads": [head if head <= kept else NO_TARGET for head, _ in arcs],
        "labels": [_LABELS[label] if head <= kept else NO_TARGET for head, label in arcs],
    }


def _whole_tree(parse: Parse, words: int) -> Prediction:
    """Heads and labels of all words, those that were not read included."""
    read = len(parse.heads)
    heads = [*parse.heads.tolist(), *range(read + 2, words + 1)]
    labels = [*(DEPENDENCIES[label] for label in parse.labels), *[UNREAD] * (words - read - 1)]
    if read < words:
        heads.append(0)
        labels.append(UNREAD_LAST)
    return {"heads": heads, "deprels": labels}


def _special_ids(encoder: Encoder) -> tuple[list[int], list[int]]:
    """What the tokenizer itself puts before and after a text. Raises ModelError where no token can be the root."""
    tokenizer = encoder.tokenizer
    before, after = special_around(tokenizer)
    starts = [token for token in (tokenizer.cls_token_id, tokenizer.bos_token_id) if token is not None]
    if not before and not starts:
        raise ModelError(
            f"{encoder.name}: the tokenizer has no token for a text's start, which a parser needs as the root; "
            "name one as cls_token in tokenizer_config.json"
        )
    return before or starts[:1], after
