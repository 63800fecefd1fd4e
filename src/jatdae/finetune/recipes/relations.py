"""Relation extraction: a sentence whose subject and object stand between markers, to one of thirty relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from jatdae.benchmarks.klue.labels import LABELS
from jatdae.benchmarks.klue.recipes import Settings
from jatdae.benchmarks.klue.records import Relation
from jatdae.errors import ModelError, RequestError
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Feature
from jatdae.finetune.recipes.classification import SequenceRecipe

SUBJECT = ("<subj>", "</subj>")
OBJECT = ("<obj>", "</obj>")
MARKERS = (*SUBJECT, *OBJECT)

CONTINUES = "##"
"""How WordPiece begins a token that goes on with a word."""
STARTS = "\u2581"
"""How SentencePiece begins a token that starts a word."""


class RelationRecipe(SequenceRecipe):
    """RE: `[CLS] ... <subj>word</subj> ... <obj>word</obj> ... [SEP]` through the model's own classification head.

    The four markers become special tokens of the encoder's tokenizer. After one of them a tokenizer takes a particle
    for a new word; `rejoined` undoes that. A sentence is cut at the right, as in the original, even where that takes an
    entity away; `notes` counts those.
    """

    task = "re"
    labels = LABELS["re"]

    def __init__(self, encoder: Encoder, settings: Settings) -> None:
        super().__init__(encoder, settings)
        self._lacked = _add_markers(encoder.tokenizer)
        self._splitting = splitting_of(encoder.tokenizer.get_vocab())
        self._ids: list[int] = encoder.tokenizer.convert_tokens_to_ids(list(MARKERS))
        # what the tokenizer puts around a text, seen on one that is a single token
        self._frame = encoder.encode([(MARKERS[0],)], self.max_length)[0]
        self._place = self._frame["input_ids"].index(self._ids[0])

    def tokens(self, record: Relation) -> list[str]:
        """The marked sentence in tokens, without those around it and not cut. Raises RequestError for its spans."""
        text = marked(record)
        return rejoined(self.encoder.tokenizer.tokenize(text), text, self._splitting)

    def encoded(self, records: Sequence[Any]) -> Sequence[Mapping[str, list[int]]]:
        return [self._framed(self.tokens(record)) for record in records]

    def _framed(self, tokens: Sequence[str]) -> dict[str, list[int]]:
        room = self.max_length - len(self._frame["input_ids"]) + 1
        # a token that `rejoined` made may not be in the vocabulary: then it is unknown, as in the original
        ids = self.encoder.tokenizer.convert_tokens_to_ids(list(tokens[:room]))
        place, rows = self._place, {}
        for name, values in self._frame.items():
            inner = ids if name == "input_ids" else [values[place]] * len(ids)
            rows[name] = [*values[:place], *inner, *values[place + 1 :]]
        return rows

    def check(self, records: Sequence[Relation]) -> None:
        for record in records:
            _check(record)

    def load(self, folder: Path) -> nn.Module:
        if self._lacked:
            raise ModelError(
                f"{self.encoder.name} has a head for klue/re and no tokens {', '.join(self._lacked)}: it was trained "
                "on input of another form; predict with its own program and use `jatdae score klue/re`"
            )
        return super().load(folder)

    def notes(self, records: Sequence[Any], features: Sequence[Feature]) -> tuple[str, ...]:
        lost = sum(not set(self._ids) <= set(feature.inputs["input_ids"]) for feature in features)
        if not lost:
            return ()
        return (
            f"{lost:,} of {len(features):,} sentences were cut at {self.max_length} tokens before an entity's end; "
            "a larger max_length keeps it",
        )


def _add_markers(tokenizer: Any) -> list[str]:
    """Make the markers tokens of their own and return those that were not; a checkpoint of this task has them all."""
    missing = [marker for marker in MARKERS if marker not in tokenizer.get_added_vocab()]
    tokenizer.add_special_tokens({"extra_special_tokens": missing}, replace_extra_special_tokens=False)
    return missing


def marked(record: Relation) -> str:
    """The sentence with markers around its two entities.

    An entity inside the other is marked inside the other's markers; the text stands once, while the original doubled
    it. Raises RequestError where both entities have the same place, cross each other, or a marker is in the text.

    >>> from jatdae.benchmarks.klue.records import EntitySpan
    >>> first, second = EntitySpan("가온", 0, 1, "PER", (0, 1)), EntitySpan("나래", 4, 5, "PER", (4, 5))
    >>> marked(Relation("a", "가온과 나래", first, second, "per:siblings"))
    '<subj>가온</subj>과 <obj>나래</obj>'
    """
    _check(record)
    spans = [(record.subject, SUBJECT), (record.object, OBJECT)]
    # the wider entity opens first and closes last
    spans.sort(key=lambda entry: entry[0].start - entry[0].end)
    before, after = [""] * len(record.sentence), [""] * len(record.sentence)
    for span, (opening, closing) in spans:
        before[span.start] += opening
        after[span.end] = closing + after[span.end]
    return "".join(map("".join, zip(before, record.sentence, after, strict=True)))


def _check(record: Relation) -> None:
    first, second = sorted((span.start, span.end) for span in (record.subject, record.object))
    if first == second or first[0] < second[0] <= first[1] < second[1]:
        what = "have the same place" if first == second else "overlap in part"
        places = " and ".join(
            f"{span.word!r} at {span.start} to {span.end}" for span in (record.subject, record.object)
        )
        raise RequestError(f"{record.guid}: subject and object {what} ({places}); correct their places in the data")
    for marker in MARKERS:
        if marker in record.sentence:
            raise RequestError(f"{record.guid}: the sentence holds {marker}, the marker of an entity; take it out")


def splitting_of(vocabulary: Mapping[str, int]) -> str:
    """How a tokenizer tells a word's start from its middle: `CONTINUES`, `STARTS`, or "" for neither.

    Told from what most tokens begin with, since a vocabulary of one kind may hold a few signs of the other.

    >>> splitting_of({"가": 0, "##는": 1}), splitting_of({"가": 0, "\u2581는": 1}), splitting_of({"Ġa": 0})
    ('##', '▁', '')
    """
    counts = {sign: sum(token.startswith(sign) for token in vocabulary) for sign in (CONTINUES, STARTS)}
    most = max(counts, key=lambda sign: counts[sign])
    return most if counts[most] else ""


def rejoined(tokens: Sequence[str], text: str, splitting: str) -> list[str]:
    """The tokens with what follows a closing marker without a blank as the middle of a word again.

    WordPiece: a token that starts with a Hangul syllable gets `##`. SentencePiece: its sign for a word's start is taken
    away, and the token with it where nothing else is left. Byte-level BPE marks blanks and nothing else, so that there
    is nothing to mend; neither is there where a marker ends the text.
    """
    mended = list(tokens)
    for closing in (SUBJECT[1], OBJECT[1]):
        follows = text.partition(closing)[2][:1]
        place = mended.index(closing) + 1
        if follows in ("", " ") or place == len(mended):
            continue
        if splitting == CONTINUES and "가" <= mended[place][:1] <= "힣":
            mended[place] = CONTINUES + mended[place]
        elif splitting == STARTS and mended[place].startswith(STARTS):
            mended[place : place + 1] = filter(None, [mended[place].removeprefix(STARTS)])
    return mended
