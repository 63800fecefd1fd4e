"""The distributions as bar charts with intervals: static SVG, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from jatdae.errors import RequestError
from jatdae.negation.corpus.counting import Share

FONT = "sans-serif"
"""The generic family: what shows the chart chooses a font of its own that has Hangul."""
LABELS = 96
"""Pixels kept for the labels, however wide a font draws them."""


def check_charts() -> None:
    """Raises RequestError where the packages that draw are not installed."""
    if find_spec("altair") is None or find_spec("vl_convert") is None:
        raise RequestError("the study's charts need packages: pip install 'jatdae[study]'")


def bar_chart(shares: Sequence[Share], *, title: str, axis: str) -> str:
    """The shares in per cent as horizontal bars in the given order, each with its interval if it has one; SVG text."""
    import altair as alt
    import vl_convert

    rows = [_row(share) for share in shares]
    order = [share.label for share in shares]
    base = alt.Chart(alt.Data(values=rows))
    axis_of_labels = alt.Axis(minExtent=LABELS, labelFontSize=13)
    y = alt.Y("label:N", sort=order, title=None, axis=axis_of_labels)
    bars = base.mark_bar(color="#4c78a8").encode(y=y, x=alt.X("share:Q", title=axis, scale=alt.Scale(domainMin=0)))
    rules = base.mark_rule(color="#222222", strokeWidth=1.5).encode(y=y, x="low:Q", x2="high:Q")
    counts = base.mark_text(align="left", dx=5, dy=-9, fontSize=10).encode(y=y, x="share:Q", text="count:Q")
    chart = (bars + rules + counts).properties(title=title, width=420, height=alt.Step(34))
    chart = chart.configure(font=FONT).configure_title(fontSize=14)
    return vl_convert.vegalite_to_svg(chart.to_json(), vl_version="6.4")


def _row(share: Share) -> dict[str, str | float | int | None]:
    estimate = share.share
    value = 0.0 if estimate is None else estimate.value
    low = None if estimate is None or estimate.low is None else 100 * estimate.low
    high = None if estimate is None or estimate.high is None else 100 * estimate.high
    return {"label": share.label, "share": 100 * value, "low": low, "high": high, "count": share.occurrences}
