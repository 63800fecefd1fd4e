"""KLUE's tasks side by side, as the benchmark's own tables have them: a row a model, a column an official metric."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from jatdae.benchmarks.klue.labels import TASKS
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.reports.tables import short_name
from jatdae.types import Estimate, Result

METRICS = tuple((task, metric) for task in TASKS for metric in JUDGING[task].official)
SHORT = {
    "macro_f1": "F1",
    "pearson": "r",
    "f1": "F1",
    "accuracy": "acc.",
    "entity_f1": "ent. F1",
    "character_f1": "chr. F1",
    "micro_f1": "F1",
    "auprc": "AUPRC",
    "uas_macro": "UAS",
    "las_macro": "LAS",
    "exact_match": "EM",
    "rouge_w": "R-W",
    "joint_goal_accuracy": "JGA",
    "slot_f1": "slot F1",
}
"""What the narrow columns call the metrics."""


def klue_table(results: Sequence[Result]) -> Table | None:
    """A row for each model and mode with its results on two or more of KLUE's tasks; None where no model has as many.

    The last result counts where a task was measured twice.
    """
    rows: dict[tuple[str, str], dict[tuple[str, str], Estimate]] = {}
    tasks: dict[tuple[str, str], set[str]] = {}
    for result in results:
        family, _, task = result.task.partition("/")
        if family != "klue":
            continue
        row = (result.model, result.protocol.mode)
        tasks.setdefault(row, set()).add(task)
        for metric in JUDGING[task].official:
            if metric in result.estimates:
                rows.setdefault(row, {})[task, metric] = result.estimates[metric]
    wide = [row for row in rows if len(tasks[row]) > 1]
    if not wide:
        return None
    shown = [column for column in METRICS if any(column in rows[row] for row in wide)]
    table = Table(
        title="KLUE (percent, standard error below)", title_justify="left", box=box.SIMPLE, padding=(0, 0, 0, 1)
    )
    table.add_column("model", overflow="fold", min_width=10)
    for task, metric in shown:
        table.add_column(f"{task} {SHORT[metric]}", justify="right")
    for model, mode in wide:
        figures = (rows[model, mode].get(column) for column in shown)
        table.add_row(*(Text(cell) for cell in (f"{short_name(model)}\n{mode}", *map(_cell, figures))))
    return table


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    error = "n/a" if estimate.stderr is None else f"±{100 * estimate.stderr:.2f}"
    return f"{100 * estimate.value:.2f}\n{error}"
