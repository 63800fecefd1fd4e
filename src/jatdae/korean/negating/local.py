"""Local negation: the polarity of one clause turned round, so that the sentence as a whole is not negated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.korean.clauses import clauses
from jatdae.korean.negating.main_clauses import negated_predicates
from jatdae.korean.negating.marking import Rendering, renderings
from jatdae.korean.negating.predicates import Predicate, predicates, with_whole_forms
from jatdae.korean.negating.rewriting import apply
from jatdae.korean.negation.analysis import Analysis, analyse
from jatdae.korean.negation.kinds import ClauseType, NegationType

_DEPENDENT = frozenset(
    {
        ClauseType.ADNOMINAL,
        ClauseType.ADVERBIAL,
        ClauseType.NOMINAL,
        ClauseType.QUOTATIVE,
        ClauseType.SUBORDINATE,
    }
)
_RELATIONAL = frozenset({"위하", "대하", "의하", "관하", "인하", "통하", "말미암", "비롯하", "따르", "걸치", "더불"})
"""Verbs that have become particles (-을 위해, -에 따른) and that nobody negates."""


@dataclass(frozen=True, slots=True)
class LocalNegation:
    """A sentence with one clause negated: its text, the form (None: a marker was removed), the clause's type.

    `element` is the clause of the original that was negated, a stretch of its text.
    """

    text: str
    type: NegationType | None
    clause: ClauseType
    element: str


def negate_locally(sentence: str) -> list[LocalNegation]:
    """One candidate for each dependent clause and, of several main clauses, for each of them, in sentence order."""
    analysis = analyse(sentence)
    return [
        LocalNegation(apply(analysis.text, forms[0].edits), forms[0].type, kind, element)
        for kind, element, forms in local_forms(analysis)
    ]


def local_forms(analysis: Analysis) -> Iterator[tuple[ClauseType, str, list[Rendering]]]:
    """For each clause that can be negated locally: its type, its text, and the forms that it allows."""
    whole = with_whole_forms(analysis)
    found = predicates(whole)
    main = negated_predicates(whole, found)
    if not main:
        return
    kinds = {clause.ending: clause for clause in clauses(whole)}
    for each in found:
        clause = kinds.get(each.ending)
        kind = _kind(each, main, clause.type if clause else None)
        if kind is None or _is_relational(whole, each):
            continue
        start = clause.start if clause else whole.morphemes[each.head].start
        yield kind, whole.text[start : whole.morphemes[each.ending].end], renderings(whole, each)


def _kind(each: Predicate, main: Sequence[Predicate], found: ClauseType | None) -> ClauseType | None:
    """The label of a local negation there; None where it would be no local one."""
    if each in main:
        return ClauseType.COORDINATE if len(main) > 1 else None
    return found if found in _DEPENDENT else None


def _is_relational(analysis: Analysis, each: Predicate) -> bool:
    first, before = analysis.morphemes[each.head], analysis.morphemes[max(each.head - 1, 0)]
    return first.form in _RELATIONAL and before.tag.startswith("J")
