"""Reading files of predictions: JSON, JSON lines, CSV, TSV, and the release's own layout of tags and trees."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.reading.blocks import Block, read_blocks
from jatdae.benchmarks.klue.reading.rows import read_json
from jatdae.benchmarks.sources import read_json_lines, read_text
from jatdae.errors import DataError, RequestError

PREDICTED = (
    "prediction",
    "pred",
    "predicted",
    "pred_label",
    "predicted_label",
    "prediction_text",
    "label",
    "answer",
)
"""What the column of predictions may be called; the first that is there counts."""
IDENTIFIERS = ("guid", "id")
ENDINGS = {".json", ".jsonl", ".ndjson", ".csv", ".tsv"}
HEADERS = {"ner": "## klue-ner", "dp": "## klue-dp"}
"""Task to how a sentence starts in the release's own layout."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One prediction as its file has it; field names in lower case. `line` is where it starts.

    `is_table` says that it is a row of a table, where everything is text; `is_block` that it is a sentence in the
    release's own layout, whose rows are the lines below its own.
    """

    guid: str | None
    fields: Mapping[str, Any]
    path: Path
    line: int
    is_table: bool = False
    is_block: bool = False

    def fault(self, what: str, field: str | None = None, mend: str = "", *, below: int = 0) -> DataError:
        """The error that names this entry's file, line and field; in a block the line so many rows below."""
        named = f"{self.guid}: " if self.guid else ""
        line = self.line + (below if self.is_block else 0)
        return DataError(named + what, path=self.path, line=line, field=field, mend=mend)

    def value(self, field: str) -> Any:
        """A field's value; None where it is absent, null, blank text or NaN."""
        value = self.fields.get(field)
        blank = isinstance(value, str) and not value.strip()
        return None if blank or (isinstance(value, float) and math.isnan(value)) else value

    def items(self, field: str) -> Sequence[Any] | None:
        """A field that holds a list, in a table as JSON text; None where there is none. Raises DataError."""
        value = self.structure(field)
        if value is None or isinstance(value, list):
            return value
        raise self.fault(f"a list is expected, found {shown(value)}", field)

    def structure(self, field: str) -> Any:
        """A field that holds a list or an object, in a table as JSON text. Raises DataError."""
        value = self.value(field)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise self.fault(f"{shown(value)} is no list", field, "write lists as JSON") from None


def shown(value: object, most: int = 60) -> str:
    """A value for a message."""
    text = repr(value)
    return text if len(text) <= most else text[:most] + "..."


