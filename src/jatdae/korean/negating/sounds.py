"""Whether a text ends in a consonant when it is read aloud, which decides between 이 and 가."""

from __future__ import annotations

import re

_CLOSERS = "\"'”’」』》〉>)]}）】"
_BRACKETED = re.compile(r"[(（\[][^()（）\[\]]{0,80}[)）\]]\Z")
_DIGITS_WITH_CONSONANT = "013678"
_LETTERS_WITH_CONSONANT = "lmnr"
_UNITS = {
    **dict.fromkeys(("km²", "km2", "m²", "m2", "㎢", "㎡", "km", "cm", "mm", "m", "ha", "%", "㎞"), False),
    **dict.fromkeys(("kg", "mg", "g", "t", "㎏"), True),
}
_UNIT = re.compile(r"[0-9]\s?(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")\Z")


def subject_particle(text: str) -> str:
    """이 or 가, by the sound that `text` ends in."""
    return "이" if ends_in_consonant(text) else "가"


def ends_in_consonant(text: str) -> bool:
    """Whether the last sound is a consonant. Quotation marks and an addition in brackets are passed over.

    Digits and Latin letters are read in the Korean way (3 삼, L 엘), a unit after a number by its name (5m 오 미터).
    What nobody reads, such as another script, counts as ending in a vowel.
    """
    text = _spoken(text[-200:])
    unit = _UNIT.search(text)
    if unit:
        return _UNITS[unit[1]]
    last = text[-1:].lower()
    if "가" <= last <= "힣":
        return (ord(last) - ord("가")) % 28 != 0
    return last in _DIGITS_WITH_CONSONANT + _LETTERS_WITH_CONSONANT if last else False


def _spoken(text: str) -> str:
    """The text without what is not read at its end: closing marks and an addition in brackets."""
    text = text.rstrip()
    while text and text[-1] in _CLOSERS:
        without_addition = _BRACKETED.sub("", text)
        text = (without_addition if 0 < len(without_addition) < len(text) else text[:-1]).rstrip()
    return text
