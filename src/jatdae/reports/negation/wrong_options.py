"""Which wrong options were taken, by model and pooled over groups of models, in both readings of the fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.reports.negation.aggregation import group_of
from jatdae.reports.negation.answers import Answers
from jatdae.reports.negation.evidence import COLUMNS, Columns, WrongChoice, kind_shares
from jatdae.reports.negation.selection import Cell
from jatdae.types import Estimate

POOLED = ("all", "language", "tuning", "size", "quartile")
QUARTILES = ("1 (lowest)", "2", "3", "4 (highest)")


@dataclass(frozen=True, slots=True)
class WrongOptions:
    """What one model, or all models of a group, chose where it was wrong: `wrong` predictions of `models` models.

    The intervals are over items of one origin, clustered; those of a pool say nothing about other models.
    """

    axis: str
    group: str
    cell: Cell
    metric: str
    columns: Columns
    models: int
    wrong: int
    shares: Mapping[str, Estimate]


def wrong_options(answers: Sequence[Answers]) -> list[WrongOptions]:
    """One model each."""
    return [
        made
        for one in answers
        for metric, wrong in one.wrong.items()
        for made in _readings("model", one.reference, one.cell, metric, [wrong])
    ]


def pooled_wrong_options(answers: Sequence[Answers]) -> list[WrongOptions]:
    """Pools of at least two models on the axes of the published analysis; each wrong prediction counts the same."""
    found: list[WrongOptions] = []
    for cell in sorted({one.cell for one in answers}):
        own = [one for one in answers if one.cell == cell]
        for axis, group, members in _pools(own):
            for metric in members[0].wrong:
                found += _readings(axis, group, cell, metric, [one.wrong[metric] for one in members])
    return found


def _readings(
    axis: str, group: str, cell: Cell, metric: str, wrong: Sequence[Sequence[WrongChoice]]
) -> Iterator[WrongOptions]:
    pooled = [one for of_a_model in wrong for one in of_a_model]
    for columns in COLUMNS:
        yield WrongOptions(axis, group, cell, metric, columns, len(wrong), len(pooled), kind_shares(pooled, columns))


def _pools(answers: Sequence[Answers]) -> Iterator[tuple[str, str, list[Answers]]]:
    quartiles = _quartiles(answers)
    for axis in POOLED:
        named: dict[str, list[Answers]] = {}
        for one in answers:
            group = quartiles.get(one.reference) if axis == "quartile" else group_of(one.facts, axis)
            if group is not None:
                named.setdefault(group, []).append(one)
        yield from ((axis, group, named[group]) for group in sorted(named) if len(named[group]) > 1)


def _quartiles(answers: Sequence[Answers]) -> dict[str, str]:
    """The quartile of each model by its score in a cell; none under four models."""
    if len(answers) < len(QUARTILES):
        return {}
    ranked = sorted(answers, key=lambda one: (one.score.value, one.reference))
    parts = np.array_split(np.arange(len(ranked)), len(QUARTILES))
    return {ranked[index].reference: name for name, part in zip(QUARTILES, parts, strict=True) for index in part}
