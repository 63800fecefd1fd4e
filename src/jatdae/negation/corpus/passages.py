"""The corpus as a stream of passages: text, JSON lines and Parquet files, folders of them, and datasets of a hub."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from jatdae.errors import DataError, RequestError
from jatdae.negation.corpus.hub import HUB, hub_rows
from jatdae.negation.corpus.settings import PART

ENDINGS = (".txt", ".jsonl", ".txt.gz", ".jsonl.gz", ".parquet")
LONGEST_LINE = 64 * 2**20
"""Bytes of one JSON line; a longer one is refused rather than held in memory."""
_BATCH = 256
"""Rows of a Parquet row group that are decoded at once."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file or a dataset, and the name that stands for it in ids: never where it lies on this machine."""

    name: str
    path: Path | None
    dataset: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of the corpus, or a part of one that is longer than `PART`; `number` is its line or row, from 1."""

    file: str
    number: int
    text: str


def find_places(paths: Sequence[str], *, offline: bool) -> list[Place]:
    """All files and datasets in a fixed order: as given, folders by the names in them.

    Raises RequestError for a path that is not there, of a kind that cannot be read, or that needs a network offline.
    """
    places = [place for path in paths for place in _places_of(path, offline=offline)]
    taken: dict[str, int] = {}
    unique = []
    for place in places:
        taken[place.name] = count = taken.get(place.name, 0) + 1
        unique.append(place if count == 1 else Place(f"{place.name}~{count}", place.path, place.dataset))
    if any(place.path is not None and place.path.suffix == ".parquet" for place in unique):
        _check_parquet()
    return unique


def _places_of(text: str, *, offline: bool) -> list[Place]:
    if text.startswith(HUB):
        if offline:
            raise RequestError(f"{text}: a dataset of a hub needs the network; leave --offline away, or name its files")
        return [Place(text.removeprefix(HUB).strip("/").rpartition("/")[2], None, text.removeprefix(HUB))]
    path = Path(text)
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith(ENDINGS))
        if not found:
            raise RequestError(f"{text}: no file in this folder ends in {', '.join(ENDINGS)}")
        return [Place(file.relative_to(path).as_posix(), file) for file in found]
    if not path.is_file():
        raise RequestError(f"{text}: no such file; give files, folders, or {HUB}NAME for a dataset of a hub")
    if not path.name.endswith(ENDINGS):
        raise RequestError(f"{text}: this kind of file is not read; one of {', '.join(ENDINGS)} is needed")
    return [Place(path.name, path)]


def _check_parquet() -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise RequestError("Parquet files need a package: pip install 'jatdae[study]'")


def read_passages(places: Sequence[Place], field: str) -> Iterator[Passage]:
    """The passages one by one; those without text are left out. `field` names the text's in JSON lines and tables.

    Raises DataError with file, line and field for what is not UTF-8, not JSON, or has no text in the field.
    """
    for place in places:
        for number, text in _rows(place, field):
            if text.strip():
                for part in _parts(text):
                    yield Passage(place.name, number, part)


def _rows(place: Place, field: str) -> Iterator[tuple[int, str]]:
    if place.path is None:
        return hub_rows(place.dataset, field)
    if place.path.suffix == ".parquet":
        return _parquet(place.path, field)
    if place.path.name.removesuffix(".gz").endswith(".jsonl"):
        return _json_lines(place.path, field)
    return _text_lines(place.path)


def _parts(text: str) -> Iterator[str]:
    """The text in parts of at most `PART` characters, cut at white space where there is any."""
    start = 0
    while len(text) - start > PART:
        end = start + PART
        space = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
        end = space if space > start else end
        yield text[start:end]
        start = end
    yield text[start:]


def _text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a text file; one that is longer than memory should hold comes in several parts."""
    number, rest = 1, b""
    for piece in _pieces(path, PART):
        whole = rest + piece
        if whole.endswith(b"\n"):
            yield number, _decoded(whole, path, number)
            number, rest = number + 1, b""
        elif len(piece) == PART:
            cut = _clean_cut(whole)
            yield number, _decoded(whole[:cut], path, number)
            rest = whole[cut:]
        else:
            rest = whole
    if rest:
        yield number, _decoded(rest, path, number)


def _clean_cut(data: bytes) -> int:
    """Where a part may end: after the last space, else before the last character, which may be incomplete."""
    space = data.rfind(b" ")
    if space > 0:
        return space + 1
    cut = len(data) - 1
    while cut > len(data) - 4 and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def _json_lines(path: Path, field: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_pieces(path, LONGEST_LINE), 1):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise DataError("a line of more than 64 MiB", path=path.name, line=number, mend="one text a line is needed")
        text = _decoded(line, path, number)
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise DataError(f"not valid JSON: {what}", path=path.name, line=number) from None
        if not isinstance(row, dict):
            raise DataError("one JSON object a line is expected", path=path.name, line=number)
        yield number, _text_of(row, field, path.name, number)


def _text_of(row: dict[str, Any], field: str, name: str, number: int) -> str:
    if field not in row:
        found = ", ".join(sorted(map(str, row))[:8]) or "none"
        raise DataError("this field is missing", path=name, line=number, field=field, mend=f"--field; found: {found}")
    text = row[field]
    if text is not None and not isinstance(text, str):
        raise DataError(f"not a text but {type(text).__name__}", path=name, line=number, field=field)
    return text or ""


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    """Lines with their line feed, in pieces of at most `size` bytes. Raises DataError for what cannot be read."""
    try:
        with cast("IO[bytes]", gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as stream:
            yield from iter(lambda: stream.readline(size), b"")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be read ({error})", path=path.name) from None


def _decoded(data: bytes, path: Path, number: int) -> str:
    try:
        return data.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        what = f"not UTF-8 (byte 0x{data[error.start]:02x})"
        raise DataError(what, path=path.name, line=number, mend="save it again as UTF-8") from None


def _parquet(path: Path, field: str) -> Iterator[tuple[int, str]]:
    """Rows of a Parquet file, a few hundred of a row group at a time."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as table:
            if field not in table.schema_arrow.names:
                found = ", ".join(table.schema_arrow.names[:8])
                raise DataError("this column is missing", path=path.name, field=field, mend=f"--field; found: {found}")
            number = 0
            for batch in table.iter_batches(_BATCH, columns=[field], use_threads=False):
                for text in batch.column(0).to_pylist():
                    number += 1
                    yield number, _text_of({field: text}, field, path.name, number)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"not readable as Parquet ({str(error).splitlines()[0]})", path=path.name) from None
