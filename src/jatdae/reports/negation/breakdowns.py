"""Where models fall for the local negation: by the clause that it changes, its marker, and its distance to the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, get_args

from jatdae.reports.negation.aggregation import over_models
from jatdae.reports.negation.answers import Answers
from jatdae.reports.negation.evidence import AskedItem
from jatdae.reports.negation.local_marks import LocalMark, Pair, local_marks
from jatdae.reports.negation.selection import Cell
from jatdae.stats import proportion
from jatdae.types import Estimate

By = Literal["clause", "marker", "words after the marker"]
WAYS: tuple[By, ...] = get_args(By)


@dataclass(frozen=True, slots=True)
class LocalBreakdown:
    """Items of one group that have a local negation: `accuracy`, and the share whose local negation was `taken`.

    With several seeds an item counts by its mean over them. Items of one origin are clustered.
    """

    reference: str
    cell: Cell
    by: By
    group: str
    accuracy: Estimate
    taken: Estimate


def local_breakdowns(answers: Sequence[Answers]) -> list[LocalBreakdown]:
    """All three sortings of every model's items."""
    return [made for one in answers for by in WAYS for made in _sorted(one, by)]


def _sorted(one: Answers, by: By) -> list[LocalBreakdown]:
    marks = local_marks((item.original, item.local) for item in one.items if item.local is not None)
    group = _group(by, marks)
    named: dict[str, list[AskedItem]] = {}
    for item in one.items:
        if item.local is not None:
            named.setdefault(group(item), []).append(item)
    return [
        LocalBreakdown(
            one.reference,
            one.cell,
            by,
            name,
            proportion([item.right for item in items], [item.cluster for item in items]),
            proportion([item.took_local for item in items], [item.cluster for item in items]),
        )
        for name, items in sorted(named.items())
    ]


def _group(by: By, marks: Mapping[Pair, LocalMark]) -> Callable[[AskedItem], str]:
    if by == "clause":
        return lambda item: item.clause
    if by == "marker":
        return lambda item: marks[item.original, item.local or ""].type
    return lambda item: marks[item.original, item.local or ""].distance


@dataclass(frozen=True, slots=True)
class MeanBreakdown:
    """The mean over models of one group's accuracy and share taken; the intervals are over `n` models."""

    cell: Cell
    by: By
    group: str
    items: int
    accuracy: Estimate
    taken: Estimate


def mean_breakdowns(breakdowns: Sequence[LocalBreakdown]) -> list[MeanBreakdown]:
    """Over the models of a cell, where it has several."""
    named: dict[tuple[Cell, By, str], list[LocalBreakdown]] = {}
    for one in breakdowns:
        named.setdefault((one.cell, one.by, one.group), []).append(one)
    return [
        MeanBreakdown(
            *key,
            round(fmean(one.accuracy.n for one in own)),
            over_models([one.accuracy.value for one in own]),
            over_models([one.taken.value for one in own]),
        )
        for key, own in named.items()
        if len(own) > 1
    ]
