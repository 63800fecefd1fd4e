"""Accuracy by size within families, with bootstrap intervals: does a larger model of a family negate better?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.reports.negation.answers import Answers
from jatdae.reports.negation.models_file import ModelFacts, Tuning
from jatdae.reports.negation.selection import Cell
from jatdae.stats import cluster_bootstrap, seed_from
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class SizePoint:
    """A model on its family's curve. `step` is its accuracy minus that of the next smaller one, on the same items.

    Both intervals are bootstraps over items of one origin. The smallest model has no step.
    """

    family: str
    tuning: Tuning
    cell: Cell
    parameters: float
    reference: str
    name: str
    accuracy: Estimate
    step: Estimate | None


def size_points(answers: Sequence[Answers]) -> list[SizePoint]:
    """The curves of all families that have models of at least two sizes, base and instruct models apart."""
    curves: dict[tuple[str, Tuning, Cell], list[tuple[float, Answers, ModelFacts]]] = {}
    for one in answers:
        if one.facts and one.facts.parameters is not None and one.items:
            key = (one.facts.family, one.facts.tuning, one.cell)
            curves.setdefault(key, []).append((one.facts.parameters, one, one.facts))
    found: list[SizePoint] = []
    for (family, tuning, cell), models in sorted(curves.items(), key=lambda curve: curve[0]):
        ordered = sorted(models, key=lambda model: (model[0], model[1].reference))
        if len({size for size, _, _ in ordered}) > 1:
            smaller: list[Answers | None] = [None, *(one for _, one, _ in ordered)]
            found += [
                SizePoint(family, tuning, cell, size, one.reference, facts.name, _accuracy(one), _step(before, one))
                for before, (size, one, facts) in zip(smaller, ordered, strict=False)
            ]
    return found


def _accuracy(one: Answers) -> Estimate:
    return cluster_bootstrap(
        [item.right for item in one.items], one.clusters, seed=seed_from("negation size", one.cell.column)
    )


def _step(before: Answers | None, one: Answers) -> Estimate | None:
    if before is None:
        return None
    known = {item.item: item.right for item in before.items}
    shared = [item for item in one.items if item.item in known]
    if not shared:
        return None
    gaps = [item.right - known[item.item] for item in shared]
    return cluster_bootstrap(gaps, [item.cluster for item in shared], seed=seed_from("negation step", one.cell.column))
