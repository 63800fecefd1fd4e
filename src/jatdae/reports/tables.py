"""Results as tables for a terminal. A figure is never shown without its interval and n."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jatdae.types import Estimate, Result

if TYPE_CHECKING:  # listing what is stored needs no benchmark
    from jatdae.reports.pairs import Paired

WIDTH = 120
"""Columns where the output is no terminal, which has no width of its own."""


def console() -> Console:
    """Standard output for tables."""
    plain = Console()
    return plain if plain.is_terminal else Console(width=WIDTH)


def figure(estimate: Estimate) -> str:
    """A share as percent with its 95 % interval and n, such as `31.25 [17.95, 48.57] n=32`."""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.2f} [n/a] n={estimate.n:,}"
    return f"{100 * estimate.value:.2f} [{100 * estimate.low:.2f}, {100 * estimate.high:.2f}] n={estimate.n:,}"


def leaderboard(results: Iterable[Result]) -> Table:
    """One row a result: who, what, how, the headline with its interval, and the highest floor beside it."""
    table = Table(title="Leaderboard (percent, 95 % interval)", title_justify="left", box=box.SIMPLE)
    for name in ("model", "task", "mode", "shots", "metric", "score", "highest floor"):
        table.add_column(name, overflow="fold")
    for result in sorted(results, key=lambda r: (r.task, r.protocol.mode, r.protocol.shots, -_headline_value(r))):
        headline = result.estimates.get(result.headline)
        _add(
            table,
            short_name(result.model),
            result.title,
            result.protocol.mode,
            str(result.protocol.shots),
            result.headline,
            ("" if result.complete else "incomplete: ") + (figure(headline) if headline else "no answer"),
            _best_floor(result),
        )
    return table


def _headline_value(result: Result) -> float:
    headline = result.estimates.get(result.headline)
    return headline.value if headline else -math.inf


def _best_floor(result: Result) -> str:
    """The highest floor of the headline; one that is named after another metric is not of it."""
    floors, others = result.floors, {*result.estimates, "micro"}
    names = [name for name in floors if name.rpartition(", ")[2] not in others]
    if not names:
        return ""
    name = max(names, key=lambda name: floors[name].value)
    return f"{name}: {figure(floors[name])}"


def short_name(model: str) -> str:
    """A model reference for a narrow column: of a path only its last part."""
    backend, _, name = model.partition(":")
    return f"{backend}:{name.rstrip('/').rpartition('/')[2]}" if name.startswith(("/", "./", "../", "~")) else model


def explain(console: Console, result: Result, *, whole: bool = True) -> None:
    """What one result says: estimates, floors, notes, its fingerprint; and, if `whole`, rates and breakdowns."""
    protocol = result.protocol
    console.print(f"\n{result.title}: {result.model}", style="bold", highlight=False, markup=False)
    shots = f"{protocol.shots} shots ({protocol.demos})" if protocol.shots else "0 shots"
    has_seeds = protocol.shots or protocol.mode == "finetune"
    seeds = f", seeds {', '.join(map(str, protocol.seeds))}" if has_seeds else ""
    template = "chat template" if protocol.chat_template else "plain text"
    console.print(
        f"mode {protocol.mode}, {shots}{seeds}, split {protocol.split}, {template}; "
        f"fingerprint {result.fingerprint[:12]}",
        highlight=False,
    )
    console.print(_figures("estimate", result.estimates, mark=result.headline))
    if result.floors:
        console.print(_figures("floor (never reads the question)", result.floors))
    if whole:
        console.print(_figures("rate", result.rates))
        for name, figures in result.breakdown.items():
            console.print(_figures(name, figures))
    for note in result.notes:
        console.print(f"note: {note}", highlight=False, markup=False)


def _figures(title: str, figures: Mapping[str, Estimate], mark: str = "") -> Table:
    table = Table(box=box.SIMPLE)
    table.add_column(title, overflow="fold")
    table.add_column("percent [95 %]", justify="right")
    table.add_column("method")
    for name, estimate in figures.items():
        _add(table, f"{name} *" if name == mark else name, figure(estimate), estimate.method)
    return table


def grid_table(results: Sequence[Result]) -> Table:
    """A row for every cell of a grid, the best headline first: the settings that differ, and the official scores."""
    cells = [result.protocol.options for result in results]
    varied = [name for name in (cells[0] if cells else ()) if len({cell[name] for cell in cells}) > 1]
    metrics = list(dict.fromkeys(name for result in results for name in result.estimates if "," not in name))
    table = Table(title="Grid (percent, 95 % interval)", title_justify="left", box=box.SIMPLE)
    for name in ("model", "task", *varied, *metrics):
        table.add_column(name, overflow="fold")
    for result in sorted(results, key=lambda r: (r.task, -_headline_value(r))):
        figures = (result.estimates.get(name) for name in metrics)
        settings = (result.protocol.options[name] for name in varied)
        _add(table, short_name(result.model), result.task, *settings, *(figure(e) if e else "" for e in figures))
    if len(results) > 1:
        table.caption = "The best of many cells on the split that chose it is optimistic: confirm it with fresh seeds."
    return table


def paired_table(pairs: Iterable[Paired]) -> Table:
    """What negation costs each model on the same items: accuracies, paired difference, both right."""
    table = Table(
        title="Positive and negative form of the same items (percent, 95 % interval)",
        title_justify="left",
        box=box.SIMPLE,
    )
    for name in ("model", "study", "positive", "negative", "positive minus negative", "both right"):
        table.add_column(name, overflow="fold")
    for pair in pairs:
        report = pair.report
        figures = (report.positive, report.negative, report.difference, report.consistency)
        _add(table, short_name(pair.model), pair.positive, *(figure(estimate) for estimate in figures))
    return table


def _add(table: Table, *cells: str) -> None:
    """Cells are text, never markup: names come from users and data."""
    table.add_row(*(Text(cell) for cell in cells))


def columns(header: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    """A plain table of text."""
    table = Table(*header, title=title, title_justify="left", box=box.SIMPLE)
    for row in rows:
        _add(table, *row)
    return table
