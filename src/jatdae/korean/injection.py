"""Marks of a text that speaks to its judge instead of its reader: score requests, fake verdicts, tags, hidden marks.

A mark is a remark for the report, not a score. Words are sought in compatibility-composed text without hidden
characters, so that neither full-width letters nor zero-width marks between syllables hide them.
What the patterns know they find; of attacks worded in a new way they found about half, so no mark proves nothing.
Source of the kinds: Zheng et al. 2024 and Zhao et al. 2025 on attacks against language-model judges.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from jatdae.korean.injection_patterns import PATTERNS, MarkKind

__all__ = ["Mark", "MarkKind", "injection_marks"]

_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Mark:
    """A suspicious place. `excerpt` is what was found, at most 80 characters; hidden ones are named by code point."""

    kind: MarkKind
    excerpt: str


# An emoji may be joined by U+200D and end in a selector; a flag may be spelt in tag characters.
_JOINED_EMOJI = re.compile(
    "[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]{0,2}"
    "(?:\u200d[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]{0,2}){1,6}"
    "|\U0001f3f4[\U000e0061-\U000e007a]{1,6}\U000e007f"
)
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e01ef]"
)


def injection_marks(text: str) -> list[Mark]:
    """The suspicious places of `text`, hidden characters first, then kind by kind; empty for an honest text."""
    marks = list(_hidden(text))
    words = unicodedata.normalize("NFKC", _HIDDEN.sub("", text))
    for kind, pattern in PATTERNS:
        marks += [Mark(kind, found[0].strip()[:_EXCERPT]) for found in pattern.finditer(words)]
    return marks


def _hidden(text: str) -> Iterator[Mark]:
    bare = _JOINED_EMOJI.sub("", text[1:] if text.startswith("\ufeff") else text)
    codes = sorted({f"U+{ord(character):04X}" for character in _HIDDEN.findall(bare)})
    if codes:
        yield Mark(MarkKind.HIDDEN, " ".join(codes)[:_EXCERPT])
