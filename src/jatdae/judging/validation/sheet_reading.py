"""Scored sheets back in: CSV, JSON and JSONL as people and spreadsheets leave them, checked line by line."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.errors import DataError
from jatdae.judging.validation.blind_sheet import NOT_APPLICABLE, KeyEntry, neutralised
from jatdae.judging.validation.human_scores import (
    HumanScore,
    Place,
    Rating,
    SampleKey,
    merge_ratings,
    read_score,
)

_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,6})?", re.ASCII)
_HANGUL = re.compile("[가-힣]")
_NO_CRITERIA = ("id", "track", "prompt", "response", "overall", "rater_id", "at", "comment")
_KEY_FIELDS = ("id", "item", "variant", "model", "index", "track", "criteria", "text_hash")


@dataclass(frozen=True, slots=True)
class ReadRatings:
    """What the sheets hold. `unrated` counts rows without any score, `encodings` the files that were not UTF-8."""

    scores: Mapping[SampleKey, HumanScore]
    unrated: int
    encodings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Row:
    """A sheet's row before its checks: the scores as they stand in the file, blank ones left out."""

    place: Place
    id: Any
    rater: Any
    overall: Any
    criteria: Mapping[str, Any]
    at: Any


def read_ratings(paths: Sequence[Path], key: Mapping[str, KeyEntry]) -> ReadRatings:
    """Read the sheets of one or more raters and merge what they say about each response.

    A row without an overall score but with all criteria gets their weighted mean. Raises DataError with file, line and
    field: an unknown id, a score that is none or outside 0 to 10, a criterion that does not apply, a row without a
    rater, a rater who scored a response twice, an encoding that is neither UTF-8 nor cp949.
    """
    ratings: dict[str, dict[str, Rating]] = defaultdict(dict)
    encodings: dict[str, str] = {}
    unrated = 0
    for path in paths:
        text, encoding = _text(path)
        if encoding != "UTF-8":
            encodings[str(path)] = encoding
        for row in _rows(path, text):
            name = _known_id(row, key)
            rating = _rating(row, key[name])
            if rating is None:
                unrated += 1
            elif rating.rater in ratings[name]:
                raise row.place.fault(f"{rating.rater!r} scored {name} before; one row each is needed", "id")
            else:
                ratings[name][rating.rater] = rating
    merged = {key[name].sample: merge_ratings(tuple(given.values())) for name, given in ratings.items() if given}
    return ReadRatings(merged, unrated, encodings)


def read_key(path: Path) -> dict[str, KeyEntry]:
    """The key that was written with a sheet. Raises DataError with file, line and field."""
    entries: dict[str, KeyEntry] = {}
    for place, row in _json_lines(path, _text(path)[0]):
        name = str(row.get("id"))
        missing = [one for one in _KEY_FIELDS if one not in row]
        if missing or not isinstance(row["criteria"], dict) or not isinstance(row["index"], int):
            raise place.fault("not an entry of a key", missing[0] if missing else "criteria", "take the file as it was")
        if name in entries:
            raise place.fault(f"{name} occurs twice", "id")
        sample = SampleKey(str(row["item"]), str(row["variant"]), str(row["model"]), row["index"])
        weights = {criterion: _weight(weight, place) for criterion, weight in row["criteria"].items()}
        entries[name] = KeyEntry(sample, row["track"], weights, str(row["text_hash"]))
    return entries


def _weight(value: Any, place: Place) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise place.fault("a weight is no number", "criteria", "take the file as it was")
    return float(value)


def _known_id(row: _Row, key: Mapping[str, KeyEntry]) -> str:
    if not isinstance(row.id, str) or row.id not in key:
        raise row.place.fault(f"{str(row.id)[:40]!r} is not in the key", "id", "use the key written with this sheet")
    return row.id


