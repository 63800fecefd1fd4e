"""How lm-evaluation-harness compares KMMLU outputs, for reproducing its numbers. Not for new ones."""

from __future__ import annotations

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_STATEMENT = re.compile(r"정답은\s*[(]?(A|B|C|D)[)]?")
_ENDING = "입니다"
INVALID = "[invalid]"


def strict_match(text: str, target: str) -> bool:
    """Equal after deleting ASCII spaces, lower-casing and deleting ASCII punctuation, on both sides.

    A line break, a full-width letter, a circled digit or any further word makes it false (task `kmmlu_direct`).
    """
    return _strict_form(text) == _strict_form(target)


def strict_letter(text: str, letters: str) -> str | None:
    """The letter of `letters` that `text` strictly matches, or None."""
    return next((letter for letter in letters if strict_match(text, letter)), None)


def cot_reproduction_filter(text: str) -> str:
    """The first capital A-D after "정답은" on whose line "입니다" and one more character follow, else "[invalid]".

    This is the regular expression of the task `kmmlu_cot_hard`, applied in linear time.
    """
    failed_end = -1
    for found in _STATEMENT.finditer(text):
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        if end == failed_end:  # a later statement on the same line sees less of it
            continue
        if text.find(_ENDING, found.end(), end - 1) >= 0:
            return found[1]
        failed_end = end
    return INVALID


def _strict_form(text: str) -> str:
    return text.replace(" ", "").lower().translate(_PUNCTUATION)
