"""Gold labels that stand beside the predictions, in a column of the same file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.benchmarks.klue.scoring.entries import Entry
from jatdae.benchmarks.klue.scoring.judging import Unit
from jatdae.benchmarks.klue.scoring.readings import LabelNames

LABELLED = ("ynat", "nli", "re")
"""The tasks whose gold is one label."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An item of which nothing but its label is known."""

    label: str


def labelled_units(entries: Sequence[Entry], column: str, names: LabelNames) -> list[Unit]:
    """An item for each entry, drawn by itself. Raises DataError for a label that is missing or outside the task's."""
    units = []
    for number, entry in enumerate(entries, 1):
        label = names.read(entry.value(column), entry, column)
        if label not in names.names:
            raise entry.fault("no label" if label is None else f"label {label!r} is not one of the task's", column)
        identifier = entry.guid or f"row {number}"
        units.append(Unit(identifier, identifier, Labelled(label)))
    return units
