"""One predicate made negative, in every form that it allows, or made affirmative where it is negative already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.korean.negating.predicates import Mark, Predicate, affirmative_stem
from jatdae.korean.negating.rewriting import Edit, Part, joined, part, rejoined
from jatdae.korean.negating.sounds import ends_in_consonant, subject_particle
from jatdae.korean.negation.analysis import Analysis, Morpheme
from jatdae.korean.negation.kinds import NegationType

_BOUND = ("XPN", "XR", "SN", "SL", "SH", "MAG")
_DIRECTIVE = frozenset(
    {
        "자",
        "ᆸ시다",
        "읍시다",
        "세요",
        "으세요",
        "셔요",
        "으셔요",
        "십시오",
        "으십시오",
        "ᆸ시오",
        "읍시오",
        "시오",
        "어라",
        "아라",
        "거라",
        "라",
        "으라",
        "려무나",
    }
)
"""Endings that order or propose; -아/어(요) does so too, but as often states, and is read as a statement."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A predicate rewritten: the form of the negation, None where a marker was removed, and the edits for it."""

    type: NegationType | None
    edits: tuple[Edit, ...]


def is_directive(analysis: Analysis, predicate: Predicate) -> bool:
    """Whether the predicate ends an order or a proposal, which 말다 negates."""
    ending = analysis.morphemes[predicate.ending]
    return ending.tag == "EF" and ending.form in _DIRECTIVE


def renderings(analysis: Analysis, predicate: Predicate, tail: Sequence[Part] | None = None) -> list[Rendering]:
    """All ways to turn the predicate's polarity round, the usual one first.

    `tail` are the markers of tense and the ending that close it instead of those that stand there.
    """
    closing = list(tail) if tail is not None else own_tail(analysis, predicate)
    if predicate.mark is not Mark.NONE:
        return [Rendering(None, _affirmed(analysis, predicate, closing))]
    return [Rendering(kind, tuple(edits)) for kind, edits in _negated(analysis, predicate, closing)]


def reclosed(analysis: Analysis, predicate: Predicate, tail: Sequence[Part]) -> tuple[Edit, ...]:
    """The predicate with another ending and its polarity as it is."""
    return tuple(_reclosed(analysis, predicate, list(tail)))


def own_tail(analysis: Analysis, predicate: Predicate) -> list[Part]:
    """The markers of tense and honour and the ending that the predicate has."""
    return [part(morpheme) for morpheme in analysis.morphemes[predicate.stem + 1 : predicate.ending + 1]]


def _negated(analysis: Analysis, predicate: Predicate, tail: list[Part]) -> Iterator[tuple[NegationType, list[Edit]]]:
    stem = analysis.morphemes[predicate.stem]
    if stem.tag == "VCP":
        yield from _not_being_forms(analysis, predicate, tail)
        return
    if is_directive(analysis, predicate):
        yield NegationType.MALDA, [_long(analysis, predicate, "말", _prohibitive(tail))]
        return
    if stem.form in ("있", "알") and stem.tag in ("VA", "VV"):
        yield from _denied_by_word(analysis, predicate, tail)
        return
    yield NegationType.LONG_AN, [_long(analysis, predicate, "않", tail)]
    yield from _other_forms(analysis, predicate, tail)


def _not_being_forms(
    analysis: Analysis, predicate: Predicate, tail: list[Part]
) -> Iterator[tuple[NegationType, list[Edit]]]:
    """아니다; after -적 the long form first, since that describes (극단적이지 않다), and after 중 second."""
    not_being = NegationType.COPULA, [_not_being(analysis, predicate, tail)]
    before = analysis.morphemes[predicate.stem - 1]
    if (before.form, before.tag) not in (("적", "XSN"), ("중", "NNB")):
        yield not_being
        return
    long = NegationType.LONG_AN, [_long(analysis, predicate, "않", tail)]
    yield from (long, not_being) if before.form == "적" else (not_being, long)


def _denied_by_word(
    analysis: Analysis, predicate: Predicate, tail: list[Part]
) -> Iterator[tuple[NegationType, list[Edit]]]:
    """있다 and 알다: the opposite word first."""
    stem = analysis.morphemes[predicate.stem]
    opposite = [("없", "VA"), *_plain(tail)] if stem.form == "있" else [("모르", "VV"), *tail]
    yield NegationType.LEXICAL, [rejoined(analysis, predicate.stem, predicate.ending, opposite)]
    yield NegationType.LONG_AN, [_long(analysis, predicate, "않", tail)]
    yield from _other_forms(analysis, predicate, tail)


def _plain(tail: Sequence[Part]) -> list[Part]:
    """An adjective's endings: 없다 for a verb's 있는다."""
    return [("다", tag) if form in ("ᆫ다", "는다") and tag == "EF" else (form, tag) for form, tag in tail]


def _other_forms(
    analysis: Analysis, predicate: Predicate, tail: list[Part]
) -> Iterator[tuple[NegationType, list[Edit]]]:
    yield NegationType.LONG_MOT, [_long(analysis, predicate, "못하", tail)]
    for kind, adverb in ((NegationType.SHORT_AN, "안"), (NegationType.SHORT_MOT, "못")):
        for at in _adverb_places(analysis, predicate):
            space = "" if at == 0 or analysis.text[at - 1].isspace() else " "
            yield kind, [Edit(at, at, f"{space}{adverb} "), *_reclosed(analysis, predicate, tail)]


