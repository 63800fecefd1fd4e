"""How alike the options of new items are on the surface, so that no rule of length or markers finds the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from jatdae.benchmarks.konubench.artefacts import artefact_hits, markings
from jatdae.benchmarks.konubench.options import KINDS, NegationQuestion
from jatdae.stats import proportion
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class KindBalance:
    """Options of one kind: how many, mean length in code points, mean ratio to the original's length, mean number of
    negation markers, the share with a marker near the end, and how often the option is the longest of its item.
    """

    kind: str
    options: int
    length: float
    ratio: float
    markers: float
    near_end: float
    longest: float


@dataclass(frozen=True, slots=True)
class Balance:
    """All kinds in their fixed order, and what each artefact baseline reaches on the items (chance is the goal)."""

    kinds: tuple[KindBalance, ...]
    baselines: dict[str, Estimate]


def balance(items: Sequence[NegationQuestion]) -> Balance:
    """Surface statistics of some items. Raises ValueError where there are none."""
    if not items:
        raise ValueError("balance: no items; at least one is needed")
    baselines = {name: proportion(hits) for name, hits in artefact_hits(items).items()}
    kinds = [kind for kind in KINDS if any(kind in item.true_kinds for item in items)]
    return Balance(tuple(_kind(kind, items) for kind in kinds), baselines)


def _kind(kind: str, items: Sequence[NegationQuestion]) -> KindBalance:
    found = markings([text for item in items for text in item.options])
    own = [(item, item.options[item.true_kinds.index(kind)]) for item in items if kind in item.true_kinds]
    return KindBalance(
        kind=kind,
        options=len(own),
        length=fmean(len(text) for _, text in own),
        ratio=fmean(len(text) / len(item.question) for item, text in own),
        markers=fmean(found[text].count for _, text in own),
        near_end=fmean(found[text].near_end for _, text in own),
        longest=fmean(len(text) == max(map(len, item.options)) for item, text in own),
    )
