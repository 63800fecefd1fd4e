"""Scoring predictions in memory: the fields of each item, named as in a file of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.scoring.entries import Entry, predicted_column
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Judged, Unit
from jatdae.benchmarks.klue.scoring.readings import LabelNames

Prediction = Mapping[str, Any]
"""What is predicted for one item, ready for JSON, under the names that `jatdae score klue/TASK` reads:

ynat, nli: prediction (a label's name), probabilities (a list in the order of `labels.LABELS`); re: the same;
sts: prediction (a number); ner: tags (of all characters, blanks included), official_tags (see `rows.read_tag_rows`);
dp: heads, deprels; mrc: prediction (a text, "" for no answer); wos: prediction (a list of `domain-slot-value`).
"""


def judge(task: str, units: Sequence[Unit], predictions: Mapping[str, Prediction]) -> Judged:
    """Score predictions by item; an item without one has none, and counts as wrong. Raises DataError for a misfit."""
    entries = [
        Entry(unit.id, predictions[unit.id], Path("predictions"), 1) if unit.id in predictions else None
        for unit in units
    ]
    there = [entry for entry in entries if entry is not None]
    judging = JUDGING[task]
    column = predicted_column(there, judging.columns) if there else judging.columns[0]
    return judging.judge([unit.gold for unit in units], entries, column, LabelNames.of(task, None))
