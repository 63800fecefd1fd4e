"""A sentence and its morphemes: what the detector, the clause analyser and the negator all read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, cast

from jatdae.korean.morphology import kiwi

if TYPE_CHECKING:
    from kiwipiepy import Token


@dataclass(frozen=True, slots=True)
class Morpheme:
    """One morpheme. `form` is the analyser's (a final consonant that joins a stem stands as a conjoining jamo).

    `start` and `end` are code points of the analysis' text; morphemes that are fused into one syllable (갔 = 가 + 았)
    share it, and one that the analyser supplies itself may have an empty span. `tag` has no irregularity mark (`VV-I`
    is `VV`); `irregular` keeps it. `word` numbers the word (어절), from 0.
    """

    form: str
    tag: str
    start: int
    end: int
    word: int
    irregular: bool = False

    def __str__(self) -> str:
        return f"{self.form}/{self.tag}"


@dataclass(frozen=True, slots=True)
class Analysis:
    """A sentence in NFC with its morphemes in order."""

    text: str
    morphemes: tuple[Morpheme, ...]


def analyse(sentence: str) -> Analysis:
    """The likeliest analysis of one sentence; for many, `analyse_all` is faster."""
    return next(analyse_all([sentence]))


def analyse_all(sentences: Iterable[str]) -> Iterator[Analysis]:
    """The analyses in order, as they are asked for. Lone surrogates, which no text holds, are read as U+FFFD."""
    texts = (readable(sentence) for sentence in sentences)
    # The analyser's signature covers other kinds of input, each with its own type of result.
    for tokens, text in cast("Iterator[tuple[list[Token], str]]", kiwi().tokenize(texts, echo=True)):
        yield Analysis(text, tuple(_morphemes(tokens)))


def readable(sentence: str) -> str:
    """The text in NFC, without lone surrogates, which the analyser cannot take."""
    return unicodedata.normalize("NFC", sentence.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _morphemes(tokens: Iterable[Token]) -> Iterator[Morpheme]:
    # The analyser counts words anew in each sentence that it sees in the text.
    words = groupby(tokens, lambda token: (token.sent_position, token.word_position))
    for number, (_, word) in enumerate(words):
        for token in word:
            tag, mark, kind = token.tag.partition("-")
            yield Morpheme(token.form, tag, token.start, token.end, number, bool(mark) and kind == "I")
