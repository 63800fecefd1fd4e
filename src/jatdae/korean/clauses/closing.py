"""Where clauses close: the ending that ends the clause of a predicate, past auxiliary chains (않고 있다, 않게 되다).

Functions take the morphemes of one sentence and indices into them; None stands for an ending that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import Enum, auto

from jatdae.korean.negation.analysis import Morpheme

Morphemes = Sequence[Morpheme]

STEMS = frozenset({"VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA"})
"""Tags of morphemes that take endings."""

_ENDINGS = frozenset({"EC", "EF", "ETM", "ETN"})
_PARTICLES = frozenset({"JX", "JKO", "JKS", "JKC"})
_SYMBOLS = frozenset({"SF", "SP", "SS", "SSO", "SSC", "SE", "SO", "SW", "SB"})
_QUOTING = re.compile(r"[다라자냐](?:고|며|면서)\Z")
_NOMINAL = ("음", "ᆷ", "기")
_EMBEDDED_QUESTION = re.compile(r"[는은ᆫᆯ을던]지\Z|[ᆫ는은]가\Z|[ᆯ을]까\Z")

_BEFORE_ADVERB = frozenset({"지", "질", "면", "으면"})

_PURPOSES = frozenset({"도록", "고자"})
"""Endings that close a clause also before 하다, which the analyser takes for an auxiliary there."""

_LIGHT_VERBS = {
    "지": ("않", "못하", "말", "아니하", "하"),
    "질": ("않", "못하", "말", "아니하", "하"),
    "게": ("되", "하", "만들"),
    "어야": ("되", "하"),
    "으면": ("되",),
    "면": ("되",),
    "려고": ("하",),
    "으려고": ("하",),
    "려": ("하",),
    "으려": ("하",),
}
"""Verbs that make one predicate with what comes before a connective ending, whichever tag the analyser gives them."""

_PERIPHRASTIC_NOUNS = {
    "수": ("있", "없"),
    "리": ("있", "없"),
    "것": ("같", "아니"),
    "거": ("같", "아니"),
    "뿐": ("이", "아니"),
    "터": ("이",),
    "만": ("하",),
    "듯": ("하", "싶"),
    "법": ("하",),
    "뻔": ("하",),
    "양": ("하",),
    "체": ("하",),
    "척": ("하",),
}
"""Dependent nouns after an adnominal ending that with these stems make one predicate: 갈 수 있다, 간 것 같다."""

_FUTURE_NOUNS = _PERIPHRASTIC_NOUNS | {"것": ("이", "같", "아니"), "거": ("이", "같", "아니")}
"""The same after -(으)ㄹ: 갈 것이다 is one predicate, in 간 것이다 a clause describes 것."""


class Closure(Enum):
    """How a clause closes, by its ending alone."""

    FINAL = auto()
    CONNECTIVE = auto()
    ADNOMINAL = auto()
    NOMINAL = auto()
    QUOTATIVE = auto()


def closing_ending(morphemes: Morphemes, at: int) -> int | None:
    """The index of the ending that closes the clause whose marker or predicate is morpheme `at`; None if none does.

    An adverb (안, 못) belongs to the predicate after it.
    """
    ending = _next_ending(morphemes, _stem_from(morphemes, at) + 1)
    while ending is not None:
        following = auxiliary(morphemes, ending)
        if following is None:
            return ending
        ending = _next_ending(morphemes, following + 1)
    return None


def auxiliary(morphemes: Morphemes, ending: int) -> int | None:
    """The index of the auxiliary stem that the ending leads to; None where the ending closes the clause."""
    form, tag = morphemes[ending].form, morphemes[ending].tag
    if tag in ("EC", "EF"):
        return _auxiliary_verb(morphemes, ending, form)
    if tag == "ETM" and ending + 1 < len(morphemes):
        noun = morphemes[ending + 1].form
        heads = (_FUTURE_NOUNS if form in ("ᆯ", "을") else _PERIPHRASTIC_NOUNS).get(noun, ())
        after = _skip(morphemes, ending + 2, _PARTICLES)
        if after is not None and morphemes[after].form in heads and morphemes[after].tag in STEMS:
            return after
    return None


def closure(morphemes: Morphemes, ending: int | None) -> Closure:
    """How the ending closes its clause. A connective one at the end of the sentence is final, and a final one before
    other words is connective or nominal: there the analyser's tag is wrong, or the sentence breaks off."""
    if ending is None:
        return Closure.FINAL
    form, tag = morphemes[ending].form, morphemes[ending].tag
    if tag == "ETM":
        return Closure.ADNOMINAL
    if is_final(morphemes, ending) and tag != "ETN":
        return Closure.FINAL
    if tag == "ETN" or form in _NOMINAL or (tag == "EC" and _EMBEDDED_QUESTION.search(form)):
        return Closure.NOMINAL
    return Closure.QUOTATIVE if _quoted(morphemes, ending) else Closure.CONNECTIVE


def is_final(morphemes: Morphemes, ending: int) -> bool:
    """Whether the sentence ends here: a full stop follows, or nothing but signs and a polite 요."""
    for morpheme in morphemes[ending + 1 :]:
        if morpheme.tag == "SF":
            return True
        if morpheme.tag not in _SYMBOLS and morpheme.form != "요":
            return False
    return True


def _quoted(morphemes: Morphemes, ending: int) -> bool:
    if morphemes[ending].tag == "EC" and _QUOTING.search(morphemes[ending].form):
        return True
    after = _skip(morphemes, ending + 1, _SYMBOLS)
    return after is not None and morphemes[after].tag == "JKQ"


def _auxiliary_verb(morphemes: Morphemes, ending: int, form: str) -> int | None:
    if form in _PURPOSES or _QUOTING.search(form):
        return None
    after = _skip(morphemes, ending + 1, _PARTICLES)
    if after is not None and form in _BEFORE_ADVERB and morphemes[after].form in ("안", "못"):
        after += 1  # 먹지 못 하다, 가면 안 되다
    if after is None or after >= len(morphemes):
        return None
    stem = morphemes[after]
    if stem.tag == "VX" or (stem.tag in STEMS and stem.form in _LIGHT_VERBS.get(form, ())):
        return after
    return None


def _stem_from(morphemes: Morphemes, at: int) -> int:
    if morphemes[at].tag in STEMS:
        return at
    return next((index for index in range(at + 1, len(morphemes)) if morphemes[index].tag in STEMS), at)


def _next_ending(morphemes: Morphemes, start: int) -> int | None:
    for index in range(start, len(morphemes)):
        if morphemes[index].tag in _ENDINGS or _misread_connective(morphemes, index):
            return index
    return None


def _misread_connective(morphemes: Morphemes, index: int) -> bool:
    """-며 after a stem, which the analyser sometimes takes for the particle."""
    return morphemes[index].tag == "JC" and index > 0 and morphemes[index - 1].tag in STEMS | {"EP"}


def _skip(morphemes: Morphemes, start: int, tags: Collection[str]) -> int | None:
    return next((index for index in range(start, len(morphemes)) if morphemes[index].tag not in tags), None)
