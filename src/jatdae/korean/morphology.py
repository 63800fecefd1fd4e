"""The one door to the morphological analyser."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from kiwipiepy import Kiwi, Token


@cache
def kiwi() -> Kiwi:
    """The analyser, loaded once a process (about two seconds) and run on one thread, so that results have one order."""
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


def morphemes(text: str) -> list[Token]:
    """The text's morphemes by the likeliest analysis, with offsets in code points. No lone surrogate is allowed."""
    # The analyser's signature covers other kinds of input, each with its own type of result.
    return cast("list[Token]", kiwi().tokenize(text))


def is_hangul_syllable(character: str) -> bool:
    """True for one precomposed syllable (U+AC00 to U+D7A3); false for an empty string."""
    return "가" <= character <= "힣"
