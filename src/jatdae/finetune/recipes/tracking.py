"""Dialogue states (WoS): after each turn of the user, what is known of the 45 slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModel

from jatdae.benchmarks.klue.labels import SLOTS
from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.records import Dialogue, Turn
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.finetune.dialogue_turns import GATES, LONGEST, NONE, POINTER, Speller, exchanges, gate_of, readings
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.heads.body import blank_body
from jatdae.finetune.heads.saving import load_module, save_module
from jatdae.finetune.heads.tracker import Tracker
from jatdae.finetune.recipe import Batch, Feature, Recipe, padded, text_batch

TARGETS = ("gates", "values")


class TrackingRecipe(Recipe):
    """A row for each turn of the user, named `guid-number`: `[CLS] history [SEP] system [SEP] user [SEP]`.

    What is too long loses its oldest tokens; in training such a turn is left out, as the baseline does.
    """

    task = "wos"

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self.speller = Speller.of(encoder.tokenizer, encoder.name)

    def features(self, records: Sequence[Dialogue], *, training: bool) -> list[Feature]:
        return [feature for record in records for feature in self._features(record, training)]

    def _features(self, record: Dialogue, training: bool) -> Iterator[Feature]:
        tokenizer, room = self.encoder.tokenizer, self.max_length - 2
        said = exchanges(record)
        tokens = self.speller.tokens([text for exchange in said for text in exchange])
        parts = zip(tokens[::2], tokens[1::2], strict=True)
        bodies = readings(parts, tokenizer.sep_token_id)
        for number, (turn, body) in enumerate(zip(record.user_turns, bodies, strict=True)):
            if training and len(body) > room:
                continue
            ids = [tokenizer.cls_token_id, *body[-room:], tokenizer.sep_token_id]
            targets = self._targets(turn) if training else {}
            yield Feature(f"{record.guid}-{number}", {"input_ids": ids, **targets}, max(0, len(body) - room))

    def _targets(self, turn: Turn) -> Mapping[str, Any]:
        state = dict(turn.state)
        values = [state.get(slot, NONE) for slot in SLOTS]
        return {"gates": [gate_of(value) for value in values], "values": [self.speller.spell(v) for v in values]}

    def collate(self, features: Sequence[Feature]) -> Batch:
        batch = text_batch(features, self.encoder)
        if all("gates" in feature.inputs for feature in features):
            values = [value for feature in features for value in feature.inputs["values"]]
            spelled = padded(values, self.encoder.tokenizer.pad_token_id)
            batch["gates"] = torch.tensor([feature.inputs["gates"] for feature in features])
            batch["values"] = spelled.view(len(features), len(SLOTS), -1)
        return batch

    def build(self) -> nn.Module:
        return self._tracker(self.encoder.load(AutoModel))

    def _tracker(self, body: Any) -> Tracker:
        padding = self.encoder.tokenizer.pad_token_id
        names = self.speller.tokens([slot.replace("-", " ") for slot in SLOTS])
        return Tracker(body, padded(names, padding).tolist(), padding, sorted(self.speller.special))

    def outputs(self, model: nn.Module, batch: Batch) -> list[Any]:
        """For each row the gates, and slot number to tokens for those that are spelled."""
        found = model(**{name: values for name, values in batch.items() if name not in TARGETS})
        pointer = GATES.index(POINTER)
        return [
            (gates, {place: tuple(spelled[place]) for place, gate in enumerate(gates) if gate == pointer})
            for gates, spelled in zip(found["gates"].tolist(), found["values"].tolist(), strict=True)
        ]

    def predictions(
        self, records: Sequence[Dialogue], features: Sequence[Feature], outputs: Sequence[Any]
    ) -> dict[str, Prediction]:
        pairs = zip(features, outputs, strict=True)
        return {feature.item: {"prediction": self.speller.state(*output)} for feature, output in pairs}

    def notes(self, records: Sequence[Dialogue], features: Sequence[Feature]) -> tuple[str, ...]:
        turns = [turn for record in records for turn in record.user_turns]
        skipped, cut = len(turns) - len(features), sum(feature.detail > 0 for feature in features)
        told = []
        if skipped:
            told.append(f"{skipped} of {len(turns)} turns are longer than {self.max_length} tokens: not trained on")
        if cut:
            told.append(f"{cut} of {len(turns)} turns are longer than {self.max_length} tokens: their start was cut")
        return (*told, *self._unreadable(turns))

    def _unreadable(self, turns: Sequence[Turn]) -> Iterator[str]:
        """How many gold values no tracker with this tokenizer can give, which bounds the scores."""
        lost = [sum(not self.speller.is_readable(value) for _, value in turn.state) for turn in turns]
        if any(lost):
            share = 100 * lost.count(0) / len(turns)
            yield (
                f"{sum(lost)} of {sum(len(turn.state) for turn in turns)} gold values cannot be spelled by this "
                f"tokenizer in {LONGEST} tokens and read back: joint goal accuracy is at most {share:.2f}"
            )

    def save(self, model: nn.Module, folder: Path) -> None:
        save_module(model, model.encoder.config, folder)  # type: ignore[union-attr, arg-type]

    def load(self, folder: Path) -> nn.Module:
        return load_module(self._tracker(blank_body(folder, self.encoder.options)), folder)
