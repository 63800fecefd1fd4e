"""What can be had without a language model and without the original sentence: by an option's length and markers.

Source: the baselines that the benchmark's options give away. A model that is not above them has not been shown to
understand negation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol as TypingProtocol

from jatdae.korean.negation.surface import surface_negations
from jatdae.stats import proportion
from jatdae.types import Estimate

LONGEST = "longest option, ties right"
MOST_SURFACE_MARKERS = "most surface negation markers, then longest"
MOST_MARKERS = "most negation markers, then longest"
MARKER_NEAR_END = "negation marker near the end, then most markers, then longest"
ARTEFACTS = (LONGEST, MOST_MARKERS, MARKER_NEAR_END)
"""The three published baselines."""

NEAR_END = 7
"""A marker among so many last morphemes, the final punctuation counted, is near the end."""
ANALYSED_FROM = 100
"""With fewer items the morphological baselines are left out of a result: loading the analyser takes two seconds."""


class Shown(TypingProtocol):
    """The part of an item that these rules see: its options and the index of the right one."""

    @property
    def options(self) -> tuple[str, ...]: ...

    @property
    def answer(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Marking:
    """What the detector finds in one option: how many markers, and whether one is near the end."""

    count: int
    near_end: bool


Rule = Callable[[str], tuple[int, ...]]


def artefact_floors(items: Sequence[Shown]) -> dict[str, Estimate]:
    """Accuracy of rules that see the options alone; from 100 items on also those that need morphological analysis."""
    hits = surface_hits(items)
    if len(items) >= ANALYSED_FROM:
        hits |= artefact_hits(items)
    return {name: proportion(right) for name, right in hits.items()}


def surface_hits(items: Sequence[Shown]) -> dict[str, list[float]]:
    """Item by item, whether the two rules that need no analysis are right."""
    rules: dict[str, Rule] = {
        LONGEST: lambda text: (len(text),),
        MOST_SURFACE_MARKERS: lambda text: (len(surface_negations(text)), len(text)),
    }
    return _hits(items, rules)


def artefact_hits(items: Sequence[Shown]) -> dict[str, list[float]]:
    """Item by item, whether each of the three published baselines is right (1.0) or not (0.0).

    A tie counts as right where the right option is among the first, so that the order of options has no part in it.
    """
    found = markings([text for item in items for text in item.options])
    rules: dict[str, Rule] = {
        LONGEST: lambda text: (len(text),),
        MOST_MARKERS: lambda text: (found[text].count, len(text)),
        MARKER_NEAR_END: lambda text: (found[text].near_end, found[text].count, len(text)),
    }
    return _hits(items, rules)


def _hits(items: Sequence[Shown], rules: Mapping[str, Rule]) -> dict[str, list[float]]:
    return {
        name: [float(rule(item.options[item.answer]) == max(map(rule, item.options))) for item in items]
        for name, rule in rules.items()
    }


def markings(texts: Sequence[str]) -> Mapping[str, Marking]:
    """What the detector finds in each text. The same texts, in whatever order, are analysed once a process."""
    return _markings(tuple(sorted(set(texts))))


@lru_cache(maxsize=16)
def _markings(texts: tuple[str, ...]) -> dict[str, Marking]:
    from jatdae.korean.negation import negations_of
    from jatdae.korean.negation.analysis import Analysis, analyse_all

    def marking(analysis: Analysis) -> Marking:
        found = negations_of(analysis)
        # The first morpheme that reaches the marker's end: a later one may be fused with it into one syllable.
        ends = [morpheme.end for morpheme in analysis.morphemes]
        places = [next((at for at, end in enumerate(ends) if end >= one.end), len(ends) - 1) for one in found]
        return Marking(len(found), any(place >= len(ends) - NEAR_END for place in places))

    return {text: marking(analysis) for text, analysis in zip(texts, analyse_all(texts), strict=True)}
