"""Studies that ask the same items in a positive and a negative form: what the negation costs a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.benchmarks.konubench.polarity import PolarityReport, paired_polarity
from jatdae.errors import RequestError
from jatdae.evaluate import Run
from jatdae.types import Result

PAIRED_TASKS = (("konubench/kmmlu-pos", "konubench/kmmlu-neg"), ("konubench/boolq", "konubench/boolq-neg"))
"""Positive and negative form of one study: measured in one run, they are also compared item by item."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The positive and the negative form of a study, measured on one model."""

    model: str
    positive: str
    negative: str
    report: PolarityReport


def paired_results(run: Run, numbered: Sequence[tuple[int, Result]]) -> list[Paired]:
    """For each model that was measured on both forms of a negation study: what the negation costs, item by item."""
    found: list[Paired] = []
    for positive, negative in PAIRED_TASKS:
        for number, result in numbered:
            partner = next((n for n, other in numbered if _is_partner(result, other, positive, negative)), None)
            if partner is None:
                continue
            try:
                report = paired_polarity(list(run.store.samples(number)), list(run.store.samples(partner)))
            except RequestError as reason:
                run.progress.stage(f"{positive} and {negative} are not compared: {reason}")
            else:
                found.append(Paired(result.model, positive, negative, report))
    return found


def _is_partner(result: Result, other: Result, positive: str, negative: str) -> bool:
    same = result.model == other.model and result.protocol == other.protocol
    return same and result.task == positive and other.task == negative
