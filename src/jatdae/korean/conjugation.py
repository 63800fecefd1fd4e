"""The forms that a Korean verb or adjective takes, for finding a phrase that ends in a bare stem.

Contractions and irregular stems (흐르다 -> 흘렀다, 무겁다 -> 무거운, 짓다 -> 지은) come from the morphological
analyser, which also tells a regular stem from an irregular one of the same spelling by the words before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from jatdae.errors import RequestError
from jatdae.korean.morphology import is_hangul_syllable, kiwi, morphemes

Ending = tuple[tuple[str, str], ...]
"""Morphemes and their tags, as the analyser joins them to a stem."""

# Endings that show by themselves that a stem is conjugated; whatever comes next belongs to the ending.
_CLEAR: tuple[Ending, ...] = (
    *((("으시", "EP"), part) for part in (("었", "EP"), ("어", "EC"), ("ᆫ", "ETM"), ("ᆯ", "ETM"), ("ᆷ", "ETN"))),
    (("으시", "EP"), ("ᆸ니다", "EF")),
    *(((ending, "EP"),) for ending in ("었", "겠", "으시")),
    *(((ending, "ETM"),) for ending in ("는", "던")),
    *(
        ((ending, "EC"),)
        for ending in (
            *("고", "게", "지", "자", "지만", "는데", "도록", "듯", "든", "거나", "거든", "거늘", "나", "다가"),
            *("으며", "으면", "으면서", "으므로", "으려", "으러", "으니까", "으리", "느라", "더니", "더라도"),
        )
    ),
    *(
        ((ending, "EF"),)
        for ending in (*("다", "ᆫ다", "ᆸ니다", "ᆸ니까", "네", "니", "냐", "구나", "군", "더라", "으세요", "소서", "오"),)
    ),
    (("기", "ETN"),),
)
_BUFFERED = ("니", "나", "라")
"""Endings that take 으 after a consonant (머금으니) and that the analyser does not join without fault."""

_PREDICATES = ("VV", "VA", "VX", "VCN", "XSV", "XSA")
_PROBES = ("다", "고", "는", "지")


@dataclass(frozen=True, slots=True)
class Form:
    """A spelling to find. `rest` are the syllables that may follow it, None for any; a word's end always may.

    `word_start` asks that no Hangul syllable stands before it.
    """

    text: str
    rest: str | None = None
    word_start: bool = False


# Endings that are part of unrelated words as well (멘 in 멘토), so that only a word's end or what can follow is right.
_OPEN: tuple[tuple[Ending, str], ...] = (
    ((("ᆫ", "ETM"),), "다단답대댔데지들듯채양가걸바만즉"),
    ((("ᆯ", "ETM"),), "까수지걸게래라때만뿐듯텐테거것법망"),
    ((("ᆷ", "ETN"),), "을이은에과도만의으"),
)
_A: Ending = (("어", "EC"),)
_AFTER_BARE_A = "서도야요라버보봐봤"
"""What follows the form in -아/-어 of a stem that is spelled the same without it (떠나, 서, 켜)."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A phrase that ends in a stem: the text `before` it, the `stem`, and its tag in the analyser's tag set."""

    before: str
    stem: str
    tag: str


def final_stem(phrase: str, endings: tuple[str, ...] = _PROBES[:1]) -> Predicate | None:
    """The verb or adjective stem that ends `phrase`, or None where it ends in anything else (a noun, 미소; an ending).

    It is a stem if the analyser reads the phrase with one of `endings` after it as that stem and that ending.
    """
    if not _ends_in_hangul(phrase):
        return None
    for ending in endings:
        tokens = morphemes(phrase + ending)
        if len(tokens) < 2 or tokens[-1].form != ending or not tokens[-1].tag.startswith("E"):
            continue
        last = tokens[-2]
        # A stem that the analyser supplies itself (시작[하]다) is not in the text, so it cannot end the phrase.
        if last.tag.partition("-")[0] in _PREDICATES and last.form and phrase[last.start :] == last.form:
            return Predicate(phrase[: last.start], last.form, last.tag)
    return None


@lru_cache(maxsize=4096)
def conjugated(phrase: str) -> tuple[Form, ...]:
    """The forms of a phrase that ends in a stem: present, past, adnominal, connective, final and honorific.

    A form reaches as far as needed to recognise it (흘렀 for 흘렀다, 흘렀고). A stem that the analyser does not know is
    conjugated as a regular verb. A phrase of one word has to start a word, so that 울 is not found in 싸우는.
    Raises RequestError where the phrase ends in no Hangul syllable or holds control characters.
    """
    if not _ends_in_hangul(phrase):
        raise RequestError(f"stem {phrase!r} does not end in a Hangul syllable; write it without its ending, as 흐르")
    found = final_stem(phrase, _PROBES) or _unknown(phrase)
    rests: dict[str, str | None] = dict(_open_texts(found))
    rests.update(dict.fromkeys(_clear_texts(found)))
    one_word = " " not in phrase.strip()
    return tuple(Form(found.before + text, rest, word_start=one_word) for text, rest in sorted(rests.items()))


def _ends_in_hangul(phrase: str) -> bool:
    # The analyser cannot take lone surrogates, which are not printable.
    return phrase.isprintable() and is_hangul_syllable(phrase[-1:])


def _unknown(phrase: str) -> Predicate:
    before, space, last = phrase.rpartition(" ")
    return Predicate(before + space, last, "VV")


def _joined(found: Predicate, ending: Ending) -> str:
    return kiwi().join([(found.stem, found.tag), *ending])


def _open_texts(found: Predicate) -> Iterator[tuple[str, str]]:
    for ending, rest in _OPEN:
        yield _joined(found, ending), rest
    yield _joined(found, _A), _AFTER_BARE_A


def _clear_texts(found: Predicate) -> Iterator[str]:
    yield from (_joined(found, ending) for ending in _CLEAR)
    # 하얗네 and 하야네 are both right; the analyser gives the second alone.
    yield from (found.stem + ending for ending in ("네", "니", "냐"))
    buffered = _joined(found, (("으면", "EC"),))[:-1]
    yield from (buffered + ending for ending in _BUFFERED)
    in_a = _joined(found, _A)
    if in_a != found.stem:
        yield in_a
    if found.stem[-1:] in ("없", "같"):
        yield found.stem + "이"
    yield from _uncontracted(found.stem)


def _uncontracted(stem: str) -> tuple[str, ...]:
    """Spellings such as 바라보았, 되어, 하였 beside the contracted ones that the analyser gives."""
    last = stem[-1:]
    if _has_final_consonant(last):
        return ()
    if last == "하":
        return stem + "여", stem + "였"
    return tuple(stem + vowel for vowel in ("아았" if _vowel(last) in _BRIGHT else "어었"))


_BRIGHT = (0, 8)
"""Positions of ㅏ and ㅗ among the 21 vowels of a Hangul syllable."""


def _has_final_consonant(syllable: str) -> bool:
    return (ord(syllable) - ord("가")) % 28 != 0


def _vowel(syllable: str) -> int:
    return (ord(syllable) - ord("가")) // 28 % 21
