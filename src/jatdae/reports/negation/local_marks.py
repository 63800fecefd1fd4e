"""Which negation a local negation adds to its sentence, and how far from the sentence's end it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from jatdae.korean.negation import negations_of
from jatdae.korean.negation.analysis import Analysis, analyse_all

NO_MARKER = "no marker added"
"""The label where the local negation adds no marker: it takes one away, or is none."""
DISTANCES = ((0, 3), (4, 7), (8, None))
"""Bands of the number of words that follow the marker's word, both ends included."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LocalMark:
    """The type of the added negation, and how many words follow it (None where none was added)."""

    type: str
    words_after: int | None

    @property
    def distance(self) -> str:
        """The band of `words_after`."""
        for low, high in DISTANCES:
            if self.words_after is not None and low <= self.words_after and (high is None or self.words_after <= high):
                return f"{low}+" if high is None else f"{low}-{high}"
        return NO_MARKER


def local_marks(pairs: Iterable[Pair]) -> Mapping[Pair, LocalMark]:
    """For each (original, local negation) the added negation. The same pairs are analysed once a process."""
    return _local_marks(tuple(sorted(set(pairs))))


@lru_cache(maxsize=4)
def _local_marks(pairs: tuple[Pair, ...]) -> dict[Pair, LocalMark]:
    originals = list(analyse_all(original for original, _ in pairs))
    negated = analyse_all(local for _, local in pairs)
    return {pair: _mark(*both) for pair, *both in zip(pairs, originals, negated, strict=True)}


def _mark(original: Analysis, local: Analysis) -> LocalMark:
    inherited = Counter((negation.type, negation.predicate) for negation in negations_of(original))
    for negation in negations_of(local):
        key = (negation.type, negation.predicate)
        if negation.confirmation:
            continue
        if inherited[key]:
            inherited[key] -= 1
            continue
        # The analyser numbers words anew where it takes one sentence for two, so they are counted in the text.
        after = local.text[negation.end :].partition(" ")[2]
        return LocalMark(str(negation.type), len(after.split()))
    return LocalMark(NO_MARKER, None)
