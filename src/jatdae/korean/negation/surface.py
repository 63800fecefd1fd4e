"""The published study's detector: fixed strings, without any analysis. The baseline that the morphological one beats.

Source: Thunder-KoNUBench (arXiv 2601.04693), its rule detector. Known gaps: 안 and 못 at the sentence's start or
without a space, 말다 without ㄹ (마세요, 맙시다), particles that are not listed; false hits (까지 말씀, 상자 안 물건).
"""

from __future__ import annotations

from collections.abc import Iterator

from jatdae.korean.negation.kinds import Negation, NegationType

_AFTER_JI = ("지 ", "진 ", "지는 ", "지도 ", "지조차 ", "지만은 ")
SURFACE_MARKERS: dict[str, tuple[str, ...]] = {
    NegationType.SHORT_AN.value: (" 안 ",),
    NegationType.LONG_AN.value: (
        "지않",
        *(f"{stem}않" for stem in (*_AFTER_JI, "지만도 ")),
        *(f"{stem}아니" for stem in ("지 ", "진 ", "지는 ", "지조차 ", "지만은 ", "지만도 ")),
    ),
    NegationType.SHORT_MOT.value: (" 못 ",),
    NegationType.LONG_MOT.value: ("지못", *(f"{stem}못" for stem in (*_AFTER_JI, "지만도 "))),
    NegationType.MALDA.value: ("지말", *(f"{stem}말" for stem in _AFTER_JI)),
}
"""Type to the strings of which one in a sentence is enough."""


def surface_types(sentence: str) -> tuple[NegationType, ...]:
    """The types of which the sentence contains a string, in the order of the table."""
    return tuple(
        NegationType(kind) for kind, strings in SURFACE_MARKERS.items() if any(string in sentence for string in strings)
    )


def surface_negations(sentence: str) -> list[Negation]:
    """Every occurrence of a string, in order, as negations without predicate and clause."""
    found = sorted(_occurrences(sentence))
    return [
        Negation(kind, start, end, sentence[start:end], "", start, start, None, chain)
        for chain, (start, end, kind) in enumerate(found)
    ]


def _occurrences(sentence: str) -> Iterator[tuple[int, int, NegationType]]:
    """Spans of the strings without the spaces at their edges; occurrences of one string do not overlap."""
    for kind, strings in SURFACE_MARKERS.items():
        for string in strings:
            at = sentence.find(string)
            while at >= 0:
                start = at + len(string) - len(string.lstrip())
                yield start, at + len(string.rstrip()), NegationType(kind)
                at = sentence.find(string, at + len(string))
