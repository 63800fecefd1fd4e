"""Foreign words in Korean text: runs of letters of one script that is not Hangul, by code point.

Offsets refer to the text as given; full-width and accented letters count as Latin.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Script(StrEnum):
    """The scripts that are told apart; `OTHER` is every further alphabet (Greek, Thai, Arabic ...)."""

    LATIN = "latin"
    HAN = "han"
    KANA = "kana"
    CYRILLIC = "cyrillic"
    OTHER = "other"


HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc"
_LATIN = "A-Za-zªºÀ-ÖØ-öø-ʯᴀ-ᶿḀ-ỿⱠ-ⱿꜢ-ꟊﬀ-ﬆＡ-Ｚａ-ｚ"
_HAN = "々〆〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_CYRILLIC = "\u0400-\u0481\u048a-\u052f\u1c80-\u1c88\ua640-\ua66e"
_MARKS = "\u0300-\u036f\u3099\u309a"

_TOKEN = re.compile(
    rf"(?P<latin>[{_LATIN}][{_LATIN}{_MARKS}0-9０-９]*(?:['’][{_LATIN}][{_LATIN}{_MARKS}]*)*)"
    rf"|(?P<han>[{_HAN}]+)|(?P<kana>[{_KANA}][{_KANA}{_MARKS}]*)|(?P<cyrillic>[{_CYRILLIC}][{_CYRILLIC}{_MARKS}]*)"
    rf"|(?P<other>(?:(?![{HANGUL}{_LATIN}{_HAN}{_KANA}{_CYRILLIC}])[^\W\d_])+)"
)


@dataclass(frozen=True, slots=True)
class ForeignToken:
    """A foreign word, `text[start:end]`; `letters` counts its letters without marks and digits."""

    start: int
    end: int
    text: str
    script: Script
    letters: int

    @property
    def key(self) -> str:
        """The word for comparing: compatibility forms and letter case do not matter."""
        return comparable(self.text)


def comparable(word: str) -> str:
    """`word` in one spelling for sets of words."""
    return unicodedata.normalize("NFKC", word).casefold()


def foreign_tokens(text: str) -> Iterator[ForeignToken]:
    """Each foreign word of `text` in order, single letters too."""
    for match in _TOKEN.finditer(text):
        word = match[0]
        script = Script(str(match.lastgroup))
        yield ForeignToken(match.start(), match.end(), word, script, sum(map(str.isalpha, word)))
