"""What a text looks like: length and markup, so that ratings can be freed of what looks may have bought."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_COUNTED: Mapping[str, re.Pattern[str]] = {
    "headers": re.compile(r"^#{1,6} ", re.MULTILINE),
    "bold": re.compile(r"\*\*[^*\n]{1,200}\*\*"),
    "lists": re.compile(r"^\s{0,8}(?:[-*•]|\d{1,2}[.)]) ", re.MULTILINE),
    "emoji": re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"),
    "line breaks": re.compile(r"\n+"),
}


def style(text: str, *, is_verse: bool = False) -> dict[str, float]:
    """Length in characters, and marks per 1,000 characters. Verse breaks its lines for reasons of its own: 0 there."""
    nfc = unicodedata.normalize("NFC", text)
    counts = {name: len(pattern.findall(nfc)) for name, pattern in _COUNTED.items()}
    if is_verse:
        counts["line breaks"] = 0
    return {"length": float(len(nfc)), **{name: 1000 * number / max(len(nfc), 1) for name, number in counts.items()}}
