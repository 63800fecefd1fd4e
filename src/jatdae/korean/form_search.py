"""Finding many spellings in one pass over a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jatdae.korean.conjugation import Form
from jatdae.korean.morphology import is_hangul_syllable

_NOT_ONE_SPACE = re.compile(r"\s{2,}|[^\S ]")
_RUN = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text in NFC, the same with every run of whitespace as one space, and where the latter's characters stood."""

    nfc: str
    spaced: str
    origin: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in `spaced` as offsets in `nfc`; the span must not be empty."""
        return self.origin[start], self.origin[end - 1] + 1


def plain_text(text: str) -> PlainText:
    """Prepare a text for matching."""
    nfc = unicodedata.normalize("NFC", text)
    if not _NOT_ONE_SPACE.search(nfc):
        return PlainText(nfc, nfc, range(len(nfc)))
    pieces: list[str] = []
    origin: list[int] = []
    done = 0
    for run in _RUN.finditer(nfc):
        pieces += (nfc[done : run.start()], " ")
        origin += range(done, run.start() + 1)
        done = run.end()
    pieces.append(nfc[done:])
    origin += range(done, len(nfc))
    return PlainText(nfc, "".join(pieces), origin)


def plain_phrase(phrase: str) -> str:
    """A phrase in NFC with every run of whitespace as one space."""
    return _RUN.sub(" ", unicodedata.normalize("NFC", phrase))


class FormSearch:
    """An index over forms; each belongs to an owner, a number of the caller's."""

    def __init__(self, forms: Iterable[tuple[Form, int]]) -> None:
        self._owners: dict[str, list[tuple[Form, int]]] = {}
        for form, owner in forms:
            if form.text:
                self._owners.setdefault(form.text, []).append((form, owner))
        lengths: dict[str, set[int]] = {}
        for text in self._owners:
            lengths.setdefault(text[:2], set()).add(len(text))
        self._lengths = {head: sorted(found, reverse=True) for head, found in lengths.items()}
        firsts = "".join(sorted({re.escape(head[0]) for head in lengths}))
        self._first = re.compile(f"[{firsts}]") if firsts else None

    def occurrences(self, text: str) -> Iterator[tuple[int, int, int]]:
        """(start, end, owner) of every form at every place, overlapping ones too; the longest first at each place."""
        if self._first is None:
            return
        for found in self._first.finditer(text):
            start = found.start()
            heads = (text[start : start + 2], text[start])
            for head in heads if len(heads[0]) == 2 else heads[1:]:
                for length in self._lengths.get(head, ()):
                    end = start + length
                    # Near the text's end a slice is cut short, and must not pass for a shorter form.
                    owners = self._owners.get(text[start:end], ()) if end <= len(text) else ()
                    yield from ((start, end, owner) for form, owner in owners if _stands(form, text, start, end))

    def leftmost(self, text: str) -> Iterator[tuple[int, int]]:
        """(start, end) of forms that do not overlap: from the left, the longest at each place."""
        done = 0
        for start, end, _ in self.occurrences(text):
            if start >= done:
                yield start, end
                done = end


def _stands(form: Form, text: str, start: int, end: int) -> bool:
    if form.word_start and start and is_hangul_syllable(text[start - 1]):
        return False
    after = text[end : end + 1]
    return form.rest is None or not is_hangul_syllable(after) or after in form.rest
