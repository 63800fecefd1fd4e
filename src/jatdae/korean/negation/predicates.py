"""What a negation denies: the predicate in its scope, in dictionary form, and its span."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.korean.negation.analysis import Morpheme
from jatdae.korean.negation.kinds import NegationType
from jatdae.korean.negation.lexicon import NEGATIVE_PREFIXES
from jatdae.korean.negation.markers import VERBAL_SUFFIXES, Morphemes, ji_before, predicate_after

_NOMINAL = ("NNG", "NNP", "NNB", "NR", "NP", "XR", "XPN", "XSN", "SL", "SN", "SH", "SW")


@dataclass(frozen=True, slots=True)
class Denied:
    """A predicate: its dictionary form and its span in the analysis' text; `last` is the index of its stem."""

    form: str
    start: int
    end: int
    last: int


def span_of(morpheme: Morpheme) -> tuple[int, int]:
    """Start and end; a morpheme that is fused into the syllable before it still has that syllable."""
    return morpheme.start, max(morpheme.end, morpheme.start + 1)


def denied_by(text: str, morphemes: Morphemes, at: int, kind: NegationType) -> Denied | None:
    """The predicate that the marker at `at` denies; None where the sentence has none (걱정 마)."""
    if kind is NegationType.COPULA:
        return _complement(text, morphemes, at)
    if kind is NegationType.LEXICAL:
        return _lexical(text, morphemes, at)
    if kind in (NegationType.LONG_AN, NegationType.LONG_MOT, NegationType.MALDA):
        return _before_ji(text, morphemes, at)
    stem = predicate_after(morphemes, at)
    return None if stem is None else _predicate(text, morphemes, stem)


def _lexical(text: str, morphemes: Morphemes, at: int) -> Denied:
    """The negative word itself: 없다, 모르다, 불가능하다."""
    if morphemes[at].tag[0] == "V":
        return Denied(f"{morphemes[at].form}다", *span_of(morphemes[at]), at)
    suffix = at + 2 if morphemes[at].form in NEGATIVE_PREFIXES else at + 1
    start, end = morphemes[at].start, morphemes[suffix - 1].end
    return Denied(f"{text[start:end]}{morphemes[suffix].form}다", start, end, suffix)


def _before_ji(text: str, morphemes: Morphemes, at: int) -> Denied | None:
    ji = at if morphemes[at].tag[0] == "E" else ji_before(morphemes, at)
    place = (at if ji is None else ji) - 1
    while place >= 0 and morphemes[place].tag == "EP":
        place -= 1
    # An auxiliary is not what is denied: 먹어 보지 않았다 denies 먹다.
    while place >= 2 and morphemes[place].tag == "VX" and morphemes[place - 1].tag == "EC":
        place -= 2
    if place < 0 or not (morphemes[place].tag[0] == "V" or morphemes[place].tag in VERBAL_SUFFIXES):
        return None
    return _predicate(text, morphemes, place)


def _predicate(text: str, morphemes: Morphemes, stem: int) -> Denied:
    """A stem with the nominal that a verbal suffix or the copula needs: 시작하다, 학생이다."""
    morpheme = morphemes[stem]
    first = stem
    if morpheme.tag in (*VERBAL_SUFFIXES, "VCP"):
        while first > 0 and morphemes[first - 1].tag in _NOMINAL and morphemes[first - 1].word == morphemes[stem].word:
            first -= 1
        if first == stem and stem > 0 and _may_precede(morphemes, stem):
            first -= 1
    start = morphemes[first].start
    head = "".join(part.form for part in morphemes[first:stem])
    if _is_derived(morphemes, stem):
        derived = text[morpheme.start : morphemes[stem + 2].start]
        return Denied(f"{head}{derived}지다", start, morphemes[stem + 2].end, stem + 2)
    return Denied(f"{head}{morpheme.form}다", start, max(morpheme.end, start), stem)


def _may_precede(morphemes: Morphemes, stem: int) -> bool:
    """Whether the morpheme before a suffix belongs to its word: a nominal, or an adverb as in 못하다."""
    before = morphemes[stem - 1]
    return before.tag in _NOMINAL or (before.tag == "MAG" and before.word == morphemes[stem].word)


def _is_derived(morphemes: Morphemes, stem: int) -> bool:
    """Whether -어지다 makes another verb of the stem: 밝혀지다, 따뜻해지다."""
    after = [(morpheme.form, morpheme.tag) for morpheme in morphemes[stem + 1 : stem + 3]]
    return after in ([("어", "EC"), ("지", "VX")], [("아", "EC"), ("지", "VX")])


def _complement(text: str, morphemes: Morphemes, at: int) -> Denied | None:
    """What somebody or something is said not to be: the nominal before 아니다, as 의사이다."""
    last = at - 1
    while last >= 0 and _marks_complement(morphemes, last):
        last -= 1
    if last < 0:
        return None
    if morphemes[last].tag not in _NOMINAL and (morphemes[last].tag[0] == "S" or last == at - 1):
        return None
    first = last
    while first > 0 and _is_of_complement(morphemes, first - 1, last):
        first -= 1
    start, end = morphemes[first].start, morphemes[last].end
    # A pronoun may be fused with its particle: 제가 is 저 and 가.
    head = morphemes[last].form if morphemes[last].tag == "NP" else text[start:end]
    return Denied(f"{head}이다", start, end, last)


def _marks_complement(morphemes: Morphemes, at: int) -> bool:
    """A particle, a mark of quotation before it, or 이 that was read as one more word although no space is there."""
    stray = morphemes[at].form == "이" and at > 0 and morphemes[at - 1].end == morphemes[at].start
    return morphemes[at].tag[0] == "J" or morphemes[at].tag[:2] == "SS" or stray


def _is_of_complement(morphemes: Morphemes, at: int, last: int) -> bool:
    """Whether the morpheme is in the word of the complement's last one; words that no dictionary has fall to pieces."""
    if morphemes[at].word != morphemes[last].word or morphemes[at].tag[0] == "J":
        return False
    return morphemes[at].tag in _NOMINAL or morphemes[last].tag not in _NOMINAL
