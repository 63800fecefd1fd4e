"""Reading comprehension: a span of a passage that answers a question, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn
from transformers import AutoModelForQuestionAnswering

from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.records import Question
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.errors import RequestError
from jatdae.finetune.alignment import WordPieces
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.reading_spans import Passage, Reading, decide, read, within
from jatdae.finetune.reading_windows import LONGEST, PairRule, Window, windows_over
from jatdae.finetune.recipe import Batch, Feature, Recipe, text_batch

ASKED = 64
"""Tokens of a question that are read, as published."""
TARGETS = ("start_positions", "end_positions")
POSSIBLE = ("none", "starts", "ends")
TEXT = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class Detail:
    """What a row shows: tokens of `passage`, whose place there is that in the row plus `shift`.

    `none` is the row's place of "no answer"; spans may start in the range `starts` and end in the range `ends`. `asked`
    counts the question's tokens before it was cut.
    """

    passage: Passage
    shift: int
    none: int
    starts: tuple[int, int]
    ends: tuple[int, int]
    asked: int


class ReadingRecipe(Recipe):
    """MRC: `[CLS] question [SEP] window [SEP]` for each window of the passage, and two logits a token.

    A window may name spans of up to 30 tokens whose first token no other window shows with more around it. Training
    rows hold targets; rows for predicting hold what spans are possible.
    """

    task = "mrc"

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self.pieces = WordPieces(encoder.tokenizer)
        self.rule = PairRule.of(encoder.tokenizer)
        self.free = self.max_length - self.rule.added
        if self.free < 2:
            raise RequestError(f"max_length={self.max_length} leaves no room for a question and a passage; choose more")
        # never more than half of a row, so that windows stay wide where rows are short
        self.asked = min(ASKED, self.free // 2)

    def features(self, records: Sequence[Question], *, training: bool) -> list[Feature]:
        passages: dict[str, Passage] = {}
        found: list[Feature] = []
        for record in records:
            if record.context not in passages:
                passages[record.context] = Passage.of(record.context, self.pieces)
            rows = self._rows(record, passages[record.context])
            found += _with_targets(record, rows) if training else rows
        return found

    def _rows(self, record: Question, passage: Passage) -> list[Feature]:
        question = Passage.of(record.question, self.pieces).ids
        windows = windows_over(len(passage), self.free - len(question[: self.asked]))
        return [self._row(record.id, question, passage, window) for window in windows]

    def _row(self, item: str, question: Sequence[int], passage: Passage, window: Window) -> Feature:
        asked = question[: self.asked]
        ids, segments = self.rule.row(asked, passage.ids[window.start : window.end])
        offset = self.rule.offset(len(asked))
        shift = window.start - offset
        first, last = window.owned
        detail = Detail(
            passage=passage,
            shift=shift,
            none=self.rule.none % len(ids),
            starts=(first - shift, last - shift),
            ends=(offset, window.end - shift),
            asked=len(question),
        )
        inputs = {"input_ids": ids, "token_type_ids": segments} if self.encoder.uses_segments else {"input_ids": ids}
        return Feature(item, inputs, detail)

    def collate(self, features: Sequence[Feature]) -> Batch:
        batch = text_batch(features, self.encoder)
        if all(name in feature.inputs for feature in features for name in TARGETS):
            # nothing else, since the whole batch goes into the library's model
            return batch | {name: torch.tensor([feature.inputs[name] for feature in features]) for name in TARGETS}
        details = [feature.detail for feature in features]
        return batch | {name: torch.tensor([getattr(detail, name) for detail in details]) for name in POSSIBLE}

    def build(self) -> nn.Module:
        return self.encoder.load(AutoModelForQuestionAnswering, num_labels=2)

    def outputs(self, model: nn.Module, batch: Batch) -> list[Reading]:
        """What each window says; `batch` is of features that were made for predicting."""
        logits = model(**{name: batch[name] for name in TEXT if name in batch})
        may_start, may_end = (within(batch[name], batch["input_ids"].shape[1]) for name in ("starts", "ends"))
        return read(logits.start_logits.float(), logits.end_logits.float(), may_start, may_end, batch["none"], LONGEST)

    def predictions(
        self, records: Sequence[Question], features: Sequence[Feature], outputs: Sequence[Reading]
    ) -> dict[str, Prediction]:
        windows: dict[str, list[tuple[Detail, Reading]]] = {}
        for feature, output in zip(features, outputs, strict=True):
            windows.setdefault(feature.item, []).append((feature.detail, output))
        return {record.id: {"prediction": _answer(record.context, windows[record.id])} for record in records}

    def notes(self, records: Sequence[Question], features: Sequence[Feature]) -> tuple[str, ...]:
        details = {feature.item: feature.detail for feature in features}
        read = [record for record in records if record.id in details]
        answerable = [record for record in read if record.answers]
        skipped = len(records) - len(read)
        cut = sum(detail.asked > self.asked for detail in details.values())
        inexact = sum(not _is_exact(record, details[record.id].passage) for record in answerable)
        told = (
            (skipped, f"{skipped} of {len(records)} questions were left out: their answer is not found in the passage"),
            (cut, f"{cut} of {len(read)} questions were cut to {self.asked} tokens"),
            (
                inexact,
                f"{inexact} of {len(answerable)} answerable questions cannot be answered exactly: the answer begins or "
                f"ends within a token, or is longer than {LONGEST} tokens",
            ),
        )
        return tuple(note for count, note in told if count)

    def load(self, folder: Path) -> nn.Module:
        return self.encoder.load(AutoModelForQuestionAnswering, whole=True)


def _with_targets(record: Question, rows: Sequence[Feature]) -> list[Feature]:
    """Rows with the first answer's place, or that of "no answer"; no rows where the answer cannot be found."""
    if not record.answers:
        return [_pointing(row, None) for row in rows]
    answer = record.answers[0]
    if answer.start is None:
        return []
    span = rows[0].detail.passage.target(record.context, answer.text, answer.start)
    return [_pointing(row, span) for row in rows] if span else []


def _pointing(row: Feature, span: tuple[int, int] | None) -> Feature:
    """A row with targets: the passage's tokens `span`, or "no answer" where the row does not hold both."""
    detail: Detail = row.detail
    start, end = (token - detail.shift for token in span) if span else (-1, -1)
    first, after = detail.ends
    places = (start, end) if first <= start and end < after else (detail.none, detail.none)
    return replace(row, inputs={**row.inputs, **dict(zip(TARGETS, places, strict=True))})


def _answer(context: str, windows: Sequence[tuple[Detail, Reading]]) -> str:
    """The passage's characters that the windows decide for; "" for no answer."""
    decided = decide([reading for _, reading in windows])
    if decided is None:
        return ""
    number, span = decided
    detail, _ = windows[number]
    return detail.passage.text(context, span.start + detail.shift, span.end + detail.shift)


def _is_exact(record: Question, passage: Passage) -> bool:
    """Whether some span that the recipe can name gives one of the answers."""
    for answer in record.answers:
        span = None if answer.start is None else passage.covering(answer.start, answer.start + len(answer.text))
        if span and span[1] - span[0] < LONGEST and passage.text(record.context, *span) == answer.text.strip():
            return True
    return False
