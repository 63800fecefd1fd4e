"""What is known to be irregular about single questions, found by looking at their text. Nothing is corrected."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

_NOTE = re.compile("오류|복원|누르면")
_ANSWER_WORD = re.compile("정답|답안|답은")
_NUMBER = re.compile(r"[1-4]\s*번")
_PRIVATE = re.compile("[\ue000-\uf8ff]")

Text = tuple[str, Sequence[str], int]
"""Question, options, index of the right option."""


def _texts(text: Text) -> list[str]:
    return [text[0], *text[1]]


def _changed_by(form: str) -> Callable[[Text], bool]:
    return lambda text: any(unicodedata.normalize(form, part) != part for part in _texts(text))  # pyright: ignore[reportArgumentType]


ITEM_FINDINGS: Mapping[str, Callable[[Text], bool]] = {
    "editor-note": lambda t: bool(_NOTE.search(t[0])),
    "states-answer": lambda t: bool(_ANSWER_WORD.search(t[0]) and _NUMBER.search(t[0])),
    "identical-options": lambda t: len(set(t[1])) == 1,
    "gold-tie": lambda t: list(t[1]).count(t[1][t[2]]) > 1,
    "figure": lambda t: "그림" in t[0],
}
"""Findings that bear on whether a question can be answered; samples carry them as flags."""

TEXT_FINDINGS: Mapping[str, Callable[[Text], bool]] = {
    "not-nfc": _changed_by("NFC"),
    "changed-by-nfkc": _changed_by("NFKC"),
    "private-use": lambda t: any(_PRIVATE.search(part) for part in _texts(t)),
    "double-space": lambda t: "  " in t[0],
    "outer-white-space": lambda t: any(option != option.strip() for option in t[1]),
    "digit-option": lambda t: any(option in ("1", "2", "3", "4") for option in t[1]),
    "letter-option": lambda t: any(option in ("A", "B", "C", "D") for option in t[1]),
}
"""Findings about how texts are written; they are listed by `jatdae data info` only."""

LEAK = "states-answer"
UNCLEAN = frozenset({"editor-note", "states-answer", "identical-options", "gold-tie"})
"""Flags of questions that are left out of the figure `macro_clean`."""


def flags_of(question: str, options: Sequence[str], answer: int) -> tuple[str, ...]:
    """The item findings that hold for a question. `answer` is an index from 0."""
    text = (question, options, answer)
    return tuple(name for name, holds in ITEM_FINDINGS.items() if holds(text))
