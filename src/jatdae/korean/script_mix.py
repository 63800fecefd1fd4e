"""Foreign script in Korean replies: the compatible 2 % flag, and leaks listed word by word.

The compatible flag counts A-Z letters and nothing else, so that one KTX in a short reply raises it while a sentence of
Chinese does not. `code_switch` lists the foreign words of every script and excuses those that Korean writers use.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from jatdae.korean.scripts import HANGUL, ForeignToken, Script, comparable, foreign_tokens

COMPATIBLE_THRESHOLD = 0.02
LEAKS_PER_1000 = 10.0
PHRASE_ALARM = 5
"""A text is flagged above so many leaks per 1,000 Hangul syllables, from so many consecutive leaking words on, for a
sentence that is not Korean, or for any leak in another script than Latin.

Calibrated on human text, windows of 150 to 600 characters of KLUE v1.1 dev: no alarm in news, entailment and
similarity texts, about 1.5 % in film reviews (all of them English titles and phrases), under 1 % together. The
compatible flag fires on 19 to 27 % and 5 to 9 % of the same news and reviews.
"""
LONG_RUN = 4
"""Consecutive foreign words that are a phrase: from here on capitals no longer make them acronyms or names."""


@dataclass(frozen=True, slots=True)
class CodeSwitch:
    """The compatible measure: `fraction` of `letters` (of any script) that are A-Z or a-z; flagged above 2 %."""

    letters: int
    latin: int
    fraction: float
    flagged: bool


def code_switch_compat(text: str) -> CodeSwitch:
    """Count the letters of the text as given; a text without letters has fraction 0."""
    letters = sum(map(str.isalpha, text))
    latin = sum(character.isascii() and character.isalpha() for character in text)
    fraction = latin / letters if letters else 0.0
    return CodeSwitch(letters, latin, fraction, fraction > COMPATIBLE_THRESHOLD)


class Excuse(StrEnum):
    """Why a foreign word is no leak."""

    PROMPT = "in the prompt"
    ALLOWED = "allowed"
    ACRONYM = "acronym"
    NAME = "name"
    GLOSS = "gloss"


@dataclass(frozen=True, slots=True)
class ForeignWord:
    """A foreign word at `text[start:end]`, a leak unless excused."""

    start: int
    end: int
    text: str
    script: Script
    excuse: Excuse | None


@dataclass(frozen=True, slots=True)
class Leaks:
    """The foreign words of a text.

    `words` lists all of two letters or more; `per_1000` is leaks per 1,000 Hangul syllables (None without syllables).
    `longest_run` counts consecutive leaking words, `foreign_word_run` says that there are two or more.
    `sentences_not_korean` are spans of sentences with more leaked words (three or more) than Korean ones.
    `flagged` is the calibrated alarm.
    """

    words: tuple[ForeignWord, ...]
    hangul_syllables: int
    per_1000: float | None
    longest_run: int
    sentences_not_korean: tuple[tuple[int, int], ...]

    @property
    def leaked(self) -> tuple[ForeignWord, ...]:
        return tuple(word for word in self.words if word.excuse is None)

    @property
    def by_script(self) -> Mapping[Script, int]:
        return Counter(word.script for word in self.leaked)

    @property
    def foreign_word_run(self) -> bool:
        return self.longest_run >= 2

    @property
    def flagged(self) -> bool:
        if self.sentences_not_korean or self.longest_run >= PHRASE_ALARM:
            return True
        if any(word.script is not Script.LATIN for word in self.leaked):
            return True
        return bool(self.leaked) and (self.per_1000 is None or self.per_1000 > LEAKS_PER_1000)


# Words that Korean writers leave in Latin letters whatever their case: units, media, and everyday abbreviations.
_UNITS = "km cm mm kg mg ml cc kcal cal kw kwh mhz ghz hz gb mb kb tb ha db ppm rpm bpm mph kph"
_MEDIA = (
    "tv pc pd mc dj cf cg cd dvd ost mv vr ar sns ps sf rpg fps dm qr usb gps ppt pdf app wifi bgm asmr cctv ocn tvn"
)
_EVERYDAY = "pm am vs ok ai it ip id lte atm vip ceo mbti mt pt etc feat ver"
_COMMON = frozenset(f"{_UNITS} {_MEDIA} {_EVERYDAY}".split())
_MARKUP = re.compile(
    r"```[^`]{0,20000}```|`[^`\n]{1,300}`|</?[A-Za-z][^<>\n]{0,300}>|&[a-z]{2,8};"
    r"|(?:https?://|www\.)[^\s<>\"'()\[\]가-힣]{1,500}"
    r"|(?<![A-Za-z0-9.+_-])[A-Za-z0-9.+_-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}"
    r"|(?<![A-Za-z0-9.-])[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}\.(?:com|net|org|kr|io|co|jp|tv)(?![A-Za-z0-9])"
    r"|[@#][A-Za-z0-9_]{1,50}"
)
_GLOSS = re.compile(
    rf"(?<=[{HANGUL}'’\"”」』>])\s?[(（\[][^()（）\[\]\n]{{1,80}}[)）\]]|[〈《「『][^〈《「『〉》」』\n]{{1,80}}[〉》」』]"
)
_BETWEEN_WORDS = re.compile(r"[\s\-–'’]{0,3}\Z")
_SENTENCE = re.compile(r"[^.!?。！？…\n]+")
_FOREIGN_SENTENCE = 3
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,4}s?\Z")
_OPENS_SENTENCE = re.compile(r"(?:\A|[.!?…。！？\n][\s\"'“‘”’*(]{0,9})\Z")
_KOREAN_WORD = re.compile(rf"[{HANGUL}]+\S*")


def code_switch(text: str, prompt: str = "", allowed: Collection[str] = (), *, hanja_allowed: bool = False) -> Leaks:
    """The foreign words of `text` that neither its prompt nor the item's `allowed` words account for.

    Code, markup, addresses and tags are not text. Excused: words of the prompt, `allowed` words and everyday
    abbreviations; acronyms of up to five capitals; names (a capital inside a sentence); a word in parentheses after the
    Korean one that it explains. Source of the rule: tokens of two letters or more outside prompt and allow-list.
    """
    plain = _MARKUP.sub(lambda found: " " * len(found[0]), text)
    excuser = _Excuser(plain, prompt, allowed, hanja_allowed)
    runs = [excuser.judged(run) for run in _runs(plain)]
    listed = [(token, excuse) for run in runs for token, excuse in run if token.letters >= 2]
    leaked = [token for token, excuse in listed if excuse is None]
    syllables = sum("가" <= character <= "힣" for character in unicodedata.normalize("NFC", plain))
    return Leaks(
        words=tuple(ForeignWord(token.start, token.end, token.text, token.script, why) for token, why in listed),
        hangul_syllables=syllables,
        per_1000=1000 * len(leaked) / syllables if syllables else None,
        longest_run=max((sum(_length(token) for token, excuse in run if excuse is None) for run in runs), default=0),
        sentences_not_korean=tuple(_not_korean(plain, leaked)),
    )


def _runs(plain: str) -> Iterator[list[ForeignToken]]:
    """Foreign words that follow one another with nothing but spaces or hyphens between."""
    run: list[ForeignToken] = []
    for token in foreign_tokens(plain):
        if run and not _BETWEEN_WORDS.match(plain, run[-1].end, token.start):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _length(token: ForeignToken) -> int:
    """Words in a token: Chinese and Japanese leave no spaces, two characters or three kana make about a word."""
    per_word = {Script.HAN: 2, Script.KANA: 3}.get(token.script)
    return -(-token.letters // per_word) if per_word else 1


class _Excuser:
    """Decides which foreign words of one text are no leaks."""

    def __init__(self, plain: str, prompt: str, allowed: Collection[str], hanja_allowed: bool) -> None:
        self._plain = plain
        self._of_prompt = {token.key for token in foreign_tokens(prompt)}
        self._allowed = _COMMON | {comparable(word) for word in allowed}
        self._hanja_allowed = hanja_allowed
        self._glosses = [found.span() for found in _GLOSS.finditer(plain)]
        self._gloss = 0

    def judged(self, run: list[ForeignToken]) -> list[tuple[ForeignToken, Excuse | None]]:
        """Each word of the run with the first excuse that holds for it. Runs come in the order of the text."""
        phrase = sum(map(_length, run)) >= LONG_RUN
        return [(token, self._excuse_of(token, phrase)) for token in run]

    def _excuse_of(self, token: ForeignToken, phrase: bool) -> Excuse | None:
        if token.key in self._of_prompt:
            return Excuse.PROMPT
        if token.key in self._allowed or (self._hanja_allowed and token.script is Script.HAN):
            return Excuse.ALLOWED
        if self._in_gloss(token):
            return Excuse.GLOSS
        if token.script is not Script.LATIN or phrase:
            return None
        return self._excuse_of_capitals(token)

    def _excuse_of_capitals(self, token: ForeignToken) -> Excuse | None:
        plain_word = unicodedata.normalize("NFKC", token.text)
        if _ACRONYM.match(plain_word) or (token.letters == 1 and plain_word.isupper()):
            return Excuse.ACRONYM
        coined = any(map(str.isdigit, plain_word)) or not (plain_word.islower() or plain_word.istitle())
        inside = not _OPENS_SENTENCE.search(self._plain, max(0, token.start - 12), token.start)
        return Excuse.NAME if coined or (plain_word[0].isupper() and inside) else None

    def _in_gloss(self, token: ForeignToken) -> bool:
        while self._gloss < len(self._glosses) and self._glosses[self._gloss][1] < token.end:
            self._gloss += 1
        return self._gloss < len(self._glosses) and self._glosses[self._gloss][0] <= token.start


def _not_korean(plain: str, leaked: Iterable[ForeignToken]) -> Iterator[tuple[int, int]]:
    """Sentences with three or more leaked words, more than they have words with Hangul."""
    waiting = iter(leaked)
    token = next(waiting, None)
    for sentence in _SENTENCE.finditer(plain):
        foreign = 0
        while token is not None and token.end <= sentence.end():
            foreign += _length(token)
            token = next(waiting, None)
        if foreign >= _FOREIGN_SENTENCE and foreign > len(_KOREAN_WORD.findall(sentence[0])):
            yield sentence.span()
