"""What the tables need of a result's samples: item by item whether it was right, and which wrong option was taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from jatdae.benchmarks.konubench.mistakes import DISTRACTORS, NO_LETTER
from jatdae.benchmarks.konubench.options import LOCAL
from jatdae.benchmarks.multiple_choice import LETTERS
from jatdae.stats import proportion
from jatdae.types import Estimate, Sample

Columns = Literal["as released", "put right"]
COLUMNS: tuple[Columns, ...] = ("as released", "put right")
"""The two readings of the fields that the release exchanges between blocks of ids."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """One item over all of its seeds: the share of them that was right, and that chose the local negation.

    `local` is the text of the local negation, None for an item without one. `options` and `answer` are as shown under
    the first seed.
    """

    item: str
    cluster: str
    clause: str
    original: str
    options: tuple[str, ...]
    answer: int
    local: str | None
    right: float
    took_local: float


@dataclass(frozen=True, slots=True)
class WrongChoice:
    """A wrong prediction: the item's origin, and the kind of the option by either reading of the fields."""

    cluster: str
    kinds: Mapping[Columns, str]


def asked_items(samples: Iterable[Sample], metric: str) -> list[AskedItem]:
    """The answered items by id; failed ones are left out."""
    rows: dict[str, list[Sample]] = {}
    for sample in samples:
        if sample.scores:
            rows.setdefault(sample.item, []).append(sample)
    return [_asked_item(own, metric) for _, own in sorted(rows.items())]


def _asked_item(own: Sequence[Sample], metric: str) -> AskedItem:
    first, kinds = own[0], own[0].detail["true_kinds"]
    texts = tuple(first.detail["texts"])
    return AskedItem(
        item=first.item,
        cluster=first.cluster or first.item,
        clause=first.group,
        original=first.detail["original"],
        options=texts,
        answer=LETTERS.index(first.target),
        local=texts[kinds.index(LOCAL)] if LOCAL in kinds else None,
        right=fmean(sample.scores[metric] for sample in own),
        took_local=fmean(_kind(sample, metric, "put right") == LOCAL for sample in own),
    )


def wrong_choices(samples: Iterable[Sample], metric: str) -> list[WrongChoice]:
    """Every wrong prediction by a metric's choice, one for each seed."""
    return [
        WrongChoice(sample.cluster or sample.item, {columns: _kind(sample, metric, columns) for columns in COLUMNS})
        for sample in samples
        if sample.scores and sample.scores[metric] == 0
    ]


def _kind(sample: Sample, metric: str, columns: Columns) -> str:
    """By the item's own list of options, never by a place in a fixed list of four."""
    index = sample.detail["choices"][metric]
    return NO_LETTER if index is None else sample.detail["kinds" if columns == "as released" else "true_kinds"][index]


def kind_shares(wrong: Sequence[WrongChoice], columns: Columns) -> dict[str, Estimate]:
    """The share of each kind among wrong choices; items of one origin are clustered. Empty where none was wrong."""
    kinds = [one.kinds[columns] for one in wrong]
    if not kinds:
        return {}
    origins = [one.cluster for one in wrong]
    names = [*DISTRACTORS, *([NO_LETTER] if NO_LETTER in kinds else [])]
    return {name: proportion([float(kind == name) for kind in kinds], origins) for name in names}
