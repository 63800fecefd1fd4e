"""Curves by number of examples and by size, with intervals, as SVG: the same bytes for the same report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.negation.corpus.charts import FONT, check_charts
from jatdae.reports.negation.report import NegationReport
from jatdae.reports.negation.section import names
from jatdae.reports.negation.selection import MAIN, Cell
from jatdae.types import Estimate

Row = Mapping[str, str | float | None]


def charts(report: NegationReport) -> dict[str, str]:
    """SVG text by name, one of each kind for every mode; a chart whose lines would be single points is left out.

    Raises RequestError where the packages that draw are not installed.
    """
    check_charts()
    found: dict[str, str] = {}
    for mode in dict.fromkeys(one.cell.mode for one in report.scores if one.cell.task == MAIN):
        shots, sizes = _by_shots(report, mode), _by_size(report, mode)
        if len({row["x"] for row in shots}) > 1:
            found[f"shots-{mode}"] = _curves(shots, f"KoNUBench {mode}", "examples", logarithmic=False)
        if sizes:
            found[f"sizes-{mode}"] = _curves(
                sizes, f"KoNUBench {mode}, 0-shot", "parameters (billions)", logarithmic=True
            )
    return found


def _by_shots(report: NegationReport, mode: str) -> list[Row]:
    shown = names(report)
    return [
        _row(shown[one.reference], one.cell.shots, one.score)
        for one in report.scores
        if one.cell.task == MAIN and one.cell.mode == mode
    ]


def _by_size(report: NegationReport, mode: str) -> list[Row]:
    return [
        _row(f"{one.family} {one.tuning}", one.parameters, one.accuracy)
        for one in report.sizes
        if one.cell == Cell(MAIN, mode, 0)
    ]


def _row(line: str, x: float, estimate: Estimate) -> Row:
    low, high = (None if end is None else 100 * end for end in (estimate.low, estimate.high))
    return {"line": line, "x": x, "percent": 100 * estimate.value, "low": low, "high": high}


def _curves(rows: Sequence[Row], title: str, axis: str, *, logarithmic: bool) -> str:
    import altair as alt
    import vl_convert

    scale: Any = alt.Scale(type="log" if logarithmic else "linear")
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X("x:Q", title=axis, scale=scale), color=alt.Color("line:N", title=None)
    )
    line = base.mark_line(point=True).encode(y=alt.Y("percent:Q", title="accuracy (%)", scale=alt.Scale(zero=False)))
    rules = base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q")
    chart = (line + rules).properties(title=title, width=420, height=280).configure(font=FONT)
    return vl_convert.vegalite_to_svg(chart.to_json(), vl_version="6.4")
