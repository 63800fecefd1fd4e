"""Reading predictions that were made elsewhere: CSV or JSON Lines with category, answer, pred and response."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.kmmlu.subjects import SUBJECTS, Subject, find_subject
from jatdae.benchmarks.multiple_choice import LETTERS, Question
from jatdae.benchmarks.sources import read_csv, read_json_array, read_json_lines, read_text
from jatdae.errors import DataError, RequestError, did_you_mean

_SUBJECT_FIELDS = ("category", "subject")
_KEYS = ("id", *_SUBJECT_FIELDS, "answer")
"""What must be spelled as the data spell it. A reply is read whatever its spelling."""
_NOT_OF_A_QUESTION = {*_SUBJECT_FIELDS, "answer", "pred", "response"}
_NEXT_OBJECT = re.compile(r"[\[\s,]*(?=\{)")
_NUMBERS = dict(zip("1234", LETTERS, strict=False))


@dataclass(frozen=True, slots=True)
class Prediction:
    """One row: the subject, the right letter, the letter that was logged (None: no answer) and the raw reply."""

    subject: Subject
    gold: str
    logged: str | None
    response: str | None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Predictions:
    """A file's rows with repeated ids merged, which columns it has, and what had to be decided.

    `repeated` counts the rows that equal an earlier one in every field, wherever it stands; `tells_apart` says whether
    the file has a field, such as an id, that different questions do not share.
    """

    rows: tuple[Prediction, ...]
    has_logged: bool
    has_response: bool
    duplicates: tuple[str, ...]
    gold_conflicts: int
    repeated: int = 0
    tells_apart: bool = False


def read_predictions(path: Path, known: Mapping[str, Question]) -> Predictions:
    """The rows of a file. `known` are the items by id, for rows without an answer and to check those that have one.

    Of rows with one id the last that holds an answer counts. Raises DataError that names the line and field, and
    RequestError when the file has neither predictions nor replies.
    """
    records = list(_records(path))
    if not records:
        raise DataError("no predictions in this file", path=path)
    columns = set().union(*(record for _, record in records))
    if not columns & {"pred", "response"}:
        raise RequestError(f"{path}: neither `pred` nor `response` is there; found: {', '.join(sorted(columns))}")
    rows, conflicts = [], 0
    for line, record in records:
        row, conflict = _row(record, path, line, known)
        rows.append(row)
        conflicts += conflict
    merged, duplicates = _merged(rows)
    return Predictions(
        rows=tuple(merged),
        has_logged="pred" in columns,
        has_response="response" in columns,
        duplicates=tuple(duplicates),
        gold_conflicts=conflicts,
        repeated=len(records) - len(Counter(tuple(sorted(record.items())) for _, record in records)),
        tells_apart=bool(columns - _NOT_OF_A_QUESTION),
    )


def _records(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    kind = path.suffix.lower()
    if kind not in (".json", ".jsonl", ".ndjson"):
        yield from read_csv(path, (), composed=_KEYS)
        return
    for number, record in _json_rows(path) if kind == ".json" else read_json_lines(path, composed=_KEYS):
        yield number, {key: "" if value is None else str(value) for key, value in record.items()}


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON array, or of a file with one object a line, each with the line where it begins."""
    text = read_text(path)
    if text.lstrip()[:1] in ("[", "{") and text.rstrip()[-1:] not in ("]", "}"):
        last = text.rstrip().count("\n") + 1
        raise DataError("not valid JSON: it ends too early; was the file cut off?", path=path, line=last)
    if _opens_with_an_object(text):
        yield from read_json_lines(path, composed=_KEYS)
        return
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = None
    if not (isinstance(whole, list) and all(isinstance(row, dict) for row in whole)):
        read_json_array(path)  # raises, and says where the file breaks or is cut off
    decoder, place, line = json.JSONDecoder(), 0, 1
    while found := _NEXT_OBJECT.match(text, place):
        row, end = decoder.raw_decode(text, found.end())
        yield line + text.count("\n", place, found.end()), row
        line, place = line + text.count("\n", place, end), end


def _opens_with_an_object(text: str) -> bool:
    """Whether the first line that is not blank is a JSON object by itself."""
    try:
        return isinstance(json.loads(text.strip().partition("\n")[0]), dict)
    except json.JSONDecodeError:
        return False


def _row(record: Mapping[str, str], path: Path, line: int, known: Mapping[str, Question]) -> tuple[Prediction, bool]:
    item = record.get("id", "").strip()
    question = known.get(item)
    subject = _subject(record, item, path, line)
    stated = letter_of(record.get("answer", ""))
    if stated is None and question is None:
        mend = "give the letter or number of the right option, or an `id` column and the data with --data"
        raise DataError(
            f"no right answer ({record.get('answer', '')!r})", path=path, line=line, field="answer", mend=mend
        )
    gold = question.letter if question else stated or ""
    conflict = bool(question and stated and stated != question.letter)
    logged = letter_of(record.get("pred", ""))
    return Prediction(subject, gold, logged, record.get("response"), item), conflict


def _subject(record: Mapping[str, str], item: str, path: Path, line: int) -> Subject:
    field = next((name for name in _SUBJECT_FIELDS if record.get(name, "").strip()), None)
    name = record[field] if field else item.partition("/")[0]
    subject = find_subject(name)
    if subject is None:
        hint = did_you_mean(name, [subject.slug for subject in SUBJECTS])
        raise DataError(f"{name!r} is no KMMLU subject", path=path, line=line, field=field or "category", mend=hint)
    return subject


def letter_of(text: str) -> str | None:
    """A logged letter A to D or number 1 to 4, in any case and with brackets or white space around; else None.

    A column of numbers in which some are missing is written by pandas as `1.0`, which counts as 1.
    """
    plain = re.sub(r"\.0+$", "", text.strip().strip("()").strip().upper())
    return _NUMBERS.get(plain, plain if plain in ("A", "B", "C", "D") else None)


def _merged(rows: Sequence[Prediction]) -> tuple[list[Prediction], list[str]]:
    kept: dict[str, Prediction] = {}
    duplicates: dict[str, None] = {}
    for number, row in enumerate(rows):
        key = f"id {row.id}" if row.id else f"row {number}"
        if key in kept:
            duplicates[row.id] = None
        if key not in kept or row.logged or (row.response or "").strip():
            kept[key] = row
    return list(kept.values()), list(duplicates)
