"""How much a text repeats itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LONG_REPEAT = 30
"""Characters from which on a repeated substring is flagged."""
WINDOW = 300
"""Characters of a sliding window."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """A text's diversity. All ratios lie in [0, 1]; None where the text is too short for one.

    `distinct_trigrams` and its mean over windows are unique / all character trigrams; `distinct_words` the same for
    runs of one, two and three words (eojeol). `longest_repeat` is in characters. `repeated_lines` is the share of the
    lines with text that repeat an earlier one.
    """

    characters: int
    distinct_trigrams: float | None
    windowed_trigrams: float | None
    longest_repeat: int
    distinct_words: tuple[float | None, float | None, float | None]
    repeated_lines: float | None

    @property
    def flagged(self) -> bool:
        """True if a substring of 30 characters or more occurs twice."""
        return self.longest_repeat >= LONG_REPEAT


def repetition(text: str) -> Repetition:
    """Measure a text in NFC; `characters` counts it with its blanks collapsed to single spaces and trimmed."""
    nfc = unicodedata.normalize("NFC", text)
    plain = _collapsed(nfc)
    words = plain.split()
    return Repetition(
        characters=len(plain),
        distinct_trigrams=distinct_trigram_ratio(plain),
        windowed_trigrams=windowed_trigram_ratio(plain),
        longest_repeat=longest_repeat(plain),
        distinct_words=(_distinct(words, 1), _distinct(words, 2), _distinct(words, 3)),
        repeated_lines=repeated_line_ratio(nfc),
    )


def distinct_trigram_ratio(text: str) -> float | None:
    """Unique / all character trigrams of the text with its blanks collapsed and trimmed; None under 3 characters."""
    return _distinct(_collapsed(text), 3)


def windowed_trigram_ratio(text: str, window: int = WINDOW) -> float | None:
    """The mean of the trigram ratio over all windows of `window` characters, so that long texts compare with short.

    A text that is no longer than one window has the plain ratio; None under 3 characters.
    """
    plain = _collapsed(text)
    if len(plain) <= window:
        return _distinct(plain, 3)
    before = _previous_occurrence(_trigrams(_codes(plain)))
    size = window - 2
    place = np.arange(len(before))
    # A trigram is the first of its kind in the windows that start after its previous occurrence and reach it.
    first = np.maximum(place - size + 1, before + 1)
    last = np.minimum(place, len(before) - size)
    distinct = np.maximum(last - first + 1, 0).sum()
    return float(distinct / (size * (len(before) - size + 1)))


def longest_repeat(text: str) -> int:
    """The length of the longest substring that occurs twice, the two overlapping or not; half the text at most.

    The text is collapsed and trimmed first. Substrings of one length are named by numbers, those of twice the length
    by pairs of such names (prefix doubling, Karp, Miller and Rosenberg 1972), so it takes O(log n) sorts.
    """
    codes = _codes(_collapsed(text))
    most = len(codes) // 2
    names, length = np.unique(codes, return_inverse=True)[1], 1
    if most < 1 or not _repeats(names):
        return 0
    while length * 2 <= most:
        longer = np.unique(_pairs(names, length), return_inverse=True)[1]
        if not _repeats(longer):
            break
        names, length = longer, length * 2
    low, high = length, min(2 * length - 1, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _repeats(_pairs(names, middle - length)) else (low, middle - 1)
    return low


def repeated_line_ratio(text: str) -> float | None:
    """The share of the lines with text that repeat an earlier one, blanks at their ends aside; None without lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return 1 - len(set(lines)) / len(lines) if lines else None


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _distinct(units: Sequence[str], size: int) -> float | None:
    runs = [tuple(units[place : place + size]) for place in range(len(units) - size + 1)]
    return len(set(runs)) / len(runs) if runs else None


def _codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


def _trigrams(codes: np.ndarray) -> np.ndarray:
    """A number for each trigram: three code points of 21 bits each fit into 63."""
    return (codes[:-2] << 42) | (codes[1:-1] << 21) | codes[2:]


def _previous_occurrence(values: np.ndarray) -> np.ndarray:
    """For each place, the last place before it with the same value, or -1."""
    order = np.argsort(values, kind="stable")
    same = values[order[1:]] == values[order[:-1]]
    before = np.full(len(values), -1)
    before[order[1:][same]] = order[:-1][same]
    return before


def _pairs(names: np.ndarray, distance: int) -> np.ndarray:
    """A number for each pair of names that stand `distance` apart."""
    return names[: len(names) - distance] * (int(names.max()) + 1) + names[distance:]


def _repeats(names: np.ndarray) -> bool:
    ordered = np.sort(names)
    return bool((ordered[1:] == ordered[:-1]).any())
