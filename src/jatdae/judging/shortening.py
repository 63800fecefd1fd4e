"""Long texts cut for comparison, so that both sides lose alike and no section is lost whole.

Source: MunBench specification, section 4.3.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

LengthMode = Literal["cap", "equal", "none"]
CUT_MARK = " …(생략)"
_SENTENCE_END = re.compile(r"""[.!?…。！？]["'”’)\]」』]{0,3}(?=\s)|\n""")
_LOOK_BACK = 5
"""A cut moves back to a sentence's end within the last fifth; further back would lose too much."""
_LONGEST_CLUSTER = 32


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison as it is shown. `length` is in characters, marks of a cut included."""

    texts: tuple[str, ...]

    @property
    def length(self) -> int:
        return sum(len(text) for text in self.texts)


def shortened(first: Sequence[str], second: Sequence[str], limit: int, mode: LengthMode) -> tuple[Side, Side]:
    """Both sides' sections within `limit` characters a side (`equal`: within the shorter side's length too).

    When a section is cut on either side it ends with the mark on both, so that the mark does not tell which is longer.
    """
    if mode == "none":
        return Side(tuple(first)), Side(tuple(second))
    if mode == "equal":
        limit = min(limit, sum(map(len, first)), sum(map(len, second)))
    sides = [_within(first, limit), _within(second, limit)]
    pairs = list(zip_longest(first, second, *sides, fillvalue=""))
    cut = [len(kept_first) < len(one) or len(kept_second) < len(two) for one, two, kept_first, kept_second in pairs]
    marked = [tuple(text + CUT_MARK * is_cut for text, is_cut in zip(side, cut, strict=False)) for side in sides]
    return Side(marked[0]), Side(marked[1])


def _within(texts: Sequence[str], limit: int) -> list[str]:
    return [cut_text(text, share) for text, share in zip(texts, shares([*map(len, texts)], limit), strict=True)]


def shares(lengths: Sequence[int], limit: int) -> list[int]:
    """How many characters each section may keep: equal parts, and what a short one leaves over goes to the others."""
    kept, left = [0] * len(lengths), limit
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for done, place in enumerate(by_length):
        kept[place] = min(lengths[place], left // (len(lengths) - done))
        left -= kept[place]
    return kept


def cut_text(text: str, limit: int) -> str:
    """At most `limit` characters: to the last sentence's end near the limit, else between two visible characters."""
    if len(text) <= limit:
        return text
    ends = [end.end() for end in _SENTENCE_END.finditer(text, limit - limit // _LOOK_BACK, limit + 1)]
    ends = [end for end in ends if end <= limit]
    return text[: ends[-1] if ends else _between_characters(text, limit)].rstrip()


def _between_characters(text: str, limit: int) -> int:
    """The nearest place at or before `limit` that parts no accent, no jamo, no skin tone and no flag."""
    for place in range(limit, max(limit - _LONGEST_CLUSTER, 0), -1):
        if not _continues(text, place):
            return place
    return limit


def _continues(text: str, place: int) -> bool:
    sign = text[place]
    if "\U0001f1e6" <= sign <= "\U0001f1ff":
        front = text[max(place - _LONGEST_CLUSTER, 0) : place]
        letters = len(front) - len(front.rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
        return letters % 2 == 1
    joined = sign == "\u200d" or text[place - 1] == "\u200d"
    return joined or unicodedata.category(sign) in ("Mn", "Me", "Mc") or _is_jamo_or_tone(sign)


def _is_jamo_or_tone(sign: str) -> bool:
    return "\u1160" <= sign <= "\u11ff" or "\U0001f3fb" <= sign <= "\U0001f3ff"
