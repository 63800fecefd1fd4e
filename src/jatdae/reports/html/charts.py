"""Vega-Lite specifications that several sections use. Colours can be told apart by colour-blind readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.types import Estimate

Spec = dict[str, Any]
Row = Mapping[str, Any]
PALETTE = ("#0b57a4", "#b35300", "#117733", "#882255", "#5f5f00", "#332288", "#00696d", "#aa3377")
"""Dark enough for a light ground (4.5:1); the page brightens them on a dark one."""
NAME_PIXELS = 180
"""Longer names of models are cut in an axis; the table beside has them whole."""
BELOW = {"orient": "bottom", "columns": 2, "labelLimit": 180}
FIT = {"type": "fit-x", "contains": "padding"}
FEW = 3
"""So many columns of a heatmap do not fill the page."""
BAND = 26
"""Pixels for one line of a chart with a line a model."""


def percent_row(estimate: Estimate, **fields: Any) -> dict[str, Any]:
    """A row of data: value and interval in percent, rounded to what can be seen."""
    low, high = (None if end is None else round(100 * end, 3) for end in (estimate.low, estimate.high))
    return {**fields, "value": round(100 * estimate.value, 3), "low": low, "high": high, "n": estimate.n}


def dots(rows: Sequence[Row], *, axis: str, colour: str | None = None, floors: Sequence[Row] = ()) -> Spec:
    """A line a model: the value as a point, its interval as a rule; ticks for floors. Rows have `name`."""
    y: Spec = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelLimit": NAME_PIXELS, "ticks": False},
    }
    x: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": axis,
        "scale": {"zero": False},
        "axis": {"tickCount": 6},
    }
    more: Spec = {}
    if colour:
        more = {
            "color": {"field": colour, "type": "nominal", "title": None, "sort": None, "legend": BELOW},
            "yOffset": {"field": colour, "type": "nominal", "sort": None},
        }
    layers: list[Spec] = []
    if spans := _with_intervals(rows):
        layers.append(
            {
                "data": {"values": spans},
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, **more},
            }
        )
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "size": 70},
            "encoding": {"y": y, "x": x, "tooltip": tooltips(axis), **more},
        }
    )
    if floors:
        floor_y = {**y}
        layers.append(
            {
                "data": {"values": list(floors)},
                "mark": {"type": "tick", "thickness": 2, "color": "#b00020", "strokeDash": [3, 2]},
                "encoding": {"y": floor_y, "x": x, "tooltip": [{"field": "floor", "title": "floor"}]},
            }
        )
    return {
        "data": {"values": list(rows)},
        "width": "container",
        "height": {"step": BAND},
        "autosize": FIT,
        "layer": layers,
    }


def _with_intervals(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["low"] is not None and row["high"] is not None]


def tooltips(axis: str) -> list[Spec]:
    """What is shown over a point."""
    figures = [{"field": name, "type": "quantitative", "format": ".2f"} for name in ("low", "high")]
    return [{"field": "name"}, {"field": "value", "title": axis, "type": "quantitative", "format": ".2f"}, *figures]


def curves(rows: Sequence[Row], *, x: str, axis: str, floors: Sequence[Row] = ()) -> Spec:
    """Lines over a number, one a `name`, with intervals; dashed level lines for floors. Rows have `x`."""
    horizontal: Spec = {"field": "x", "type": "quantitative", "title": x, "axis": {"tickMinStep": 1}}
    vertical: Spec = {"field": "value", "type": "quantitative", "title": axis, "scale": {"zero": False}}
    colour: Spec = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "sort": None,
        "legend": BELOW,
    }
    layers: list[Spec] = [
        {
            "mark": "rule",
            "encoding": {"x": horizontal, "y": {**vertical, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "line", "point": True},
            "encoding": {"x": horizontal, "y": vertical, "color": colour, "tooltip": tooltips(axis)},
        },
    ]
    if floors:
        layers.append(
            {
                "data": {"values": list(floors)},
                "mark": {"type": "rule", "strokeDash": [5, 4], "color": "#b00020"},
                "encoding": {"y": vertical, "tooltip": [{"field": "floor"}]},
            }
        )
    return {"data": {"values": list(rows)}, "width": "container", "height": 280, "autosize": FIT, "layer": layers}


def heatmap(rows: Sequence[Row], *, columns: Sequence[str], title: str) -> Spec:
    """Squares of `name` (down) by `column` (across), coloured by `value`."""
    few = len({row["name"] for row in rows}) <= FEW
    return {
        "data": {"values": list(rows)},
        "width": {"step": 90} if few else "container",
        "height": {"step": 20},
        "autosize": FIT,
        "mark": {"type": "rect"},
        "encoding": {
            "y": {
                "field": "column",
                "type": "nominal",
                "sort": list(columns),
                "title": None,
                "axis": {"labelLimit": 220},
            },
            "x": {
                "field": "name",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelLimit": 110, "labelAngle": -40},
            },
            "color": {
                "field": "value",
                "type": "quantitative",
                "title": title,
                "scale": {"scheme": "viridis"},
                "legend": {"orient": "top"},
            },
            "tooltip": [{"field": "column"}, *tooltips(title)],
        },
    }


def stacked(rows: Sequence[Row], *, axis: str) -> Spec:
    """Bars of shares, one a `name`, in parts by `part`."""
    return {
        "data": {"values": list(rows)},
        "width": "container",
        "height": {"step": BAND},
        "autosize": FIT,
        "mark": "bar",
        "encoding": {
            "y": {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": NAME_PIXELS}},
            "x": {"field": "value", "type": "quantitative", "title": axis, "stack": "zero"},
            "color": {
                "field": "part",
                "type": "nominal",
                "sort": None,
                "title": None,
                "legend": BELOW,
            },
            "tooltip": [
                {"field": "name"},
                {"field": "part"},
                {"field": "value", "type": "quantitative", "format": ".1f"},
            ],
        },
    }


def unique_names(models: Sequence[str], shorten: Any) -> dict[str, str]:
    """A short name for each model, with a number where two would be alike."""
    found: dict[str, str] = {}
    for model in models:
        short = shorten(model)
        taken = sum(one == short or one.startswith(f"{short} #") for one in found.values())
        found[model] = f"{short} #{taken + 1}" if taken else short
    return found