def _rating(row: _Row, entry: KeyEntry) -> Rating | None:
    criteria: dict[str, float] = {}
    for name, value in row.criteria.items():
        if name not in entry.criteria:
            raise row.place.fault("does not apply to this row", name, f"leave it blank or {NOT_APPLICABLE}")
        criteria[name] = read_score(_as_number(value), row.place, name)
    overall = None if row.overall is None else read_score(_as_number(row.overall), row.place, "overall")
    if overall is None and not criteria:
        return None
    if not isinstance(row.rater, str) or not row.rater.strip():
        raise row.place.fault("a scored row has no rater", "rater_id", "give each rater a short name")
    if row.at is not None and not isinstance(row.at, str):
        raise row.place.fault("a time in text is needed", "at")
    if overall is None and set(criteria) == set(entry.criteria):
        overall = sum(criteria[name] * weight for name, weight in entry.criteria.items()) / sum(entry.criteria.values())
    return Rating(row.rater.strip(), overall, criteria, row.at)


def _as_number(value: Any) -> Any:
    """A cell's number; full-width digits count. Text that is no plain number stays text and is refused later."""
    if isinstance(value, str):
        plain = unicodedata.normalize("NFKC", value).strip()
        return float(plain) if _NUMBER.fullmatch(plain) else value
    return value


def _rows(path: Path, text: str) -> Iterator[_Row]:
    if path.suffix.lower() == ".csv":
        yield from _csv_rows(path, text)
        return
    for place, row in _json_lines(path, text):
        criteria = row.get("criteria") or {}
        if not isinstance(criteria, dict):
            raise place.fault("an object of scores is needed", "criteria")
        given = {name: value for name, value in criteria.items() if not _is_blank(value)}
        overall = None if _is_blank(row.get("overall")) else row["overall"]
        yield _Row(place, row.get("id"), row.get("rater_id"), overall, given, row.get("at"))


def _csv_rows(path: Path, text: str) -> Iterator[_Row]:
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = [_without_apostrophe(cell.strip()) for cell in _next(reader, path) or []]
    names = _criterion_columns(path, header)
    while True:
        place = Place(path, reader.line_num + 1)
        cells = _next(reader, path)
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise DataError(f"{len(cells)} cells under {len(header)} columns", path=path, line=place.line)
        row = dict(zip(header, cells, strict=True))
        given = {name: row[name] for name in names if not _is_blank(row[name])}
        overall = None if _is_blank(row["overall"]) else row["overall"]
        yield _Row(
            place, row["id"].strip(), _without_apostrophe(row["rater_id"]), overall, given, row.get("at") or None
        )


def _next(reader: Iterator[list[str]], path: Path) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        line = getattr(reader, "line_num", None)
        raise DataError(f"not CSV ({error})", path=path, line=line, mend="save it again as CSV UTF-8") from None


def _criterion_columns(path: Path, header: Sequence[str]) -> list[str]:
    for name in ("id", "overall", "rater_id"):
        if name not in header:
            raise DataError("the column is missing", path=path, line=1, field=name, mend="keep the sheet's first line")
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise DataError("the column occurs twice", path=path, line=1, field=twice[0])
    return [name for name in header if name not in _NO_CRITERIA]


def _without_apostrophe(cell: str) -> str:
    """A cell as it was before it was made harmless."""
    return cell[1:] if cell.startswith("'") and neutralised(cell[1:]) == cell else cell


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", NOT_APPLICABLE))


def _json_lines(path: Path, text: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a JSONL file, or of a JSON file that is one list, with their places."""
    if path.suffix.lower() == ".json":
        rows = _parsed(text, Place(path))
        if not isinstance(rows, list):
            raise DataError("a list of objects is needed", path=path)
        parsed = [(Place(f"{path}, entry {number}"), row) for number, row in enumerate(rows, 1)]
    else:
        lines = text.split("\n")
        places = [(Place(path, number), line) for number, line in enumerate(lines, 1) if line.strip()]
        parsed = [(place, _parsed(line, place)) for place, line in places]
    for place, row in parsed:
        if not isinstance(row, dict):
            raise place.fault("an object is needed", "id")
        yield place, row


def _parsed(text: str, place: Place) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON ({str(error)[:80]})", path=place.path, line=place.line) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a field occurs twice in one object")
    return table


def _refused(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _text(path: Path) -> tuple[str, str]:
    """The file's text and the name of its encoding: UTF-8 (a byte-order mark is dropped), or cp949 with Hangul."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    try:
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("cp949", "replace")
        if "\ufffd" not in text and _HANGUL.search(text):
            return text, "cp949"
    what = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "neither UTF-8 nor cp949"
    raise DataError(f"the encoding is {what}", path=path, line=line, mend="save it again as CSV UTF-8")
