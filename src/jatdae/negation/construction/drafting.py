"""Drafts of the four options: negations by rule, contradiction and paraphrase by a model.

Models negated the wrong part or changed other words when the paper's authors tried them, so they negate nothing here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from jatdae.korean.negating import LocalNegation, StandardNegation, negate, negate_locally
from jatdae.negation.alignment import class_counts, reference_study
from jatdae.negation.alignment.conventions import comparable
from jatdae.negation.construction.asking import Asked, Key, ask
from jatdae.negation.construction.events import MACHINE
from jatdae.negation.construction.item import (
    CONTRADICTION,
    LOCAL,
    LOCAL_CLAUSE,
    LOCAL_ELEMENT,
    LOCAL_TYPES,
    NOTE,
    ORIGINAL,
    PARAPHRASE,
    STANDARD,
    STANDARD_TYPES,
    Item,
)
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.prompting import request
from jatdae.negation.construction.states import State
from jatdae.runtime import Progress

ACTOR = f"{MACHINE}rules"
_DISTRACTORS = (CONTRADICTION, PARAPHRASE)


def draft_negations(project: Project) -> list[str]:
    """Draft both negations of every corrected item; returns the ids of those that the rules cannot negate."""
    lacking: list[str] = []
    used = Counter(item[LOCAL_CLAUSE] for item in project.items() if item[LOCAL_CLAUSE])
    for item in project.items(State.CORRECTED):
        values = negation_values(item[ORIGINAL], used)
        if not values:
            lacking.append(item.idx)
            continue
        used[values.get(LOCAL_CLAUSE, "")] += 1
        with project.journal.writing(ACTOR, project.time) as draft:
            now = draft.items[item.idx]
            if now.state is State.CORRECTED and now[ORIGINAL] == item[ORIGINAL]:
                draft.change(item.idx, values, State.NEGATED)
    return lacking


def negation_values(original: str, used: Mapping[str, int]) -> dict[str, str]:
    """The fields of both negations, empty where the sentence cannot be negated by rule.

    `used` says how often each clause label is in the project, for the choice among local negations.
    """
    standard = negate(original)
    if standard is None or len(standard.types) > len(STANDARD_TYPES):
        return {}
    chosen = chosen_local(negate_locally(original), used)
    return {**_standard_values(standard), **(_local_values(chosen) if chosen else {})}


def chosen_local(candidates: Sequence[LocalNegation], used: Mapping[str, int]) -> LocalNegation | None:
    """The candidate whose clause the project lacks most, held to the corpus; of equal ones the sentence's first."""
    wanted = class_counts(reference_study().distribution, "clauses")
    counts: Counter[str] = Counter()
    for label, count in used.items():
        counts[comparable(label)] += count

    def lack(candidate: LocalNegation) -> float:
        label = comparable(candidate.clause.value)
        return wanted.get(label, 0) / (counts[label] + 1)

    return max(candidates, key=lack, default=None)


def _standard_values(negation: StandardNegation) -> dict[str, str]:
    types = dict(zip(STANDARD_TYPES, (kind.value if kind else "" for kind in negation.types), strict=False))
    return {STANDARD: negation.text, **types, NOTE: ", ".join(negation.notes)}


def _local_values(negation: LocalNegation) -> dict[str, str]:
    return {
        LOCAL: negation.text,
        LOCAL_CLAUSE: negation.clause.value,
        LOCAL_ELEMENT: negation.element,
        LOCAL_TYPES[0]: negation.type.value if negation.type else "",
    }


def draft_distractors(project: Project, *, offline: bool, progress: Progress) -> Asked:
    """Draft contradiction and paraphrase, each where it is lacking, each into the field of its name."""
    waiting = project.items(State.CORRECTED, State.NEGATED)
    requests = {
        (item.idx, name): request(name, item.idx, {"sentence": item[ORIGINAL]}, project.config.max_tokens)
        for item in waiting
        for name in _DISTRACTORS
        if not item[name]
    }
    originals = {item.idx: item[ORIGINAL] for item in waiting}

    def take(key: Key, sentence: str, request_key: str) -> None:
        idx, name = key
        with project.journal.writing(f"{MACHINE}{project.config.model}", project.time) as draft:
            now = draft.items[idx]
            if now.state not in (State.CORRECTED, State.NEGATED) or now[name] or now[ORIGINAL] != originals[idx]:
                return
            draft.change(idx, {name: sentence}, _state_with(now, name), note=request_key)

    return ask(project, requests, take, offline=offline, progress=progress)


def _state_with(item: Item, name: str) -> State | None:
    """The state once the field is there: distracted where it is the last of the two."""
    others: Iterable[str] = (other for other in _DISTRACTORS if other != name)
    return State.DISTRACTED if all(item[other] for other in others) else None
