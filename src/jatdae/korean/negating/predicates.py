"""The predicates of a sentence: a head, the auxiliaries that follow it, and the ending that closes them.

알려져 있으며 is one predicate: its head is 알려지, its last stem 있 and its ending 으며.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from jatdae.korean.negation.analysis import Analysis, Morpheme

_STEMS = frozenset({"VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA"})
_ENDINGS = frozenset({"EC", "EF", "ETM", "ETN"})
_PAST = frozenset({"었", "았", "였"})
_SUPPLETIVE = {"없": "있", "모르": "알"}
"""Stems that deny by themselves, and what they deny."""


class Mark(Enum):
    """How a predicate is negative already."""

    NONE = "none"
    SHORT = "short"
    LONG = "long"
    COPULA = "copula"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Predicate:
    """Positions in an analysis' morphemes: the `head` stem, the last `stem` and the `ending` (`head <= stem < ending`).

    What stands between stem and ending are the markers of honour and tense. `mark_at` is the position of the marker
    where the predicate is negative already: the adverb, the ending -지 of the long form, the copula or the stem itself.
    """

    head: int
    stem: int
    ending: int
    mark: Mark = Mark.NONE
    mark_at: int = -1


def predicates(analysis: Analysis) -> list[Predicate]:
    """All predicates in the order of their endings."""
    found = (_predicate(analysis.morphemes, at) for at in range(1, len(analysis.morphemes)))
    return [predicate for predicate in found if predicate is not None]


def with_whole_forms(analysis: Analysis) -> Analysis:
    """The analysis with 못하 after -지 as one auxiliary, -ㄴ다면 as one ending and 이 right after a noun as the copula.

    The analyser reads the adverb 못 and 하다 there at times, -ㄴ다고 하면 with a verb that nobody wrote, and 이다 (to
    carry on the head).
    """
    whole: list[Morpheme] = []
    for morpheme in analysis.morphemes:
        if morpheme.form == "하" and _after_ji_mot(whole):
            adverb = whole.pop()
            morpheme = Morpheme("못하", "VX", adverb.start, morpheme.end, adverb.word)
        elif morpheme.form == "면" and _after_unwritten_say(whole):
            whole.pop()
            ending = whole.pop()
            morpheme = Morpheme(ending.form[:-1] + "면", "EC", ending.start, morpheme.end, ending.word)
        elif (morpheme.form, morpheme.tag) == ("이", "VV") and whole and _is_noun_in(whole[-1], morpheme.word):
            morpheme = Morpheme("이", "VCP", morpheme.start, morpheme.end, morpheme.word)
        whole.append(morpheme)
    return Analysis(analysis.text, tuple(whole))


def _after_ji_mot(before: Sequence[Morpheme]) -> bool:
    if not before or before[-1].form != "못" or before[-1].tag != "MAG":
        return False
    at = len(before) - 2
    while at >= 0 and before[at].tag.startswith("J"):
        at -= 1
    return at >= 0 and before[at].form == "지" and before[at].tag == "EC"


def _after_unwritten_say(before: Sequence[Morpheme]) -> bool:
    if len(before) < 2 or before[-1].form != "하" or before[-1].start != before[-1].end:
        return False
    return before[-2].tag == "EC" and before[-2].form.endswith(("다고", "라고"))


def _is_noun_in(before: Morpheme, word: int) -> bool:
    return before.word == word and before.tag.startswith(("N", "XSN", "SN", "SL", "SSC"))


def stem_before(morphemes: Sequence[Morpheme], ending: int) -> int | None:
    """The position of the stem that an ending closes, past the markers of tense and honour."""
    at = ending - 1
    while at >= 0 and morphemes[at].tag == "EP":
        at -= 1
    return at if at >= 0 and morphemes[at].tag in _STEMS else None


def is_past(analysis: Analysis, predicate: Predicate) -> bool:
    """Whether the predicate bears the past marker -었-."""
    inner = analysis.morphemes[predicate.stem + 1 : predicate.ending]
    return any(morpheme.tag == "EP" and morpheme.form in _PAST for morpheme in inner)


def affirmative_stem(stem: str) -> str | None:
    """있 for 없 and 알 for 모르; None for a stem that denies nothing."""
    return _SUPPLETIVE.get(stem)


def _predicate(morphemes: Sequence[Morpheme], ending: int) -> Predicate | None:
    if morphemes[ending].tag not in _ENDINGS or _link_to_auxiliary(morphemes, ending):
        return None
    stem = stem_before(morphemes, ending)
    if stem is None:
        return None
    head = stem
    for link in _links_back(morphemes, stem):
        head = link
    return _with_mark(morphemes, Predicate(head, stem, ending))


def _link_to_auxiliary(morphemes: Sequence[Morpheme], ending: int) -> bool:
    """Whether the ending only links its stem to an auxiliary, perhaps with particles between (먹기도 하다)."""
    at = ending + 1
    while at < len(morphemes) and morphemes[at].tag == "JX":
        at += 1
    return at < len(morphemes) and morphemes[at].tag == "VX" and morphemes[ending].tag in ("EC", "ETN")


def _links_back(morphemes: Sequence[Morpheme], stem: int) -> Iterator[int]:
    """The stems that the chain of auxiliaries goes back over, from the last but one to the head."""
    while morphemes[stem].tag == "VX":
        at = stem - 1
        while at > 0 and morphemes[at].tag == "JX":
            at -= 1
        before = stem_before(morphemes, at) if at > 0 and morphemes[at].tag in ("EC", "ETN") else None
        if before is None:
            return
        yield before
        stem = before


def _with_mark(morphemes: Sequence[Morpheme], predicate: Predicate) -> Predicate:
    mark, at = _mark(morphemes, predicate)
    return Predicate(predicate.head, predicate.stem, predicate.ending, mark, at)


def _mark(morphemes: Sequence[Morpheme], predicate: Predicate) -> tuple[Mark, int]:
    stem = morphemes[predicate.stem]
    if stem.tag == "VCN":
        return Mark.COPULA, predicate.stem
    if affirmative_stem(stem.form) and stem.tag in ("VA", "VV"):
        return Mark.WORD, predicate.stem
    for at in range(predicate.head + 1, predicate.stem):
        denies = morphemes[at].form == "지" and morphemes[at].tag == "EC" and _denies(morphemes, at, predicate.stem)
        if denies and not _is_caused(morphemes, at, predicate.stem):
            return Mark.LONG, at
    at = predicate.head - 1
    while at >= 0 and morphemes[at].word == morphemes[predicate.head].word:
        at -= 1
    if _is_short_marker(morphemes, at):
        return Mark.SHORT, at
    return Mark.NONE, -1


def _is_short_marker(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Whether 안 or 못 stands there as an adverb; after an object the analyser takes 안 for the inside at times."""
    if at < 0 or morphemes[at].form not in ("안", "못"):
        return False
    marker, before = morphemes[at], morphemes[max(at - 1, 0)]
    after_case = before.tag in ("JKO", "JKS", "JX") and before.word != marker.word
    return marker.tag == "MAG" or (marker.tag == "NNG" and after_case)


def _is_caused(morphemes: Sequence[Morpheme], at: int, stem: int) -> bool:
    """Whether the denied predicate is only caused (못하게 하다), so that the one that causes it stands unmarked."""
    return any(link.form == "게" and after.form == "하" for link, after in pairwise(morphemes[at : stem + 1]))


def _denies(morphemes: Sequence[Morpheme], at: int, stem: int) -> bool:
    following = at + 1
    while following < stem and morphemes[following].tag.startswith("J"):
        following += 1
    return morphemes[following].tag == "VX" and morphemes[following].form in ("않", "못하", "말", "아니하")
