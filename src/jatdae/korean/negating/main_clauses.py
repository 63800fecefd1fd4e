"""The predicates that standard negation turns round, and the conditions that it asserts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jatdae.korean.clauses import main_predicates
from jatdae.korean.negating.marking import is_directive
from jatdae.korean.negating.predicates import Predicate, is_past
from jatdae.korean.negation.analysis import Analysis

_CONDITIONS = frozenset({"면", "으면", "ᆫ다면", "는다면", "다면", "라면", "이라면"})


def negated_predicates(analysis: Analysis, found: Sequence[Predicate]) -> list[Predicate]:
    """Those of the main clauses, in order; of an order or a proposal only the last, since it is what is ordered.

    Empty where the sentence does not end in a predicate. `found` are all predicates of the analysis.
    """
    last = _final(analysis, found)
    if last is None:
        return []
    if is_directive(analysis, last):
        return [last]
    endings = {main.ending for main in main_predicates(analysis)}
    main = [
        each
        for each, following in pairwise(found)
        if each.ending in endings
        or _is_alternative(analysis, each, following, last)
        or _meets_new_subject(analysis, each, last)
    ]
    return [*main, last]


def main_conditions(analysis: Analysis, found: Sequence[Predicate]) -> list[Predicate]:
    """The conditional clauses (-면) that a main clause depends on; -에 따르면 names a source and is none."""
    return [
        each
        for each, following in pairwise(found)
        if _is_condition(analysis, each) and not _is_embedded(analysis, following)
    ]


def _is_embedded(analysis: Analysis, following: Predicate) -> bool:
    """Whether the predicate after a condition belongs to a noun or to what is quoted, and the condition with it."""
    ending = analysis.morphemes[following.ending]
    return ending.tag in ("ETM", "ETN") or (
        ending.tag == "EC" and ending.form.endswith(("다고", "라고", "자고", "냐고"))
    )


def _is_alternative(analysis: Analysis, each: Predicate, following: Predicate, last: Predicate) -> bool:
    """Whether a clause in -거나 stands beside the last one, with no other clause between."""
    return analysis.morphemes[each.ending].form == "거나" and following is last


def _meets_new_subject(analysis: Analysis, each: Predicate, last: Predicate) -> bool:
    """Whether -고 is followed at once by a subject of its own and the sentence ends in a verb.

    With a copula at the end it would belong to the noun there (감독이 만들고 배우가 나온 영화이다).
    """
    morphemes = analysis.morphemes
    if morphemes[each.ending].form != "고" or morphemes[last.stem].tag in ("VCP", "VCN") or is_past(analysis, last):
        return False
    at = each.ending + 1
    while at < last.head and morphemes[at].tag.startswith(("N", "XS", "XP", "SL")):
        at += 1
    return at > each.ending + 1 and morphemes[at].tag == "JKS"


def _final(analysis: Analysis, found: Sequence[Predicate]) -> Predicate | None:
    """The predicate that ends the sentence, with nothing but punctuation after it."""
    if not found or analysis.morphemes[found[-1].ending].tag not in ("EF", "EC", "ETN"):
        return None
    rest = analysis.morphemes[found[-1].ending + 1 :]
    return found[-1] if all(m.tag in ("SF", "SE", "SS", "SSO", "SSC", "SP", "SO", "SW") for m in rest) else None


def _is_condition(analysis: Analysis, each: Predicate) -> bool:
    ending, stem = analysis.morphemes[each.ending], analysis.morphemes[each.stem]
    following = analysis.text[ending.end : ending.end + 1]
    return ending.tag == "EC" and ending.form in _CONDITIONS and stem.form != "따르" and following in (" ", ",")
