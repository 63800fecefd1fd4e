"""How often the rule-based negator gives the standard negation that the benchmark's authors wrote by hand.

A match is strict where the texts are the same without white space and punctuation. It is a match up to form where the
authors' sentence is one of those that the negator gives when each main clause may take any form that it allows (안 or
못, short or long; 없다 or 있지 않다): what is negated, the endings between clauses and all else have to be the same.
"Up to connective" moreover takes -(이)나, 또는 and 혹은 between nouns for one, three ways to write one disjunction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.konubench.data import STANDARD_TYPES, Record
from jatdae.korean.negating.local import local_forms
from jatdae.korean.negating.rewriting import apply, joined, part
from jatdae.korean.negating.standard import Plan, StandardNegation, plan_of
from jatdae.korean.negation import detect_all
from jatdae.korean.negation.analysis import Analysis, analyse_all
from jatdae.korean.negation.kinds import Negation, NegationType
from jatdae.stats.intervals import wilson

_SIGNS = frozenset({"SF", "SP", "SS", "SSO", "SSC", "SE", "SO", "SW"})
_DISJUNCTION = re.compile(r"(?:이?나| 또는| 혹은)(?= )")


@dataclass(frozen=True, slots=True)
class NegatingCase:
    """One item. `main_clauses` counts the labels (0: the authors removed a marker); `found` counts the negator's.

    `text` is the negator's sentence, "" where it gave none. `faults` say in what it is not well-formed.
    """

    idx: str
    main_clauses: int
    found: int
    gold: str
    text: str
    strict: bool
    up_to_form: bool
    up_to_connective: bool
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion of items with its 95 % Wilson interval."""

    count: int
    items: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The proportion, 0 to 1."""
        return self.count / self.items


@dataclass(frozen=True, slots=True)
class NegatingScores:
    """The shares for one group of items: all, or those with a number of labelled main clauses."""

    group: str
    strict: Share
    up_to_form: Share
    up_to_connective: Share
    same_clauses: Share
    well_formed: Share


@dataclass(frozen=True, slots=True)
class LocalScores:
    """For one clause type: in how many items a candidate is the authors' local negation up to its form."""

    clause: str
    found: Share
    same_type: Share


def negating_cases(records: Sequence[Record]) -> list[NegatingCase]:
    """Every record's case, in order."""
    originals = [record["original_sentence"] or "" for record in records]
    plans = [plan_of(analysis) for analysis in analyse_all(originals)]
    results = [None if plan is None else plan.usual() for plan in plans]
    texts = [result.text if result else "" for result in results]
    found = zip(detect_all(originals), detect_all(texts), analyse_all(texts), strict=True)
    cases: list[NegatingCase] = []
    for record, plan, result, (before, after, again) in zip(records, plans, results, found, strict=True):
        faults = ("no sentence",)
        if result is not None:
            original = record.text("original_sentence")
            faults = (*_faults(original, result, before, after), *_misspelt(original, again))
        cases.append(_case(record, plan, result, faults))
    return cases


def negating_scores(cases: Sequence[NegatingCase]) -> list[NegatingScores]:
    """The shares over all items, then by number of labelled main clauses. Raises ValueError for no case."""
    if not cases:
        raise ValueError("negating_scores needs at least one case")
    numbers = sorted({case.main_clauses for case in cases})
    groups = [("all", list(cases))] + [(str(n), [case for case in cases if case.main_clauses == n]) for n in numbers]
    return [_scores(group, members) for group, members in groups]


def disagreements(cases: Iterable[NegatingCase]) -> list[NegatingCase]:
    """The cases that do not match up to connective: errors of the negator and doubtful labels, to look through."""
    return [case for case in cases if not case.up_to_connective]


