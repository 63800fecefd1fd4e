"""Which stretches of a sentence stand in quotation marks."""

from __future__ import annotations

_PAIRS = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'"}


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Half-open spans between an opening mark and its closing one; a mark without its partner opens nothing."""
    spans: list[tuple[int, int]] = []
    opened: dict[str, int] = {}
    for at, sign in enumerate(text):
        closed = next((mark for mark in opened if _PAIRS[mark] == sign), None)
        if closed is not None:
            spans.append((opened.pop(closed) + 1, at))
        elif sign in _PAIRS:
            opened[sign] = at
    return spans
