"""What goes into a scorer of predictions made elsewhere, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jatdae.types import Estimate

DRAWS = 1_000
"""Resamples behind an interval, unless the user says otherwise."""

Cell = str | Estimate


@dataclass(frozen=True, slots=True)
class Submission:
    """A file of predictions for a task, and what the user said about how to score it.

    `gold` is a file of right answers; without one a scorer finds them in `data` (a folder, `mini`, or None for the
    cache), or in the column `gold_column` of the predictions' own file. `column` is the one of the predictions where it
    has a name that the scorer does not know. `label_order` says how numbers stand for labels.
    """

    task: str
    pred: Path
    gold: Path | None = None
    data: str | None = None
    label_order: str | None = None
    draws: int = DRAWS
    column: str | None = None
    gold_column: str | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A score that can be printed whatever the benchmark: a title, one table of figures, notes.

    `record` is the benchmark's own frozen record of the same, for programs.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    record: object
