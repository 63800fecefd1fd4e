"""A leaderboard as files and on a terminal: JSON, Markdown in two languages, CSV, tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from jatdae.evaluate.munbench.lines import write_text
from jatdae.reports.documents import document
from jatdae.reports.munbench.board import Board
from jatdae.reports.munbench.escaping import markdown_text, one_line, spreadsheet_text
from jatdae.reports.munbench.sheet import Sheet, tracks_of
from jatdae.reports.munbench.sheets import sheets
from jatdae.reports.munbench.words import Words
from jatdae.reports.tables import console, short_name
from jatdae.types import Estimate

BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets of Korean systems take a file without it for another encoding."""
_LOCAL_PATH = re.compile(r"\b(?:hf|file):(?:~|\.{0,2}/)[^\s\[\]]{1,500}")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def write_leaderboard(board: Board, folder: Path) -> None:
    """Write `leaderboard.json`, `.md`, `.ko.md` and `.csv` into a folder. Raises JatdaeError if that fails."""
    json_text = _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", document(board.record))
    write_text(folder / "leaderboard.json", json_text + "\n")
    write_text(folder / "leaderboard.md", markdown(board, Words("en")))
    write_text(folder / "leaderboard.ko.md", markdown(board, Words("ko")))
    write_text(folder / "leaderboard.csv", BYTE_ORDER_MARK + comma_separated(board))


def markdown(board: Board, words: Words) -> str:
    """The whole leaderboard as Markdown; no date in it, so that the same records give the same text."""
    parts = [f"# {words.title('heading')}"]
    parts += [f"> {markdown_text(words.banner(one.code, one.values))}" for one in board.banners]
    parts += [_markdown_table(sheet) for sheet in sheets(board.record, words)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(sheet: Sheet) -> str:
    def line(cells: tuple[str, ...]) -> str:
        return f"| {' | '.join(markdown_text(cell) for cell in cells)} |"

    rule = f"|{'|'.join(' --- ' for _ in sheet.header)}|"
    lines = [f"## {markdown_text(sheet.title)}", "", line(sheet.header), rule, *map(line, sheet.rows)]
    return "\n".join([*lines, *(["", markdown_text(sheet.note)] if sheet.note else [])])


def show_leaderboard(board: Board, *, whole: bool = True) -> None:
    """Print banners and tables to standard output; unless `whole`, the first table alone."""
    out, words = console(), Words("en")
    for banner in board.banners:
        out.print(Text(f"! {one_line(words.banner(banner.code, banner.values))}"))
    tables = sheets(board.record, words)
    for sheet in tables if whole else tables[:1]:
        out.print(_terminal_table(sheet))
        if sheet.note:
            out.print(Text(sheet.note))


def _terminal_table(sheet: Sheet) -> Table:
    """Headers, too, are text and never markup: they hold names of models."""
    table = Table(title=Text(sheet.title), title_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in sheet.header:
        table.add_column(Text(one_line(_narrow(name))), overflow="fold")
    for row in sheet.rows:
        table.add_row(*(Text(one_line(_narrow(cell))) for cell in row))
    return table


def _narrow(cell: str) -> str:
    """A cell for a narrow column: of a path on this machine only its last part."""
    return _LOCAL_PATH.sub(lambda found: short_name(found[0]), cell)


def comma_separated(board: Board) -> str:
    """One line a model with its main figures; what is missing is an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerows(_comma_rows(board))
    return stream.getvalue()


def _comma_rows(board: Board) -> Iterator[list[str]]:
    tracks = tracks_of(board.record)
    head = ["rank", "model", "route", "provisional", "overall", "overall_low", "overall_high", "withheld"]
    head += ["elo", "elo_low", "elo_high", "coverage"]
    names = ("rubric_mean", "rubric_std", "slop_per_1k", "code_switch_rate", "distinct_trigram_ratio")
    head += [f"track{track}_{name}" for track in tracks for name in (*names, "length_compliance_rate")]
    yield [*head, *(f"judge {one_line(judge)}" for judge in board.record["judges"])]
    for row in board.record["rows"]:
        rated = row["rating"]["estimate"] if row["rating"] and row["elo"] is not None else None
        numbers = [row["overall_rubric_mean"], *_ends(row["overall"])]
        yield [
            "" if row["rank"] is None else str(row["rank"]),
            spreadsheet_text(row["model"]),
            row["route"],
            str(board.record["provisional"]).lower(),
            *map(_number, numbers),
            "; ".join(row["withheld"]),
            *map(_number, [row["elo"], *_ends(rated), row["coverage"]["coverage"]]),
            *(_number(row["tracks"][track][name]) for track in tracks for name in (*names, "length_compliance_rate")),
            *(_number(row["judge_means"][judge]) for judge in board.record["judges"]),
        ]


def _ends(estimate: Estimate | None) -> list[float | None]:
    return [estimate.low, estimate.high] if estimate else [None, None]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
