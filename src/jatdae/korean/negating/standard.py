"""Standard negation: P to not P, by the predicates of the main clauses and De Morgan's laws over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.korean.negating.main_clauses import main_conditions, negated_predicates
from jatdae.korean.negating.marking import Rendering, own_tail, reclosed, renderings
from jatdae.korean.negating.phrases import disjoined
from jatdae.korean.negating.predicates import Predicate, is_past, predicates, with_whole_forms
from jatdae.korean.negating.rewriting import Edit, Part, apply
from jatdae.korean.negation.analysis import Analysis, analyse
from jatdae.korean.negation.kinds import NegationType

CONDITIONAL = "조건문"


@dataclass(frozen=True, slots=True)
class StandardNegation:
    """A sentence negated: its text, the form in each main clause (None: a marker was removed), and remarks."""

    text: str
    types: tuple[NegationType | None, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What negation does to a sentence: for each main clause all forms that it allows, and the edits beside them."""

    analysis: Analysis
    clauses: tuple[tuple[Rendering, ...], ...]
    other: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()

    def realise(self, chosen: Sequence[Rendering]) -> StandardNegation:
        """The sentence with one form chosen for each main clause."""
        edits = [*self.other, *(edit for rendering in chosen for edit in rendering.edits)]
        types = tuple(rendering.type for rendering in chosen)
        return StandardNegation(apply(self.analysis.text, edits), types, self.notes)

    def usual(self, form: NegationType | None = None) -> StandardNegation:
        """The sentence with `form` in each main clause that allows it, else with the clause's usual form."""
        return self.realise([_chosen(clause, form) for clause in self.clauses])

    def stretches(self) -> list[tuple[str, ...]]:
        """The sentence in pieces: one text where nothing is open, all the texts that a main clause's forms give."""
        pieces: list[tuple[str, ...]] = []
        at = 0
        for clause in self.clauses:
            start = min(edit.start for rendering in clause for edit in rendering.edits)
            end = max(edit.end for rendering in clause for edit in rendering.edits)
            pieces.append((self._between(at, start),))
            pieces.append(tuple(dict.fromkeys(self._between(start, end, rendering.edits) for rendering in clause)))
            at = end
        return [*pieces, (self._between(at, len(self.analysis.text)),)]

    def _between(self, start: int, end: int, edits: Sequence[Edit] = ()) -> str:
        inside = [edit for edit in (*self.other, *edits) if start <= edit.start and edit.end <= end]
        moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in inside]
        return apply(self.analysis.text[start:end], moved)


def negate(sentence: str, form: NegationType | None = None) -> StandardNegation | None:
    """The sentence's standard negation; None where it does not end in a predicate.

    With `form`, every main clause that allows it takes that form; the others keep their usual one.
    """
    plan = plan_of(analyse(sentence))
    return None if plan is None else plan.usual(form)


def plan_of(analysis: Analysis) -> Plan | None:
    """What standard negation does to the sentence; None where it does not end in a predicate."""
    analysis = with_whole_forms(analysis)
    found = predicates(analysis)
    main = negated_predicates(analysis, found)
    if not main:
        return None
    clauses = tuple(tuple(renderings(analysis, each, _tail(analysis, each, main))) for each in main)
    conditions = main_conditions(analysis, found)
    asserted = [edit for each in conditions for edit in reclosed(analysis, each, _asserted(analysis, each))]
    beside = (*asserted, *disjoined(analysis, main))
    return Plan(analysis, clauses, beside, (CONDITIONAL,) if conditions else ())


def _chosen(clause: Sequence[Rendering], form: NegationType | None) -> Rendering:
    return next((rendering for rendering in clause if rendering.type is form and form is not None), clause[0])


def _tail(analysis: Analysis, each: Predicate, main: Sequence[Predicate]) -> list[Part]:
    """The markers and the ending after negation: -거나 for what joined two clauses by and, -고 for or."""
    tail = own_tail(analysis, each)
    if each is main[-1]:
        return tail
    was_or = tail[-1][0] == "거나"
    copula = analysis.morphemes[each.stem].tag in ("VCP", "VCN")
    if (
        not was_or
        and tail[-1][0] == "고"
        and not copula
        and is_past(analysis, main[-1])
        and not is_past(analysis, each)
    ):
        tail.insert(-1, ("었", "EP"))
    return [*tail[:-1], ("고" if was_or else "거나", "EC")]


def _asserted(analysis: Analysis, each: Predicate) -> list[Part]:
    return [*own_tail(analysis, each)[:-1], ("지만", "EC")]
