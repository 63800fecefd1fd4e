"""One model's answers to the benchmark in one cell, with all that the tables take from them."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.reports.negation.evidence import AskedItem, WrongChoice, asked_items, wrong_choices
from jatdae.reports.negation.models_file import ModelFacts
from jatdae.reports.negation.selection import Cell, Chosen
from jatdae.store import Store
from jatdae.types import Estimate, Result

RAW = "acc"
"""The choice by the raw log-likelihood, by which the published shares of wrong options were counted."""


@dataclass(frozen=True, slots=True)
class Answers:
    """`wrong` holds the wrong choices by metric: the headline's and, where it is another, the raw log-likelihood's."""

    cell: Cell
    reference: str
    facts: ModelFacts | None
    result: Result
    items: tuple[AskedItem, ...]
    wrong: dict[str, tuple[WrongChoice, ...]]

    @property
    def score(self) -> Estimate:
        """The headline."""
        return self.result.estimates[self.result.headline]

    @property
    def clusters(self) -> list[str]:
        """The origin of each item."""
        return [item.cluster for item in self.items]


def read_answers(store: Store, chosen: Chosen, facts: ModelFacts | None) -> Answers:
    """Read the samples of a result, once."""
    samples = list(store.samples(chosen.stored_id))
    metric = chosen.result.headline
    items = tuple(asked_items(samples, metric))
    wrong = {name: tuple(wrong_choices(samples, name)) for name in dict.fromkeys((metric, RAW))}
    return Answers(chosen.cell, chosen.reference, facts, chosen.result, items, wrong)
