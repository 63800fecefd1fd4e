"""Sheets that people fill in: the same rows as CSV for a spreadsheet and as JSON lines, written once and read back.

A form on a page is a sheet of one row: it goes the same way from there on. A cell that a spreadsheet would run begins
with an apostrophe in the CSV, which reading takes away again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.sources import read_csv, read_json_lines
from jatdae.benchmarks.transfer import replaced_whole
from jatdae.errors import DataError, RequestError, did_you_mean
from jatdae.judging.fence import cleaned

_RUN = re.compile(r"'*\s*[=+\-@＝＋－＠]|'*[\t\r]")


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was read: its cells by column, and where it stands. A row of a form has no line."""

    path: Path
    line: int | None
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def fault(self, column: str, what: str, mend: str = "") -> DataError:
        """The error that names this row's line and a column."""
        return DataError(what, path=self.path, line=self.line, field=column, mend=mend)

    def word(self, column: str, known: Sequence[str]) -> str:
        """A cell that holds one of some words, or nothing. Raises DataError."""
        text = self[column].strip().lower()
        if text and text not in known:
            raise self.fault(column, f"{text[:80]!r} is not known", did_you_mean(text, known))
        return text


FORM = Path("the form")
"""Where a row stands that no file holds."""


def form_row(cells: Mapping[str, str], columns: Sequence[str]) -> Row:
    """What was typed into a form, as a row. Raises DataError where a column is missing."""
    for name in columns:
        if name not in cells:
            raise DataError("a text is expected", path=FORM, field=name)
    return Row(FORM, None, {name: cleaned(cells[name]) for name in columns})


def inert(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula; `restored` undoes it."""
    return f"'{text}" if _RUN.match(text) else text


def restored(cell: str) -> str:
    """The text that `inert` made the cell from."""
    return cell[1:] if cell.startswith("'") and _RUN.match(cell[1:]) else cell


def write_sheet(stem: Path, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> list[Path]:
    """Write `stem`.csv, with the byte-order mark that Excel needs, and `stem`.jsonl. Raises RequestError."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(columns)
    writer.writerows([inert(cleaned(row.get(name, ""))) for name in columns] for row in rows)
    lines = [json.dumps({name: cleaned(row.get(name, "")) for name in columns}, ensure_ascii=False) for row in rows]
    files = {
        stem.with_name(f"{stem.name}.csv"): "\ufeff" + table.getvalue(),
        stem.with_name(f"{stem.name}.jsonl"): "".join(f"{line}\n" for line in lines),
    }
    for path, text in files.items():
        write_file(path, text)
    return list(files)


def write_file(path: Path, text: str) -> None:
    """Put a file in place whole or not at all; line ends stay as they are. Raises RequestError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_whole(path) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise RequestError(f"{path} cannot be written ({error.strerror}); check the folder and its space") from None


def read_sheet(path: Path, columns: Sequence[str], key: Sequence[str] = ("id",)) -> list[Row]:
    """The rows of a sheet, CSV or JSON lines. `key` are the columns that together name a row.

    Raises RequestError where there is no file, DataError with line and column for a column that is missing, a cell
    that is no text, and a row that stands twice.
    """
    if not path.is_file():
        raise RequestError(f"{path}: no such file")
    rows = list(_rows(path, columns))
    seen: dict[tuple[str, ...], int | None] = {}
    for row in rows:
        named = tuple(row[name].strip() for name in key)
        if named in seen:
            raise row.fault(key[-1], f"{' '.join(named)[:80]!r} stands in line {seen[named]} already")
        seen[named] = row.line
    return rows


def sheet_columns(path: Path) -> tuple[str, ...]:
    """The columns of the sheet's first row, by which its kind is told. Raises RequestError, DataError."""
    if not path.is_file():
        raise RequestError(f"{path}: no such file")
    first = next(_cells(path, ()), None)
    if first is None:
        raise DataError("there are no rows in it", path=path)
    return tuple(first[1])


def _rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    is_csv = path.suffix == ".csv"
    for line, cells in _cells(path, columns):
        texts: dict[str, str] = {}
        for name in columns:
            text = cells.get(name)
            if not isinstance(text, str):
                raise DataError("a text is expected", path=path, line=line, field=name)
            texts[name] = cleaned(restored(text) if is_csv else text)
        yield Row(path, line, texts)


def _cells(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, object]]]:
    return read_csv(path, columns) if path.suffix == ".csv" else read_json_lines(path)
