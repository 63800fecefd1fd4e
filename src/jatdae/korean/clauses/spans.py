"""Where the clauses of a sentence lie, and the predicates of its main clauses."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.korean.clauses.closing import Closure, Morphemes
from jatdae.korean.clauses.features import ending_name, is_topic
from jatdae.korean.clauses.holding import is_main, type_of
from jatdae.korean.clauses.outline import Outline, outline
from jatdae.korean.negation.analysis import Analysis
from jatdae.korean.negation.kinds import ClauseType

_SIGNS = frozenset({"SP", "SF", "SE", "SO", "MAJ"})
_WHOLE = frozenset({ClauseType.MAIN, ClauseType.COORDINATE})


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, half-open in code points of the analysis' text; clauses that depend on it lie inside it or before it.

    `predicate` and `ending` are indices of morphemes: the stem that the predicate begins with, and the ending that
    closes the clause (None where the sentence breaks off). Where a clause begins is a guess: at its first argument,
    which is after a topic that the host clause shares.
    """

    type: ClauseType
    start: int
    end: int
    predicate: int
    ending: int | None


@dataclass(frozen=True, slots=True)
class MainPredicate:
    """The predicate of a main clause: index of its stem, of its closing ending (None where the sentence breaks off).

    `connective` is the ending that joins the clause to the next main clause (고, 며, 지만, 나, 거나, 자), `""` for the
    last one.
    """

    predicate: int
    ending: int | None
    connective: str


def clauses(analysis: Analysis) -> list[Clause]:
    """The clauses of the sentence in the order of their predicates."""
    sentence = outline(analysis.morphemes)
    return [_clause(analysis, sentence, number) for number in range(len(sentence.predications))]


def main_predicates(analysis: Analysis) -> list[MainPredicate]:
    """The predicates of the main clauses in order: the last of the sentence, and those that are coordinate with it."""
    sentence = outline(analysis.morphemes)
    found: list[MainPredicate] = []
    for number, each in enumerate(sentence.predications):
        if is_main(sentence, number):
            connective = "" if each.closure is Closure.FINAL else ending_name(sentence.morphemes, each)
            found.append(MainPredicate(each.predicate, each.ending, connective))
    return found


def _clause(analysis: Analysis, sentence: Outline, number: int) -> Clause:
    each = sentence.predications[number]
    kind = type_of(sentence, number)
    first = min(_first_morpheme(sentence, number, kind), each.predicate)
    last = len(analysis.morphemes) - 1 if each.ending is None else each.ending
    return Clause(kind, analysis.morphemes[first].start, analysis.morphemes[last].end, each.predicate, each.ending)


def _first_morpheme(sentence: Outline, number: int, kind: ClauseType) -> int:
    """A main clause begins after the main clause before it; another after the clause before it and its host's words."""
    morphemes, before = sentence.morphemes, sentence.predications[:number]
    if kind in _WHOLE:
        ends = (each.ending for other, each in enumerate(before) if is_main(sentence, other))
        return _after_signs(morphemes, max((end + 1 for end in ends if end is not None), default=0))
    start = max((each.ending + 1 for each in before if each.ending is not None), default=0)
    opened = _quotation_start(sentence, number)
    return _after_signs(morphemes, _after_host(sentence, number, start) if opened is None else opened)


def _quotation_start(sentence: Outline, number: int) -> int | None:
    """Where the words in quotation marks begin that the clause closes; None where none follow its ending."""
    morphemes, each = sentence.morphemes, sentence.predications[number]
    if each.ending is None or not any(m.tag == "SSC" for m in morphemes[each.ending + 1 : each.ending + 3]):
        return None
    opening = (index + 1 for index in range(each.predicate, -1, -1) if morphemes[index].tag == "SSO")
    return next(opening, None)


def _after_host(sentence: Outline, number: int, start: int) -> int:
    """Past a topic, and past the nominative that is the host's: the first of two, or a distant one that shares none."""
    morphemes, predicate = sentence.morphemes, sentence.predications[number].predicate
    topics = [index for index in range(predicate) if is_topic(morphemes, index)]
    start = max([start, *(index + 1 for index in topics)])
    nominatives = [index for index in range(start, predicate) if morphemes[index].tag == "JKS"]
    shared = len(nominatives) > 1 or (nominatives and not topics and _lacks_subject(sentence, number, nominatives[0]))
    return nominatives[0] + 1 if shared else start


def _lacks_subject(sentence: Outline, number: int, nominative: int) -> bool:
    """Whether an adnominal clause's only nominative stands far from its predicate and the host has no subject."""
    morphemes, each = sentence.morphemes, sentence.predications[number]
    if each.closure is not Closure.ADNOMINAL or morphemes[each.predicate].word - morphemes[nominative].word < 2:
        return False
    later = (other.predicate for other in sentence.predications[number + 1 :] if other.closure is not Closure.ADNOMINAL)
    host = next(later, len(morphemes))
    return not any(morphemes[i].tag == "JKS" or is_topic(morphemes, i) for i in range(each.predicate, host))


def _after_signs(morphemes: Morphemes, start: int) -> int:
    """Past punctuation and conjunctions."""
    while start < len(morphemes) - 1 and morphemes[start].tag in _SIGNS:
        start += 1
    return start
