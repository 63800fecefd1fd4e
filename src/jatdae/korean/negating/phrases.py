"""Coordinate phrases under one negated predicate: not (A and B) is not A or not B, so 와/과 becomes (이)나."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jatdae.korean.negating.predicates import Predicate, predicates
from jatdae.korean.negating.rewriting import Edit
from jatdae.korean.negating.sounds import ends_in_consonant
from jatdae.korean.negation.analysis import Analysis, Morpheme

_CASES = frozenset({"을", "를", "이", "가", "에", "에서", "에게", "은", "는"})
"""Particles after the second part with which the predicate says something of each part. (-로 and -의 are open.)"""
_RECIPROCAL_NOUNS = frozenset(
    {
        "사이",
        "간",
        "관계",
        "차이",
        "결혼",
        "비교",
        "대립",
        "대결",
        "구분",
        "구별",
        "교류",
        "동맹",
        "협력",
        "연결",
        "함께",
        "같이",
        "서로",
        "모두",
    }
)
_RECIPROCAL_STEMS = frozenset(
    {"만나", "싸우", "다르", "같", "비슷하", "닮", "섞", "잇", "겨루", "맞붙", "헤어지", "어울리", "합치"}
)


def disjoined(analysis: Analysis, negated: Sequence[Predicate]) -> list[Edit]:
    """The edits that write (이)나 for 와/과 between nouns that a negated predicate governs directly.

    Left as they are: phrases that only a dependent clause governs, and those that mean the parts together (A와 B 사이).
    """
    return [edit for each in negated for edit in _in_clause(analysis, each)]


def _in_clause(analysis: Analysis, predicate: Predicate) -> Iterator[Edit]:
    morphemes = analysis.morphemes
    before = [each.ending for each in predicates(analysis) if each.ending < predicate.head]
    first = before[-1] + 1 if before else 0
    if _means_together(morphemes[first : predicate.stem + 1]):
        return
    for at in range(first, predicate.head):
        if morphemes[at].tag == "JC" and morphemes[at].form in ("와", "과") and _governed(morphemes, at):
            place = morphemes[at]
            form = "이나" if ends_in_consonant(analysis.text[: place.start]) else "나"
            yield Edit(place.start, place.end, form)


def _means_together(morphemes: Sequence[Morpheme]) -> bool:
    return any(
        morpheme.form in (_RECIPROCAL_NOUNS if morpheme.tag.startswith(("N", "M")) else _RECIPROCAL_STEMS)
        for morpheme in morphemes
    )


def _governed(morphemes: Sequence[Morpheme], joint: int) -> bool:
    """Whether the noun phrase after the joint ends in a case that the predicate gives."""
    at = joint + 1
    while at < len(morphemes) and (
        morphemes[at].tag.startswith(("N", "XS", "XP", "XR", "M", "S")) or _joint(morphemes[at])
    ):
        at += 1
    return at < len(morphemes) and morphemes[at].tag.startswith("J") and morphemes[at].form in _CASES


def _joint(morpheme: Morpheme) -> bool:
    return morpheme.tag == "JC"