def local_scores(records: Sequence[Record]) -> list[LocalScores]:
    """By clause type as labelled, then over all: whether the candidates of local negation hold the authors' one."""
    outcomes: dict[str, list[tuple[bool, bool]]] = {}
    listed = [record for record in records if record["local_negation"]]
    for record, analysis in zip(listed, analyse_all([r["original_sentence"] or "" for r in listed]), strict=True):
        gold = normalised(record.text("local_negation"))
        matching = {
            kind.value
            for kind, _, forms in local_forms(analysis)
            if any(normalised(apply(analysis.text, form.edits)) == gold for form in forms)
        }
        label = record.text("local_negation_type")
        outcomes.setdefault(label, []).append((bool(matching), label in matching))
    rows = [*sorted(outcomes.items()), ("all", [each for members in outcomes.values() for each in members])]
    return [
        LocalScores(label, share(m for m, _ in members), share(s for _, s in members))
        for label, members in rows
        if members
    ]


def normalised(text: str) -> str:
    """The letters and digits alone, in NFC."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", text))


def admits(plan: Plan, gold: str, reading: Callable[[str], str] = normalised) -> bool:
    """Whether the negator gives `gold` in one of the forms that the main clauses allow, both taken by `reading`."""
    target = reading(gold)
    reached = {0}
    for texts in plan.stretches():
        pieces = {reading(text) for text in texts}
        reached = {at + len(piece) for at in reached for piece in pieces if target.startswith(piece, at)}
    return len(target) in reached


def share(outcomes: Iterable[bool]) -> Share:
    """The proportion that is true, with its interval. Raises ValueError for none."""
    listed = list(outcomes)
    low, high = wilson(sum(listed), len(listed))
    return Share(sum(listed), len(listed), low, high)


def _without_connective(text: str) -> str:
    return normalised(_DISJUNCTION.sub("나", text))


def _case(record: Record, plan: Plan | None, result: StandardNegation | None, faults: tuple[str, ...]) -> NegatingCase:
    gold = record.text("standard_negation")
    labels = sum(record[field] is not None for field in STANDARD_TYPES)
    if plan is None or result is None:
        return NegatingCase(record.idx, labels, 0, gold, "", False, False, False, faults)
    strict = normalised(result.text) == normalised(gold)
    form = strict or admits(plan, gold)
    connective = form or admits(plan, gold, _without_connective)
    return NegatingCase(record.idx, labels, len(plan.clauses), gold, result.text, strict, form, connective, faults)


def _scores(group: str, members: Sequence[NegatingCase]) -> NegatingScores:
    return NegatingScores(
        group,
        share(case.strict for case in members),
        share(case.up_to_form for case in members),
        share(case.up_to_connective for case in members),
        share(case.found == max(case.main_clauses, 1) for case in members),
        share(bool(case.text) and not case.faults for case in members),
    )


def _faults(
    original: str, result: StandardNegation, before: Sequence[Negation], after: Sequence[Negation]
) -> list[str]:
    """What re-analysis finds wrong with a negated sentence: spacing, and negations that are not those intended."""
    faults: list[str] = []
    text = result.text
    if text.count("  ") > original.count("  ") or len(text) - len(text.strip()) > len(original) - len(original.strip()):
        faults.append("spacing")
    for kind in NegationType:
        grown = sum(found.type is kind for found in after) - sum(found.type is kind for found in before)
        meant = sum(each is kind for each in result.types)
        if grown > meant or (grown < meant and None not in result.types):
            faults.append(f"{kind.value}: {grown:+d} found, {meant:+d} meant")
    if len(after) - len(before) != sum(-1 if each is None else 1 for each in result.types):
        faults.append("number of negations")
    return faults


def _misspelt(original: str, again: Analysis) -> list[str]:
    """The new words that the analyser spells otherwise when it joins their morphemes again."""
    known = set(original.split())
    faults: list[str] = []
    for word in re.finditer(r"\S+", again.text):
        morphemes = [m for m in again.morphemes if word.start() <= m.start < word.end() and m.tag not in _SIGNS]
        if word[0] not in known and normalised(joined([part(m) for m in morphemes])) != normalised(word[0]):
            faults.append(f"spelling: {word[0]}")
    return faults
