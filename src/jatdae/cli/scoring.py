"""`jatdae score`: official scoring of predictions that were made elsewhere."""

from __future__ import annotations

from pathlib import Path

from jatdae.benchmarks.base import find_task
from jatdae.benchmarks.kmmlu.external import ExternalScore, score_predictions
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.reports.tables import columns, console, figure


def score_command(task: str, pred: Path, data: str | None, *, as_json: bool) -> None:
    """Score a file of predictions and print what it is worth and what is missing."""
    name = find_task(task).name
    if name.partition("/")[0] not in ("kmmlu", "kmmlu-hard"):
        raise RequestError(f"predictions of {name} made elsewhere cannot be scored; those of kmmlu and kmmlu-hard can")
    scored = score_predictions(pred, Source.of(data) if data else None, name)
    if as_json:
        print(document({"score": scored}))
    else:
        _show(scored)


def _show(scored: ExternalScore) -> None:
    screen = console()
    screen.print(f"\n{scored.title}: {scored.rows:,} rows", style="bold", highlight=False)
    rows = [
        ("micro", figure(scored.micro)),
        ("macro", figure(scored.macro)),
        ("no answer", figure(scored.no_answer)),
    ]
    if scored.reextracted:
        anew = scored.reextracted
        rows += [
            ("micro, answers read out anew", figure(anew.micro)),
            ("macro, answers read out anew", figure(anew.macro)),
            ("no answer, read out anew", figure(anew.no_answer)),
            ("rows whose letter changes", figure(anew.changed)),
        ]
    screen.print(columns(("estimate", "percent [95 %] n"), rows))
    for warning in scored.warnings:
        screen.print(f"note: {warning}", highlight=False, markup=False)
