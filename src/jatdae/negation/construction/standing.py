"""Where a project stands: items by state, its negations beside the corpus, and what to write next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jatdae.negation.alignment import (
    CONVENTIONS,
    Convention,
    ItemLabels,
    NextItems,
    class_counts,
    count_items,
    gold_labels,
    next_items,
    reference_study,
)
from jatdae.negation.alignment.comparison import present_counts
from jatdae.negation.construction.item import LOCAL_CLAUSE, LOCAL_TYPES, STANDARD_TYPES, Item
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.states import State
from jatdae.stats.divergence import kl_divergence

STEERED = tuple(CONVENTIONS[name] for name in ("SN+LN", "c"))
"""The ways to count by which items are chosen: types in both negations, clauses of the local one."""
NEXT = 20
"""Negations that are planned ahead."""


@dataclass(frozen=True, slots=True)
class ClassShare:
    """A class of negation: its share in the corpus and in the project, and how often the project has it."""

    label: str
    corpus: float
    project: float
    count: int


@dataclass(frozen=True, slots=True)
class Standing:
    """`states` counts all items. The rest is over those that have labels and were not dropped.

    `divergences` are D(corpus||project) in nats by kind, None (infinite) as long as the project lacks a class.
    """

    states: Mapping[str, int]
    labelled: int
    shares: Mapping[str, Sequence[ClassShare]]
    divergences: Mapping[str, float | None]
    next: NextItems


def standing(project: Project) -> Standing:
    """The present state of a project, held to the published corpus study."""
    counts = Counter(item.state.value for item in project.items())
    states = {state.value: counts[state.value] for state in State if counts[state.value]}
    labels = labels_of(project.kept())
    upcoming = next_items(count_items(labels, *STEERED), reference_study().distribution, NEXT)
    shares = class_shares(labels)
    divergences = {kind: _divergence(found) for kind, found in shares.items()}
    return Standing(states, len(labels), shares, divergences, upcoming)


def _divergence(shares: Sequence[ClassShare]) -> float | None:
    if any(share.corpus and not share.count for share in shares):
        return None
    corpus = {share.label: share.corpus for share in shares}
    return kl_divergence(corpus, {share.label: share.count for share in shares})


def labels_of(items: Sequence[Item]) -> list[ItemLabels]:
    """The labels of those items that have any."""
    fields = (*STANDARD_TYPES, *LOCAL_TYPES, LOCAL_CLAUSE)
    labelled = [item.record() for item in items if any(item[name] for name in fields)]
    return gold_labels(labelled) if labelled else []


def class_shares(labels: Sequence[ItemLabels]) -> dict[str, list[ClassShare]]:
    """Shares among the classes of the corpus study, by the kind of class."""
    return {convention.kind: _shares(labels, convention) for convention in STEERED}


def _shares(labels: Sequence[ItemLabels], convention: Convention) -> list[ClassShare]:
    corpus = class_counts(reference_study().distribution, convention.kind)
    own = present_counts(count_items(labels, convention), convention.kind)
    whole, total = sum(corpus.values()), max(sum(own.values()), 1)
    return [ClassShare(label, corpus[label] / whole, own[label] / total, own[label]) for label in corpus]
