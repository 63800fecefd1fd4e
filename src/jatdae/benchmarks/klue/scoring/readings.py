"""What a single prediction says: a label, a number, a text, a dialogue state, probabilities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.klue.labels import HUB_LABELS, LABELS, RELATIONS
from jatdae.benchmarks.klue.scoring.entries import Entry, shown
from jatdae.errors import RequestError, did_you_mean

ORDERS = {"official": LABELS, "hub": HUB_LABELS}
PROBABILITIES = ("probs", "probabilities", "scores")

_NUMBER = re.compile(r"[+-]?\d+(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class LabelNames:
    """The labels of a task, and whose order numbers follow; without an order a number is an error.

    Two common sources number the labels of some tasks differently, so that a number alone never says what is meant.
    """

    names: tuple[str, ...]
    order: tuple[str, ...] | None = None

    @classmethod
    def of(cls, task: str, order: str | None) -> LabelNames:
        """The labels of a task. Raises RequestError for an unknown order."""
        if order is not None and order not in ORDERS:
            raise RequestError(f"--label-order {order!r} is not known; {did_you_mean(order, ORDERS)}")
        return cls(LABELS.get(task, ()), ORDERS[order][task] if order and task in LABELS else None)

    def read(self, value: object, entry: Entry, field: str, *, below: int = 0) -> str | None:
        """A label's name as it is written, white space around it aside; None for null and blank text.

        A name outside the list is kept, to be counted. Raises DataError for a number without an order, or beyond it.
        """
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        number = _whole(value)
        if number is None:
            if not isinstance(value, str):
                raise entry.fault(f"a label's name is expected, found {shown(value)}", field, below=below)
            return value.strip()
        if self.order is None:
            raise entry.fault(
                f"label {number} is a number where a name such as {self.names[0]!r} is expected",
                field,
                "write names, or say by --label-order official|hub whose order the numbers follow",
                below=below,
            )
        if not 0 <= number < len(self.order):
            raise entry.fault(f"label {number} is outside 0 to {len(self.order) - 1}", field, below=below)
        return self.order[number]


def _whole(value: object) -> int | None:
    """A whole number, also as text and as tables write a column of them in which some are missing (`3.0`)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return int(float(value))
    return None


def read_number(entry: Entry, field: str) -> float | None:
    """A number, None where there is none. Raises DataError."""
    value = entry.value(field)
    if value is None:
        return None
    try:
        return float(value) if not isinstance(value, bool) else float(str(value))
    except (TypeError, ValueError):
        raise entry.fault(f"a number is expected, found {shown(value)}", field) from None


def read_text_answer(entry: Entry, field: str) -> str | None:
    """An answer as it is written, the empty text being one; None for null. Raises DataError."""
    value = entry.fields.get(field)
    if value is None or isinstance(value, str):
        return value
    raise entry.fault(f"text is expected, found {shown(value)}", field)


def read_state(entry: Entry, field: str) -> list[str] | None:
    """A dialogue state: a list of `domain-slot-value`, or an object of slots, in which `none` is no entry.

    Raises DataError.
    """
    value = entry.structure(field)
    if isinstance(value, Mapping):
        return [
            f"{slot}-{_text(filler, entry, field)}" for slot, filler in value.items() if filler not in (None, "none")
        ]
    if value is not None and not isinstance(value, list):
        raise entry.fault(f"a list of domain-slot-value is expected, found {shown(value)}", field)
    return None if value is None else [_text(item, entry, field) for item in value]


def _text(value: object, entry: Entry, field: str) -> str:
    if not isinstance(value, str):
        raise entry.fault(f"text is expected, found {shown(value)}", field)
    return value


def has_probabilities(entries: Sequence[Entry]) -> bool:
    """Whether a file gives probabilities of all relations: in columns named after them, or as lists."""
    there = {name for entry in entries for name in entry.fields}
    return set(RELATIONS) <= there or not there.isdisjoint(PROBABILITIES)


def read_probabilities(entry: Entry) -> list[float] | None:
    """A number for each relation, in the official order; None where the entry has none. Raises DataError."""
    if all(name in entry.fields for name in RELATIONS):
        numbers = [read_number(entry, name) for name in RELATIONS]
        return None if None in numbers else [number for number in numbers if number is not None]
    field = next((name for name in PROBABILITIES if entry.value(name) is not None), None)
    if field is None:
        return None
    value = entry.structure(field)
    if isinstance(value, Mapping):
        value = [value.get(name) for name in RELATIONS]
    numbers = [float(x) for x in value if isinstance(x, int | float)] if isinstance(value, list) else []
    if len(numbers) != len(RELATIONS):
        what = f"{len(RELATIONS)} numbers in the order of the relations are expected, found {shown(value)}"
        raise entry.fault(what, field)
    return numbers
