"""Records to JSON text and back, exactly.

* Numbers keep every bit (JSON spells a float by its shortest exact form); NaN and infinity are refused.
* Tuples inside `Sample.detail` come back as lists, and mappings as dictionaries in the same order.
* Text may hold anything a model can emit. A lone surrogate is spelled as a JSON escape and survives; a high one before
  a low one comes back as the character that the two spell. Requests are kept as bytes, so there both survive.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

from jatdae.errors import StoreError
from jatdae.types import (
    Answer,
    Completion,
    Estimate,
    Generate,
    Message,
    OptionScore,
    Outcome,
    Prompt,
    Protocol,
    Request,
    Result,
    Sample,
    Sampling,
    Score,
    Scores,
    request_json,
)

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def column_text(text: str) -> str:
    """Text that SQLite can hold in a column of its own: a lone surrogate becomes its escape, such as `\\udc80`."""
    return _SURROGATE.sub(_escape, text)


def to_json(value: object, *, what: str) -> str:
    """JSON of records, mappings, lists and plain values. Raises StoreError, naming `what` and the field, for others."""
    text = json.dumps(_plain(value, what), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _SURROGATE.sub(_escape, text)


def encode_request(request: Request) -> bytes:
    """The canonical text of a request, compressed."""
    return zlib.compress(request_json(request).encode("utf-8", "surrogatepass"))


def decode_request(data: bytes) -> Request:
    """Raises StoreError for bytes that are no request."""
    with _damage("request"):
        raw = json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
        if raw.pop("kind") == "Score":
            return Score(_prompt(raw["context"]), tuple(raw["options"]))
        return Generate(**raw | {"prompt": _prompt(raw["prompt"]), "sampling": _sampling(raw["sampling"])})


def encode_answer(answer: Answer) -> str:
    """An answer with the name of its kind."""
    return to_json({"kind": type(answer).__name__, **_plain(answer, "answer")}, what="answer")


def decode_answer(text: str) -> Answer:
    """Raises StoreError for text that is no answer."""
    with _damage("answer"):
        raw = json.loads(text)
        if raw.pop("kind") == "Scores":
            return Scores(**raw | {"options": tuple(OptionScore(**option) for option in raw["options"])})
        return Completion(**raw)


def encode_sample(sample: Sample) -> str:
    """Raises StoreError when a score or a detail is not a plain finite value."""
    return to_json(sample, what=f"sample {sample.item!r}")


def decode_sample(text: str) -> Sample:
    """Raises StoreError for text that is no sample."""
    with _damage("sample"):
        raw = json.loads(text)
        return Sample(**raw | {"outcome": Outcome(raw["outcome"]), "requests": tuple(raw["requests"])})


def encode_protocol(protocol: Protocol) -> str:
    """Raises StoreError when an option is not a plain value."""
    return to_json(protocol, what="protocol")


def decode_protocol(text: str) -> Protocol:
    """Raises StoreError for text that is no protocol."""
    with _damage("protocol"):
        return _protocol(json.loads(text))


def encode_result(result: Result) -> str:
    """Raises StoreError when an estimate is not finite."""
    return to_json(result, what=f"result of {result.task}")


def decode_result(text: str) -> Result:
    """Raises StoreError for text that is no result."""
    with _damage("result"):
        raw = json.loads(text)
        rebuilt = {
            "protocol": _protocol(raw["protocol"]),
            "breakdown": {name: _estimates(group) for name, group in raw["breakdown"].items()},
            "notes": tuple(raw["notes"]),
            **{name: _estimates(raw[name]) for name in ("estimates", "rates", "floors")},
        }
        return Result(**raw | rebuilt)


def _estimates(raw: Mapping[str, dict[str, Any]]) -> dict[str, Estimate]:
    return {name: Estimate(**estimate) for name, estimate in raw.items()}


def _protocol(raw: dict[str, Any]) -> Protocol:
    return Protocol(**raw | {"seeds": tuple(raw["seeds"]), "sampling": _sampling(raw["sampling"])})


def _sampling(raw: dict[str, Any]) -> Sampling:
    changed: dict[str, Any] = {"stop": tuple(raw["stop"])}
    return Sampling(**raw | changed)


def _prompt(raw: str | list[dict[str, Any]]) -> Prompt:
    return raw if isinstance(raw, str) else tuple(Message(**message) for message in raw)


@contextmanager
def _damage(what: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error) as error:
        raise StoreError(f"a stored {what} is damaged or of a newer Jatdae: {error!r}") from error


def _plain(value: object, where: str) -> Any:
    """The value in JSON's own types. A key that is not text is refused; the json module would quietly rename it."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise StoreError(f"{where} is {value}; the store keeps finite numbers only, use None for a missing one")
        return value
    if isinstance(value, list | tuple):
        return [_plain(entry, f"{where}[{index}]") for index, entry in enumerate(value)]
    if isinstance(value, Mapping):
        return {_text_key(name, where): _plain(entry, f"{where}, {name}") for name, entry in value.items()}
    if is_dataclass(value):
        return {entry.name: _plain(getattr(value, entry.name), f"{where}, {entry.name}") for entry in fields(value)}
    raise StoreError(
        f"{where} is a {type(value).__name__}; the store keeps text, numbers, booleans, lists and mappings"
    )


def _text_key(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise StoreError(f"{where} has the key {name!r}; the store keeps mappings whose keys are text")
    return name


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
