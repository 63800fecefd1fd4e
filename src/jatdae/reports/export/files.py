"""Rows to a file, by its ending: .json, .jsonl, .csv or .parquet. Memory does not grow with the number of rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from jatdae.errors import RequestError, did_you_mean
from jatdae.judging.validation.blind_sheet import neutralised

Row = dict[str, Any]
CHUNK = 5000
"""Rows of one group in a Parquet file."""


def write_rows(
    path: Path, columns: Sequence[str], rows: Iterable[Row], *, bom: bool = False, force: bool = False
) -> int:
    """Write the file whole or not at all; returns how many rows. `bom` is for Excel, which needs it to read UTF-8.

    Raises RequestError for an unknown ending, a file that is there already (without `force`), or a missing package.
    """
    writers: dict[str, Callable[..., int]] = {
        ".json": _write_json,
        ".jsonl": _write_lines,
        ".csv": lambda *given: _write_csv(*given, bom=bom),
        ".parquet": _write_parquet,
    }
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise RequestError(f"{path}: the ending says the format; {did_you_mean(path.suffix, list(writers))}")
    if bom and path.suffix.lower() != ".csv":
        raise RequestError("--bom is for CSV files; the other formats are read as they are")
    with new_file(path, force=force) as passing:
        return writer(passing, columns, rows)


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[Path]:
    """A passing file that takes the name at the end, if all went well. Raises RequestError."""
    if path.exists() and not force:
        raise RequestError(f"{path} is there already; name another file, or add --force to replace it")
    passing = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield passing
        passing.replace(path)
    except OSError as error:
        raise RequestError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        passing.unlink(missing_ok=True)


def _write_json(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    count = 0
    with _text(path) as file:
        file.write("[")
        for count, row in enumerate(rows, start=1):
            file.write((",\n" if count > 1 else "\n") + _line(columns, row))
        file.write("\n]\n")
    return count


def _write_lines(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    with _text(path) as file:
        return sum(1 for row in rows if file.write(_line(columns, row) + "\n"))


def _line(columns: Sequence[str], row: Row) -> str:
    return json.dumps({name: row.get(name) for name in columns}, ensure_ascii=False, allow_nan=False)


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Row], *, bom: bool) -> int:
    with _text(path, "utf-8-sig" if bom else "utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        return sum(1 for row in rows if writer.writerow([_cell(row.get(name)) for name in columns]))


def _cell(value: Any) -> Any:
    """Text that a spreadsheet would run gets an apostrophe; a null byte, which CSV readers stop at, its picture."""
    if isinstance(value, str):
        return neutralised(value.replace("\x00", "␀"))
    return "" if value is None else value


def _text(path: Path, encoding: str = "utf-8") -> IO[str]:
    return path.open("w", encoding=encoding, newline="", errors="backslashreplace")


def _write_parquet(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise RequestError("Parquet files need a package: pip install 'jatdae[parquet]'") from None
    count, schema = 0, arrow.schema([(name, _type(arrow, name)) for name in columns])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in _chunks(rows):
            clean = [{name: _whole(row.get(name)) for name in columns} for row in part]
            writer.write_table(arrow.Table.from_pylist(clean, schema))
            count += len(part)
    return count


_INTEGERS = frozenset({"run", "result", "shots", "limit", "n", "clusters", "seed"})
_NUMBERS = frozenset({"value", "stderr", "low", "high"})
_SWITCHES = frozenset({"headline", "complete"})


def _type(arrow: Any, name: str) -> Any:
    if name in _INTEGERS:
        return arrow.int64()
    if name in _NUMBERS:
        return arrow.float64()
    return arrow.bool_() if name in _SWITCHES else arrow.string()


def _whole(value: Any) -> Any:
    """Lone surrogates, which UTF-8 lacks, as their escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    for row in rows:
        part.append(row)
        if len(part) == CHUNK:
            yield part
            part = []
    if part:
        yield part
