"""Where a task's files are, and how they are read: UTF-8 only, faults named by file, line and field.

Files are looked for in the folder that the user names (`--data`), else in `JATDAE_DATA`, else in the cache that
`jatdae data pull` fills. The word `mini` stands for the items that come with Jatdae.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.errors import DataError, RequestError

MINI = "mini"
_DECOMPOSED = re.compile("[\u1100-\u1112][\u1161-\u1175]")


def cache_folder() -> Path:
    """The folder for downloaded data: `JATDAE_CACHE`, else the user's cache."""
    given = os.environ.get("JATDAE_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "jatdae"


@dataclass(frozen=True, slots=True)
class Source:
    """A place that holds data: the bundled items, or a folder."""

    folder: Path | None
    """None means the bundled items."""

    @classmethod
    def of(cls, data: str | Path | None) -> Source:
        """Read the user's choice. Raises RequestError for a folder that does not exist."""
        if data is not None and str(data) == MINI:
            return cls(None)
        folder = Path(data) if data is not None else Path(os.environ.get("JATDAE_DATA") or cache_folder() / "data")
        if data is not None and not folder.exists():
            raise RequestError(f"--data {data}: no such folder; give a folder, or the word {MINI}")
        return cls(folder)

    def find(self, benchmark: str, names: Sequence[str], layouts: Sequence[str] = (), mend: str = "") -> Path:
        """The folder in which at least one of the file names lies.

        Looked at, in order: the folder itself, then each of `layouts` (paths inside the upstream's repository), then
        the same below a folder with the benchmark's name. Raises RequestError that says how to get the data: `mend`,
        or by `jatdae data pull`.
        """
        if self.folder is None:
            return Path(__file__).parent / benchmark / "mini"
        roots = [self.folder, self.folder / benchmark]
        for place in [root / layout for root in roots for layout in ("", *layouts)]:
            if any((place / name).is_file() for name in names):
                return place
        pull = f"fetch it with `jatdae data pull {benchmark}`, name its folder with --data, or try --data {MINI}"
        raise RequestError(f"no {benchmark} data in {self.folder} (looked for {names[0]} and the like); {mend or pull}")


def read_text(path: Path) -> str:
    """A UTF-8 file's text; a byte-order mark is dropped. Raises DataError that names the encoding it finds instead."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if error.reason == "unexpected end of data":
            raise DataError("ends inside a character; was the download cut off?", path=path, line=line) from None
        guess = _encoding_of(data)
        what = f"not UTF-8 but {guess}" if guess else f"not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})"
        raise DataError(what, path=path, line=line, mend="save it again as UTF-8") from None


def _encoding_of(data: bytes) -> str | None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16"
    try:
        text = data.decode("cp949")
    except UnicodeDecodeError:
        return None
    return "cp949" if re.search("[가-힣]", text) else None


def read_csv(
    path: Path, required: Sequence[str], *, composed: Container[str] | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a CSV file with a header, each with its line number; columns are read by name, values stay text.

    Blank lines are skipped. `composed` are the columns in which decomposed Hangul is refused; None means all of them.
    Raises DataError for a missing column and for a row with too few or too many fields.
    """
    text = read_text(path)
    _allow_fields_of(len(text))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = (row for row in reader if len(row) > 1 or "".join(row).strip())
    try:
        header = next(rows, [])
        for name in required:
            if name not in header:
                raise DataError(
                    "this column is missing", path=path, line=1, field=name, mend=f"found: {', '.join(header)}"
                )
        for row in rows:
            if len(row) != len(header):
                raise DataError(
                    f"{len(row)} fields where the header has {len(header)}", path=path, line=reader.line_num
                )
            record = dict(zip(header, row, strict=True))
            _check_composed(record, path, reader.line_num, composed=composed)
            yield reader.line_num, record
    except csv.Error as error:
        raise DataError(f"not readable as CSV ({error})", path=path, line=reader.line_num) from None


def _allow_fields_of(characters: int) -> None:
    """Let the csv module read a field of this length; it stops at 131,072 by itself. The limit is only ever raised."""
    if characters > csv.field_size_limit():
        csv.field_size_limit(characters)


def read_json_lines(path: Path, *, composed: Container[str] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a file that holds one a line, each with its line number; blank lines are skipped.

    Only a line feed ends a line: JSON allows the other separators of Unicode inside its strings. `composed` as in
    `read_csv`. Raises DataError with the line that is no JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"not valid JSON: {error.msg}", path=path, line=number) from None
        if not isinstance(row, dict):
            raise DataError("one JSON object a line is expected", path=path, line=number)
        _check_composed(row, path, number, composed=composed)
        yield number, row


def read_json_array(path: Path) -> list[dict[str, Any]]:
    """A JSON file that holds an array of objects. Raises DataError with the line where it breaks."""
    text = read_text(path)
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        cut = "it ends too early; was the download cut off?" if _is_cut(error, text) else error.msg
        raise DataError(f"not valid JSON: {cut}", path=path, line=error.lineno) from None
    if not isinstance(rows, list):
        raise DataError("an array of objects is expected", path=path, line=1)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise DataError(f"item {number} is not an object", path=path)
        _check_composed(row, path, None, where=f"item {number}, ")
    return rows


def _is_cut(error: json.JSONDecodeError, text: str) -> bool:
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")


def _check_composed(
    record: dict[str, Any], path: Path, line: int | None, *, composed: Container[str] | None = None, where: str = ""
) -> None:
    for name, value in record.items():
        checked = composed is None or name in composed
        if checked and isinstance(value, str) and _DECOMPOSED.search(value):
            raise DataError(
                f"{where}Hangul is stored as separate letters (NFD), which no model reads as words",
                path=path,
                line=line,
                field=name,
                mend="convert the file to NFC",
            )


def files_hash(paths: Sequence[Path]) -> str:
    """SHA-256 over the files' names and bytes, in the order of their names."""
    sha = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.name):
        content = path.read_bytes()
        sha.update(f"{path.name}\0{len(content)}\0".encode())
        sha.update(content)
    return sha.hexdigest()
