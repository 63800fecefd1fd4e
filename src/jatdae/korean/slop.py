"""Expressions that language models overuse, counted in a text.

Two ways of counting: literal, as first published, where phrases may overlap and all of them count; and the standard
one, where a phrase is found in every form of its verb and each character belongs to one hit at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from jatdae.korean.bounded_regex import compile_bounded
from jatdae.korean.conjugation import Form, conjugated, final_stem
from jatdae.korean.form_search import FormSearch, PlainText, plain_phrase, plain_text
from jatdae.korean.particles import particle_alternants

Strength = Literal["strong", "weak"]


class Entry(Protocol):
    """What is read of a list's entry. `kind` says how `pattern` is meant."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> Literal["literal", "stem", "regex"]: ...
    @property
    def pattern(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def strength(self) -> Strength: ...


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry found in a text. `start` and `end` are offsets in the text's NFC form, `text` is what stands there."""

    entry: str
    family: str
    strength: Strength
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class SlopCount:
    """Hits of each strength in a number of characters (code points in NFC, blanks and markup included)."""

    strong: int
    weak: int
    characters: int

    @property
    def strong_per_1000(self) -> float:
        """Hits of strong entries per 1,000 characters; 0 for an empty text."""
        return per_1000(self.strong, self.characters)

    @property
    def weak_per_1000(self) -> float:
        """Hits of weak entries per 1,000 characters; 0 for an empty text."""
        return per_1000(self.weak, self.characters)


def per_1000(hits: int, characters: int) -> float:
    """A rate per 1,000 characters; 0 where there are none."""
    return hits * 1000 / characters if characters else 0.0


def pooled(counts: Iterable[SlopCount]) -> SlopCount:
    """The sums over texts, whose rates are the pooled rates."""
    known = list(counts)
    return SlopCount(
        sum(count.strong for count in known),
        sum(count.weak for count in known),
        sum(count.characters for count in known),
    )


def slop_compat(text: str, phrases: Iterable[str]) -> tuple[int, float]:
    """(hits, hits per 1,000 code points) of literal phrases; those of different phrases may overlap and all count.

    Case, blanks and normalisation must agree. An empty text has rate 0.
    """
    hits = sum(text.count(phrase) for phrase in phrases if phrase)
    return hits, per_1000(hits, len(text))


class SlopMatcher:
    """Finds a list's entries by the standard way of counting.

    Text and patterns are compared in NFC with every run of whitespace as one space. A `stem` entry is found in all
    forms of its verb or adjective; a phrase that starts with a particle is found with its other form as well. Of hits
    that overlap the longest stays (of equal ones the first in the text, then in the list). `cut_at_stems` is for lists
    of version 1, whose phrases are literal but cut at the stem: a phrase that the morphological analyser reads as
    ending in a verb's or adjective's stem is also found in the forms that change its spelling (흐르 -> 흘렀).

    Raises RequestError for a regular expression that could take long or does not compile.
    """

    def __init__(self, entries: Sequence[Entry], *, cut_at_stems: bool = False) -> None:
        self._entries = tuple(entries)
        self._search = FormSearch(
            (form, place)
            for place, entry in enumerate(self._entries)
            for form in _forms(entry, cut_at_stems=cut_at_stems)
        )
        self._expressions: list[tuple[int, re.Pattern[str]]] = [
            (place, compile_bounded(entry.pattern))
            for place, entry in enumerate(self._entries)
            if entry.kind == "regex"
        ]

    def find(self, text: str) -> list[Hit]:
        """The hits in a text, in its order."""
        plain = plain_text(text)
        return [self._hit(plain, *found) for found in _longest_apart(self._candidates(plain.spaced))]

    def count(self, text: str) -> SlopCount:
        """The number of hits in a text, and its length in NFC."""
        plain = plain_text(text)
        chosen = _longest_apart(self._candidates(plain.spaced))
        weak = sum(self._entries[place].strength == "weak" for _, _, place in chosen)
        return SlopCount(len(chosen) - weak, weak, len(plain.nfc))

    def _candidates(self, text: str) -> Iterator[tuple[int, int, int]]:
        yield from self._search.occurrences(text)
        for place, expression in self._expressions:
            yield from ((*found.span(), place) for found in expression.finditer(text) if found.group())

    def _hit(self, plain: PlainText, start: int, end: int, place: int) -> Hit:
        entry = self._entries[place]
        start, end = plain.span(start, end)
        return Hit(entry.id, entry.family, entry.strength, start, end, plain.nfc[start:end])


def _forms(entry: Entry, *, cut_at_stems: bool) -> Iterator[Form]:
    if entry.kind == "regex":
        return
    for phrase in particle_alternants(plain_phrase(entry.pattern)):
        if entry.kind == "literal":
            yield Form(phrase)
        if entry.kind == "stem" or (cut_at_stems and final_stem(phrase) is not None):
            yield from conjugated(phrase)


def _longest_apart(candidates: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Spans (start, end, entry) without overlap, in the text's order; the longest are taken first."""
    ordered = sorted(candidates, key=lambda found: (found[0] - found[1], found[0], found[2]))
    taken = bytearray(max((end for _, end, _ in ordered), default=0))
    chosen = []
    for start, end, place in ordered:
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            chosen.append((start, end, place))
    return sorted(chosen)
