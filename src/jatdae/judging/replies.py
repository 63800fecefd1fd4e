"""JSON out of a judge's reply: exactly one distinct usable object, or a reason why there is none.

A judge that drafts one object and ends with another has not decided; a judge that quotes a contestant's JSON has not
spoken. Neither is guessed at. Source: judging specification, section 3.5, which goes beyond "the last object counts".
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from jatdae.korean.reasoning import visible_text

Reading = TypeVar("Reading")

_OBJECT_START = re.compile(r"""\{(?=\s{0,200}["'}])""")
_SIGNS = re.compile(r"""\\.|["'{}]""", re.DOTALL)
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why nothing was read, in a word for counting.

    `none`: no object that fits; `several`: two that differ; `cut`: the reply ends inside an object or its reasoning;
    `quoted`: only a contestant's own words; `not_a_number`, `out_of_range`, `hundred_scale`, `conflicting` and
    `not_a_verdict`: a value that cannot be taken.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class _Found:
    source: str
    value: dict[str, Any]


def _without_conflicts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Python's reader keeps the last of two equal keys; a judge that gives two values has not decided."""
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read and json.dumps(read[key]) != json.dumps(value):
            raise ValueError(f"the key {key!r} has two values")
        read.setdefault(key, value)
    return read


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_without_conflicts, parse_constant=_refuse)


def _decoded(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The object at `start` and where it ends; None if it is not strict JSON or nested beyond reason."""
    try:
        return _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _end_of_broken(text: str, start: int) -> int | None:
    """Where something that was meant as an object ends, by its braces outside quotes; None if it never does."""
    depth, quote = 0, ""
    for sign in _SIGNS.finditer(text, start):
        mark = sign[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                return sign.end()
    return None


def _scan(text: str) -> Iterator[_Found | None]:
    """The outermost objects in order; a broken one is passed over whole, and None says that one never ended."""
    place = 0
    while start := _OBJECT_START.search(text, place):
        decoded = _decoded(text, start.start())
        if decoded is not None:
            value, place = decoded
            yield _Found(text[start.start() : place], value)
            continue
        end = _end_of_broken(text, start.start())
        if end is None:
            yield None
            return
        place = end


def is_one_object(text: str) -> bool:
    """True if the whole text is one strict JSON object and nothing else, blanks apart."""
    stripped = text.strip()
    decoded = _decoded(stripped, 0) if stripped.startswith("{") else None
    return decoded is not None and decoded[1] == len(stripped)


def _spoken(reply: str) -> str | None:
    """The reply after its reasoning. In a reply that is one object, a tag of reasoning can only be a quotation."""
    return reply if is_one_object(reply) else visible_text(reply)


def _squeezed(text: str) -> str:
    return _BLANK.sub("", unicodedata.normalize("NFC", text))


class _Contestants:
    """Knows whether an object is a contestant's: the same signs, blanks apart, or the same JSON value."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [_squeezed(text) for text in texts]
        self._values = [found.value for text in texts for found in _scan(text) if found]

    def wrote(self, found: _Found) -> bool:
        source = _squeezed(found.source)
        return found.value in self._values or any(source in text for text in self._texts)


def sole(
    reply: str,
    read: Callable[[dict[str, Any]], Reading | Unusable],
    texts: Sequence[str] = (),
    whole: Callable[[Reading], bool] = lambda _: True,
) -> Reading | Unusable:
    """What the reply's one object says, as `read` understands it; equal readings count as one.

    `texts` are what contestants wrote: an object out of them never counts. Where some readings are `whole`, the others
    are left aside. Never raises, whatever the reply holds.
    """
    visible = _spoken(reply)
    if visible is None:
        return Unusable("cut")
    scanned = list(_scan(visible))
    contestants = _Contestants(texts)
    own = [found for found in scanned if found and not contestants.wrote(found)]
    outcomes = [read(found.value) for found in own]
    readings = [outcome for outcome in outcomes if not isinstance(outcome, Unusable)]
    readings = [reading for reading in readings if whole(reading)] or readings
    if not readings:
        return _reason(scanned, outcomes, quoted=sum(1 for found in scanned if found) > len(own))
    if None in scanned:
        return Unusable("cut")  # an object after it was begun and may have said something else
    return readings[-1] if all(reading == readings[0] for reading in readings) else Unusable("several")


def _reason(scanned: Sequence[_Found | None], outcomes: Sequence[object], *, quoted: bool) -> Unusable:
    """The most telling reason: what was wrong with a value, then a cut, then a quotation."""
    for outcome in reversed(outcomes):
        if isinstance(outcome, Unusable) and outcome.reason != "none":
            return outcome
    if None in scanned:
        return Unusable("cut")
    return Unusable("quoted" if quoted else "none")
