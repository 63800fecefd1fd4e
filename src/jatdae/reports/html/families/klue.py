"""KLUE: official metrics of each task with intervals, clean ones beside them."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.reports.html.blocks import Block, Chart, Lang, Paragraph, Section
from jatdae.reports.html.charts import dots, percent_row
from jatdae.reports.html.families.groups import finished, of_family, short_names
from jatdae.reports.html.families.words import Words, words
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure
from jatdae.store import StoredResult

CLEAN = ", clean"


def section(results: Sequence[StoredResult], lang: Lang) -> Section | None:
    """None where nothing of KLUE was measured."""
    own = of_family(results, "klue")
    if not own:
        return None
    say = words(lang)
    tasks = sorted({one.task for one in own})
    charts = [_task(task, [one for one in own if one.task == task], say) for task in tasks]
    blocks: list[Block] = [Paragraph(say["klue_help"]), *charts]
    return Section("klue", "KLUE", tuple(blocks))


def _task(task: str, own: Sequence[StoredResult], say: Words) -> Chart:
    names = short_names(own)
    cells = [
        (one, metric, estimate)
        for one in own
        for metric, estimate in finished(one).estimates.items()
        if not metric.endswith(CLEAN)
    ]
    rows = [
        percent_row(estimate, name=names[one.model_reference], part=inert(metric)) for one, metric, estimate in cells
    ]
    table = tuple(
        (
            names[one.model_reference],
            ", ".join(map(str, finished(one).protocol.seeds)),
            inert(metric),
            figure(estimate),
            _clean(one, metric),
        )
        for one, metric, estimate in cells
    )
    header = (say["model"], say["klue_seeds"], say["metric"], say["official"], say["clean"])
    spec = dots(rows, axis=say["percent"], colour="part")
    return Chart(task.replace("/", "-"), spec, say["klue_bars"].format(task=inert(task)), header, table)


def _clean(stored: StoredResult, metric: str) -> str:
    estimate = finished(stored).estimates.get(metric + CLEAN)
    return figure(estimate) if estimate else ""