def _long(analysis: Analysis, predicate: Predicate, auxiliary: str, tail: Sequence[Part]) -> Edit:
    stem = part(analysis.morphemes[predicate.stem])
    return rejoined(analysis, predicate.stem, predicate.ending, [stem, ("지", "EC"), (auxiliary, "VX"), *tail])


def _prohibitive(tail: Sequence[Part]) -> list[Part]:
    """The tail as 말다 takes it: -거라 and -아라 are -라 there, which the analyser writes for -어라."""
    return [("어라", tag) if form in ("거라", "아라") else (form, tag) for form, tag in tail]


def _not_being(analysis: Analysis, predicate: Predicate, tail: Sequence[Part]) -> Edit:
    start = analysis.morphemes[predicate.stem].start
    # 였 shows that a vowel goes before, also where nobody can read what stands there.
    particle = "가" if analysis.text.startswith("였", start) else subject_particle(analysis.text[:start])
    return Edit(
        start, analysis.morphemes[predicate.ending].end, f"{particle} {joined([('아니', 'VCN'), *_unfused(tail)])}"
    )


def _unfused(tail: Sequence[Part]) -> list[Part]:
    """아니에요 for 의사예요, where the copula is fused into the ending."""
    return [("에요", tag) if form == "예요" else (form, tag) for form, tag in tail]


def _reclosed(analysis: Analysis, predicate: Predicate, tail: list[Part]) -> list[Edit]:
    own = own_tail(analysis, predicate)
    if tail == own:
        return []
    morphemes = analysis.morphemes
    stem, ending = morphemes[predicate.stem], morphemes[predicate.ending]
    whole = rejoined(analysis, predicate.stem, predicate.ending, [part(stem), *own])
    if whole.text == analysis.text[whole.start : whole.end] or morphemes[predicate.ending - 1].end > ending.start:
        return [rejoined(analysis, predicate.stem, predicate.ending, [part(stem), *tail])]
    # The writer spells it as the analyser does not (하였고): what stands before the ending stays.
    return [Edit(ending.start, ending.end, tail[-1][0])]


def _adverb_places(analysis: Analysis, predicate: Predicate) -> list[int]:
    """Where 안 or 못 may stand: before the head's word, between noun and 하다, before the last auxiliary."""
    morphemes = analysis.morphemes
    first = predicate.head
    while first > 0 and _belongs(morphemes[first - 1], morphemes[first]):
        first -= 1
    places = [morphemes[first].start, morphemes[predicate.head].start, morphemes[predicate.stem].start]
    return sorted(dict.fromkeys(places), key=places.index)


def _belongs(before: Morpheme, after: Morpheme) -> bool:
    joins = before.tag.startswith(("N", "V")) or before.tag in _BOUND or before.tag in ("EC", "XSV", "XSA", "XSN")
    return before.word == after.word and joins


def _affirmed(analysis: Analysis, predicate: Predicate, tail: list[Part]) -> tuple[Edit, ...]:
    if predicate.mark is Mark.SHORT:
        adverb, following = analysis.morphemes[predicate.mark_at], analysis.morphemes[predicate.mark_at + 1]
        return (Edit(adverb.start, following.start, ""), *_reclosed(analysis, predicate, tail))
    if predicate.mark is Mark.LONG:
        return (_without_long(analysis, predicate, tail),)
    if predicate.mark is Mark.COPULA:
        return (_being(analysis, predicate, tail),)
    stem = analysis.morphemes[predicate.stem]
    return (
        rejoined(analysis, predicate.stem, predicate.ending, [(affirmative_stem(stem.form) or "", stem.tag), *tail]),
    )


def _without_long(analysis: Analysis, predicate: Predicate, tail: list[Part]) -> Edit:
    morphemes = analysis.morphemes
    denied = predicate.mark_at - 1
    auxiliary = predicate.mark_at + 1
    while morphemes[auxiliary].tag != "VX":
        auxiliary += 1
    between = [part(morpheme) for morpheme in morphemes[auxiliary + 1 : predicate.stem + 1]]
    first = denied
    while first > 0 and morphemes[first].tag == "EP":
        first -= 1
    stem = [part(morpheme) for morpheme in morphemes[first : denied + 1]]
    return rejoined(analysis, first, predicate.ending, [*stem, *between, *tail])


def _being(analysis: Analysis, predicate: Predicate, tail: Sequence[Part]) -> Edit:
    morphemes = analysis.morphemes
    first = predicate.stem
    while first > 0 and morphemes[first - 1].tag in ("JKC", "JKS", "JX"):
        first -= 1
    start = morphemes[first].start
    vowel = not ends_in_consonant(analysis.text[:start])
    past = bool(tail) and tail[0] in (("었", "EP"), ("였", "EP"))
    written = "였" + joined([("하", "VX"), *tail])[1:] if vowel and past else joined([("이", "VCP"), *tail])
    return Edit(start, morphemes[predicate.ending].end, written)
