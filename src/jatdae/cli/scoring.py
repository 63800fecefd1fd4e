"""`jatdae score`: official scoring of predictions that were made elsewhere."""

from __future__ import annotations

from dataclasses import replace

from jatdae.benchmarks.scored import Cell, Scored, Submission
from jatdae.benchmarks.scoring import find_scorer
from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.reports.tables import columns, console, figure


def score_command(submission: Submission, *, as_json: bool) -> None:
    """Score a file of predictions and print what it is worth and what is missing."""
    if submission.draws < 2:
        raise RequestError(f"--draws {submission.draws}: at least 2 are needed for an interval")
    task, scorer = find_scorer(submission.task)
    scored = scorer(replace(submission, task=task))
    if as_json:
        print(document({"score": scored.record}))
    else:
        _show(scored)


def _show(scored: Scored) -> None:
    screen = console()
    screen.print(f"\n{scored.title}", style="bold", highlight=False, markup=False)
    screen.print(columns(scored.header, [[_shown(cell) for cell in row] for row in scored.rows]))
    for note in scored.notes:
        screen.print(f"note: {note}", highlight=False, markup=False)


def _shown(cell: Cell) -> str:
    return cell if isinstance(cell, str) else figure(cell)
