"""Which type a clause has, and which clause holds a negation."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.korean.clauses.change import Change, changes
from jatdae.korean.clauses.closing import Closure, closing_ending
from jatdae.korean.clauses.confirmation import is_confirmation
from jatdae.korean.clauses.decision import weights
from jatdae.korean.clauses.features import ending_name, features
from jatdae.korean.clauses.outline import Outline, outline
from jatdae.korean.negation.analysis import Analysis, analyse_all
from jatdae.korean.negation.kinds import ClauseType

JOINING = frozenset({"고", "며", "지만", "나", "거나", "자"})
"""Endings that can join main clauses (-자 after the copula)."""
MAIN = "main"
"""The class of main clauses in the model that tells them from others with the same ending."""


def clause_of(analysis: Analysis, at: int) -> ClauseType:
    """The clause that holds the negation whose marker is morpheme `at` (안, 않-, 못하-, 말-, 아니-, 없-, 모르- ...)."""
    if is_confirmation(analysis.morphemes, at):
        return ClauseType.CONFIRMATION
    sentence = outline(analysis.morphemes)
    number = sentence.number_of(closing_ending(analysis.morphemes, at))
    return ClauseType.MAIN if number is None else type_of(sentence, number)


def local_clause(original: str, local: str) -> ClauseType | None:
    """The clause of the original in which the local negation denies (or affirms) something; None where they agree.

    One of the six types that the benchmark's labels know: a main clause is a part of a coordination here.
    """
    first, second = analyse_all([original, local])
    return clause_of_change(first, second)


def clause_of_change(original: Analysis, changed: Analysis) -> ClauseType | None:
    """`local_clause` for sentences that are already analysed.

    Of several changes the last counts, and a dependent clause before the end of the sentence: where -지 않기 위해 and
    the order at the end are both negated, the end only keeps the sentence well-formed.
    """
    found = changes(original, changed)
    if not found:
        return None
    place = dependent_place(found)
    return ClauseType.COORDINATE if place is None else type_of(*place)


def dependent_place(found: Sequence[Change]) -> tuple[Outline, int] | None:
    """The last change whose clause does not end its sentence, as the predication; None where there is no such."""
    for change in reversed(found):
        sentence = outline(change.analysis.morphemes)
        number = sentence.number_of(closing_ending(sentence.morphemes, change.at))
        if number is not None and sentence.predications[number].closure is not Closure.FINAL:
            return sentence, number
    return None


def type_of(sentence: Outline, number: int) -> ClauseType:
    """The type of the clause whose predicate is predication `number`; COORDINATE also for one in a dependent clause."""
    if sentence.predications[number].closure is Closure.FINAL:
        several = any(is_main(sentence, other) for other in range(len(sentence.predications)) if other != number)
        return ClauseType.COORDINATE if several else ClauseType.MAIN
    named = features(sentence, number)
    if may_join(sentence, number) and weights("main").likeliest(named) == MAIN:
        return ClauseType.COORDINATE
    return ClauseType(weights("type").likeliest(named))


def is_main(sentence: Outline, number: int) -> bool:
    """Whether the predicate is that of a main clause: the sentence's last, or coordinate with it."""
    if may_join(sentence, number):
        return weights("main").likeliest(features(sentence, number)) == MAIN
    return sentence.predications[number].closure is Closure.FINAL


def may_join(sentence: Outline, number: int) -> bool:
    """Whether the clause ends as coordinate clauses do; what follows decides whether it is one."""
    clause = sentence.predications[number]
    return clause.closure is Closure.CONNECTIVE and ending_name(sentence.morphemes, clause) in JOINING
