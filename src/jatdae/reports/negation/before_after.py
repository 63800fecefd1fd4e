"""What fine-tuning changed: each adapter whose results are stored beside its base model, on every shared question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from jatdae.errors import ModelError, RequestError
from jatdae.evaluate.comparing import Difference, compare
from jatdae.reports.negation.selection import base_of
from jatdae.stats import paired_difference
from jatdae.store import Store
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class Tuned:
    """An adapter minus its base model on one question, over the items that both answered, with a paired interval.

    `supervision` is the mode in which the adapter learned, from the card in its folder; None where there is no card.
    """

    base: str
    adapter: str
    supervision: str | None
    difference: Difference


@dataclass(frozen=True, slots=True)
class TunedMean:
    """Mean scores before and after over the adapters of one supervision; the gain's interval is over adapters."""

    supervision: str
    task: str
    mode: str
    shots: int
    metric: str
    before: float
    after: float
    gain: Estimate
    falling: int


def before_after(store: Store, measured: Sequence[str]) -> tuple[list[Tuned], list[str]]:
    """All comparisons, and a line for what could not be compared."""
    found: list[Tuned] = []
    notes: list[str] = []
    for adapter in measured:
        base = base_of(adapter, measured)
        if base is None:
            continue
        try:
            supervision = _supervision(adapter.removeprefix(f"{base}+"))
            differences = compare(store, [base, adapter], force=True)
        except (RequestError, ModelError) as reason:
            notes.append(f"{adapter} is not compared with its base model: {reason}")
            continue
        found += [Tuned(base, adapter, supervision, one) for one in differences if not one.unlike]
        notes += [
            f"{adapter}, {one.task} {one.mode}: not the same question as {base}'s ({', '.join(one.unlike)})"
            for one in differences
            if one.unlike
        ]
    return found, notes


def _supervision(folder: str) -> str | None:
    from jatdae.finetune.causal.adapter import read_adapter_card

    card = read_adapter_card(Path(folder).expanduser())
    return card.mode if card else None


def tuned_means(tuned: Sequence[Tuned]) -> list[TunedMean]:
    """Over adapters that learned in one mode, for every question on which at least two of them were measured."""
    questions: dict[tuple[str, str, str, int, str], list[Difference]] = {}
    for one in tuned:
        if one.supervision is not None:
            asked = one.difference
            key = (one.supervision, asked.task, asked.mode, asked.shots, asked.metric)
            questions.setdefault(key, []).append(asked)
    found: list[TunedMean] = []
    for key, own in sorted(questions.items()):
        before, after = [one.first for one in own], [one.second for one in own]
        if len(own) > 1:
            falling = sum(one.second < one.first for one in own)
            found.append(TunedMean(*key, fmean(before), fmean(after), paired_difference(after, before), falling))
    return found
