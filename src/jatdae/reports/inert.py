"""Text of models and data that can do nothing to a terminal or a page: what acts unseen is shown as a sign."""

from __future__ import annotations

import re

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def inert(text: str) -> str:
    """The text with control characters as their pictures (ESC is ␛) and others by their number (⟨U+202E⟩).

    Line feeds and tabs stay. A carriage return before a line feed is dropped. HTML is left as it is: pages escape it.
    """
    return _ACTING.sub(_sign, text.replace("\r\n", "\n"))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
