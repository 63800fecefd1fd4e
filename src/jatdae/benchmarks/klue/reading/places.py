"""Where a text stands in a longer one, when the stated place may be wrong."""

from __future__ import annotations


def place(text: str, whole: str, stated: int | None = None) -> int | None:
    """The stated start if the text is there, else the start of its only occurrence, else None.

    A text that stands at several other places is not placed: any choice among them would be a guess.
    """
    if stated is not None and stated >= 0 and whole.startswith(text, stated):
        return stated
    first = whole.find(text)
    return None if first < 0 or whole.find(text, first + 1) >= 0 else first
