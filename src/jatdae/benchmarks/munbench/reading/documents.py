"""JSON files read strictly: UTF-8, no key twice in an object, no NaN, no text that cannot be written again.

The `json` module keeps the last of two equal keys and accepts NaN; a benchmark whose item has two prompts is not one
that two people can agree on.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError

MAX_DEPTH = 40
_DECOMPOSED = re.compile("[\u1100-\u1112][\u1161-\u1175]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: str) -> tuple[Any, list[str]]:
    """A JSON text's value, and what is wrong with it although it can be parsed, in order.

    Raises ValueError (JSONDecodeError where a place is known) for what is no JSON or is nested beyond all reason.
    """
    faults: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for key, value in pairs:
            if key in record:
                faults.append(f"the key {key!r} occurs twice in one object{_named(dict(pairs))}")
            record[key] = value
        return record

    def number(literal: str) -> float:
        value = float(literal)
        if not math.isfinite(value):
            faults.append(f"{literal[:20]} is not a number that JSON has")
        return value

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_float=number, parse_constant=number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise ValueError("nested too deeply")
    return value, faults


def _named(record: Mapping[str, Any]) -> str:
    return f" (item {record['id']})" if isinstance(record.get("id"), str) else ""


def _depth_exceeds(value: Any, limit: int) -> bool:
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if not isinstance(part, dict | list):
            continue
        if depth > limit:
            return True
        waiting.extend((child, depth + 1) for child in (part.values() if isinstance(part, dict) else part))
    return False


def texts_in(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a value and every key, each with its place, such as `criteria[2].name_ko`."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from texts_in(child, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, child in value.items():
            yield place, key
            yield from texts_in(child, f"{place}.{key}" if place else key)


def read_document(path: Path) -> Any:
    """A file's value. Raises DataError at the first fault that prevents its use.

    A byte-order mark is dropped. Refused besides what is no JSON: a key twice in an object, NaN and infinities, a lone
    surrogate (it cannot be written again), Hangul stored as separate letters (no model reads it as words).
    """
    if not path.is_file():
        raise DataError("this file is missing", path=path)
    try:
        value, faults = parse_json(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"not valid JSON: {error.msg}", path=path, line=error.lineno) from None
    except ValueError as error:
        raise DataError(f"not valid JSON: {error}", path=path) from None
    if faults:
        raise DataError(faults[0], path=path)
    _check_texts(value, path)
    return value


def _check_texts(value: Any, path: Path) -> None:
    for place, text in texts_in(value):
        if _SURROGATE.search(text):
            raise DataError("half a surrogate pair, which is no character", path=path, field=place or None)
        if _DECOMPOSED.search(text):
            raise DataError(
                "Hangul is stored as separate letters (NFD), which no model reads as words",
                path=path,
                field=_label(value, place),
                mend="convert the file to NFC",
            )


def _label(value: Any, place: str) -> str | None:
    """The place with the item's id where the place is inside a list of items."""
    match = re.match(r"\[(\d+)\]\.?(.*)", place)
    if match is None:
        return place or None
    record = value[int(match[1])]
    name = record.get("id") if isinstance(record, dict) else None
    return f"{name or f'item {int(match[1]) + 1}'}: {match[2]}"


def documents_hash(documents: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of files by relative name: indifferent to their order and formatting."""
    canonical = json.dumps(documents, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
