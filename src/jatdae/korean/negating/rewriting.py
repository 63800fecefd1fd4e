"""Edits of a sentence: stretches that change and what stands there instead; all else stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jatdae.korean.morphology import kiwi
from jatdae.korean.negation.analysis import Analysis, Morpheme

Part = tuple[str, str]
"""A morpheme to join: its form and its tag."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` instead of the code points `start:end`."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they do not overlap. At one place, insertions stand in the order given."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += text[at : edit.start], edit.text
        at = edit.end
    return "".join(pieces) + text[at:]


def part(morpheme: Morpheme) -> Part:
    """A morpheme as the analyser joins it, with its irregularity."""
    return morpheme.form, morpheme.tag + ("-I" if morpheme.irregular else "")


def joined(parts: Sequence[Part]) -> str:
    """The parts in one spelling. 못하 is written from 하, whose past the analyser knows (못했다)."""
    at = next((n for n, (form, tag) in enumerate(parts) if form == "못하" and tag == "VX"), None)
    if at is None:
        return kiwi().join(parts)
    return f"{kiwi().join(parts[:at])} 못" + kiwi().join([("하", "VX"), *parts[at + 1 :]])


def rejoined(analysis: Analysis, first: int, last: int, parts: Sequence[Part]) -> Edit:
    """The edit that writes `parts` where the morphemes `first` to `last` stand.

    Where `first` is fused with what stands before it into one syllable, that is written anew as well.
    """
    morphemes = analysis.morphemes
    parts = list(parts)
    while first > 0 and morphemes[first - 1].end > morphemes[first].start:
        first -= 1
        parts.insert(0, part(morphemes[first]))
    return Edit(morphemes[first].start, morphemes[last].end, joined(parts))