def read_entries(path: Path, task: str) -> list[Entry]:
    """All entries of a file, in its order. What they mean isn't looked at, but for lines, columns and identifiers.

    Raises RequestError for an unknown ending; DataError with the line where the file breaks, where an entry of several
    has no identifier, and for a file with nothing in it.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise RequestError(
            f"{path}: predictions are read from {', '.join(sorted(ENDINGS))}; {ending!r} is none of them"
        )
    if ending == ".json":
        entries = list(_from_json(path))
    elif ending in (".jsonl", ".ndjson"):
        entries = [_entry(value, path, line) for line, value in read_json_lines(path, composed=IDENTIFIERS)]
    elif task in HEADERS and f"\n{HEADERS[task]}" in f"\n{read_text(path)}":
        entries = [_READ_BLOCK[task](block, path) for block in read_blocks(path, HEADERS[task])]
    else:
        entries = list(_from_table(path, "," if ending == ".csv" else "\t"))
    if not entries:
        raise DataError("no predictions in this file", path=path)
    _check_identifiers(entries)
    return entries


def _check_identifiers(entries: Sequence[Entry]) -> None:
    lacking = [entry for entry in entries if entry.guid is None]
    if lacking and len(lacking) < len(entries):
        raise lacking[0].fault("no identifier, though other entries have one", "guid")


def predicted_column(entries: Sequence[Entry], names: Sequence[str]) -> str:
    """The first of the names that some entry has. Raises DataError that lists what is there."""
    there = {name: None for entry in entries for name in entry.fields}
    for name in names:
        if name in there:
            return name
    found = ", ".join(there)
    if len(names) == 1:
        raise DataError(f"no column {names[0]!r}; found: {found}", path=entries[0].path, line=1)
    mend = f"say which by --column, or call it as it is known: {', '.join(names)}"
    raise DataError(f"no column of predictions; found: {found}", path=entries[0].path, line=1, mend=mend)


def _entry(value: object, path: Path, line: int, guid: str | None = None) -> Entry:
    """An object is a row of columns; anything else, or the value of an identifier, is the prediction itself."""
    if not isinstance(value, Mapping):
        return Entry(guid, {PREDICTED[0]: value}, path, line)
    fields = {str(name).strip().lower(): inner for name, inner in value.items()}
    named = next((fields[name] for name in IDENTIFIERS if fields.get(name) is not None), None)
    return Entry(guid or (None if named is None else str(named)), fields, path, line)


def _from_json(path: Path) -> Iterator[Entry]:
    content = read_json(path)
    text = read_text(path)
    if isinstance(content, list):
        for line, value in _elements(text):
            yield _entry(value, path, line)
    elif isinstance(content, dict):
        for line, guid, value in _members(text):
            is_row = isinstance(value, Mapping) and any(str(name).lower() in PREDICTED for name in value)
            yield _entry(value if is_row else {PREDICTED[0]: value}, path, line, guid)
    else:
        raise DataError("an array of predictions, or an object of them by guid, is expected", path=path, line=1)


def _elements(text: str) -> Iterator[tuple[int, Any]]:
    """The elements of a valid JSON array, each with its line."""
    decode, place, line = json.JSONDecoder().raw_decode, text.index("[") + 1, 0
    counted = 0
    while (start := _next(text, place)) is not None:
        line, counted = line + text.count("\n", counted, start), start
        value, place = decode(text, start)
        yield line + 1, value


def _members(text: str) -> Iterator[tuple[int, str, Any]]:
    """The members of a valid JSON object, each with its line; a name that stands twice is given twice."""
    decode, place, line = json.JSONDecoder().raw_decode, text.index("{") + 1, 0
    counted = 0
    while (start := _next(text, place)) is not None:
        line, counted = line + text.count("\n", counted, start), start
        name, place = decode(text, start)
        value, place = decode(text, _next(text, place) or place)
        yield line + 1, name, value


def _next(text: str, place: int) -> int | None:
    """Where the next value starts, past blanks, commas and colons; None at the end of the array or object."""
    while text[place] in " \t\r\n,:":
        place += 1
    return None if text[place] in "]}" else place


def _from_table(path: Path, delimiter: str) -> Iterator[Entry]:
    text = read_text(path)
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    header: list[str] | None = None
    try:
        for row in reader:
            if header is None:
                header = [name.strip().lower() for name in row]
            elif row:
                yield _table_row(header, row, path, start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"not readable as a table ({error})", path=path, line=reader.line_num) from None


def _table_row(header: Sequence[str], row: Sequence[str], path: Path, line: int) -> Entry:
    if len(row) != len(header):
        raise DataError(f"{len(row)} fields where the header has {len(header)}", path=path, line=line)
    fields = dict(zip(header, row, strict=True))
    column = next((name for name in IDENTIFIERS if name in fields), None)
    guid = fields[column].strip() if column else None
    return Entry(guid or None, fields, path, line, is_table=True)


def _tagged(block: Block, path: Path) -> Entry:
    rows = []
    for line, row in block.rows:
        if row[1:2] != "\t":
            raise DataError(f"one character, a tab and a tag are expected, found {row!r}", path=path, line=line)
        rows.append((row[0], row[2:].strip()))
    characters, tags = zip(*rows, strict=True)
    fields = {"characters": list(characters), "tags": list(tags)}
    return Entry(block.guid, fields, path, block.line, is_block=True)


def _parsed(block: Block, path: Path) -> Entry:
    rows = [(line, row.split("\t")) for line, row in block.rows]
    for line, cells in rows:
        if len(cells) < 4:
            raise DataError(
                f"{len(cells)} columns; the first two are index and word, the last two head and label",
                path=path,
                line=line,
            )
    columns = {"words": 1, "heads": -2, "deprels": -1}
    fields = {name: [cells[at] for _, cells in rows] for name, at in columns.items()}
    return Entry(block.guid, fields, path, block.line, is_block=True)


_READ_BLOCK = {"ner": _tagged, "dp": _parsed}
