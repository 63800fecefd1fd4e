"""The side studies: the affirmative and the negated form of the same questions, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.benchmarks.konubench import PolarityReport, paired_polarity
from jatdae.errors import RequestError
from jatdae.reports.negation.selection import Chosen
from jatdae.reports.pairs import PAIRED_TASKS
from jatdae.store import Store


@dataclass(frozen=True, slots=True)
class PolarityScore:
    """A model on both forms of one study, named after its affirmative form."""

    reference: str
    study: str
    negated: str
    report: PolarityReport


def polarity_scores(store: Store, chosen: Sequence[Chosen]) -> tuple[list[PolarityScore], list[str]]:
    """Every model that was measured on both forms, and a line for what could not be paired."""
    found: list[PolarityScore] = []
    notes: list[str] = []
    for study, negated in PAIRED_TASKS:
        forms = [{one.reference: one.stored_id for one in chosen if one.cell.task == task} for task in (study, negated)]
        for reference in (name for name in forms[0] if name in forms[1]):
            samples = [list(store.samples(form[reference])) for form in forms]
            try:
                found.append(PolarityScore(reference, study, negated, paired_polarity(*samples)))
            except RequestError as reason:
                notes.append(f"{reference}, {study}: {reason}")
    return found, notes
