"""KLUE's tasks side by side: a row an official metric, a column a model."""

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

Column = tuple[str, str, int]
"""Model, mode, shots."""


def klue_table(results: Sequence[Result]) -> Table | None:
    """The official metrics of each model, mode and number of shots that was measured on two or more of KLUE's tasks.

    None where there is none. The last result counts where a task was measured twice.
    """
    figures: dict[Column, dict[tuple[str, str], Estimate]] = {}
    for result in results:
        family, _, task = result.task.partition("/")
        if family == "klue":
            column = (result.model, result.protocol.mode, result.protocol.shots)
            found = {
                (task, name): result.estimates[name] for name in JUDGING[task].official if name in result.estimates
            }
            figures.setdefault(column, {}).update(found)
    columns = [column for column, found in figures.items() if len({task for task, _ in found}) > 1]
    if not columns:
        return None
    table = Table("task", "metric", title="KLUE (percent, standard error)", title_justify="left", box=box.SIMPLE)
    for column in columns:
        table.add_column(_heading(column), justify="right", overflow="fold")
    for row in METRICS:
        if any(row in figures[column] for column in columns):
            cells = (row[0], row[1].replace("_", " "), *(_cell(figures[column].get(row)) for column in columns))
            table.add_row(*(Text(cell) for cell in cells))
    return table


def _heading(column: Column) -> str:
    model, mode, shots = column
    return f"{short_name(model)}\n{mode}" + (f", {shots} shots" if shots else "")


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    error = "n/a" if estimate.stderr is None else f"±{100 * estimate.stderr:.2f}"
    return f"{100 * estimate.value:.2f} {error}"
