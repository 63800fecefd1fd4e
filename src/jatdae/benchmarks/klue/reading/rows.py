"""One row of outside data with its place, so that whatever is wrong with it is named by file, line and field."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, did_you_mean

_ITEMS = re.compile(r'\s*(?:\{.*?"data"\s*:\s*)?\[', re.DOTALL)
"""Up to the first item of a file: of its array, or of the array `data` of its object."""


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a JSON file or of the hub. `prefix` is the path to it inside its item, such as `answers[0].`."""

    values: Mapping[str, Any]
    path: Path | str
    position: int
    guid: str = ""
    prefix: str = ""
    from_hub: bool = False

    @classmethod
    def of(cls, values: object, path: Path | str, number: int, *, from_hub: bool = False) -> Row:
        """The item of a number, from 1. Raises DataError for what is no object."""
        if not isinstance(values, Mapping):
            line = cls({}, path, number, from_hub=from_hub)._line()
            raise DataError(f"item {number} is not an object but {_shown(values)}", path=path, line=line)
        guid = values.get("guid")
        return cls(values, path, number, guid if isinstance(guid, str) else "", from_hub=from_hub)

    def fault(self, what: str, field: str, mend: str = "") -> DataError:
        """The error that says what is wrong with a field of this row."""
        named = f"item {self.position}" + (f" ({self.guid})" if self.guid else "")
        return DataError(f"{named}: {what}", path=self.path, line=self._line(), field=self.prefix + field, mend=mend)

    def _line(self) -> int | None:
        """Where the item's identifier stands, or where the item starts if it has none."""
        if self.from_hub:
            return None
        text = read_text(Path(self.path))
        start = _start_of_item(text, self.position)
        place = text.find(json.dumps(self.guid, ensure_ascii=False), start) if self.guid else start
        return text.count("\n", 0, max(place, start)) + 1

    def value(self, field: str) -> Any:
        """A field of any kind. Raises DataError where the row does not have it."""
        if field not in self.values:
            raise self.fault("this column is missing", field, f"found: {', '.join(map(str, self.values))}")
        return self.values[field]

    def string(self, field: str) -> str:
        """A field that holds text, which may be blank. Raises DataError."""
        value = self.value(field)
        if not isinstance(value, str):
            raise self.fault(f"text is expected, found {_shown(value)}", field)
        return value

    def text(self, field: str) -> str:
        """A field that holds text with something in it. Raises DataError."""
        value = self.string(field)
        if not value.strip():
            raise self.fault("the text is empty", field)
        return value

    def optional_text(self, field: str) -> str | None:
        """A field that may be absent, null or empty, which all give None. Raises DataError for another kind."""
        if self.values.get(field) is None:
            return None
        return self.string(field) or None

    def integer(self, field: str) -> int:
        """A field that holds a whole number. Raises DataError."""
        value = self.value(field)
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise self.fault(f"a whole number is expected, found {_shown(value)}", field)
        return int(value)

    def bounded(self, field: str, low: float, high: float) -> float:
        """A field that holds a number from `low` to `high`. Raises DataError."""
        value = self.value(field)
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise self.fault(f"a number is expected, found {_shown(value)}", field)
        number = float(value)
        if not low <= number <= high:
            raise self.fault(f"{value} is outside {low:g} to {high:g}", field)
        return number

    def truth(self, field: str) -> bool:
        """A field that holds true or false. Raises DataError."""
        value = self.value(field)
        if not isinstance(value, bool):
            raise self.fault(f"true or false is expected, found {_shown(value)}", field)
        return value

    def listed(self, field: str) -> Sequence[Any]:
        """A field that holds a list. Raises DataError."""
        value = self.value(field)
        if not isinstance(value, list | tuple):
            raise self.fault(f"a list is expected, found {_shown(value)}", field)
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        """A field that holds a list of texts. Raises DataError."""
        values = self.listed(field)
        for value in values:
            if not isinstance(value, str):
                raise self.fault(f"texts are expected, found {_shown(value)}", field)
        return tuple(values)

    def integers(self, field: str) -> tuple[int, ...]:
        """A field that holds a list of whole numbers. Raises DataError."""
        values = self.listed(field)
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise self.fault(f"whole numbers are expected, found {_shown(value)}", field)
        return tuple(int(value) for value in values)

    def inner(self, field: str) -> Row:
        """A field that holds an object. Raises DataError."""
        return self._below(self.value(field), field)

    def inners(self, field: str) -> list[Row]:
        """A field that holds a list of objects. Raises DataError."""
        return [self._below(value, f"{field}[{number}]") for number, value in enumerate(self.listed(field))]

    def _below(self, value: object, field: str) -> Row:
        if not isinstance(value, Mapping):
            raise self.fault(f"an object is expected, found {_shown(value)}", field)
        return replace(self, values=value, prefix=f"{self.prefix}{field}.")

    def label(self, field: str, names: Sequence[str]) -> str:
        """A label's name: as such in a release file; on the hub also as a number, whose order is that of `names`.

        Raises DataError for an unknown name, a number outside the list, and any number in a release file.
        """
        return self.as_label(self.value(field), field, names)

    def as_label(self, value: object, field: str, names: Sequence[str]) -> str:
        """`label` for a value that stands in a list."""
        if isinstance(value, str):
            if value not in names:
                raise self.fault(f"unknown label {value!r}", field, did_you_mean(value, names))
            return value
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise self.fault(f"a label is expected, found {_shown(value)}", field)
        if not self.from_hub:
            raise self.fault(
                f"label {value} is a number where a name is expected",
                field,
                "write the label's name: hub and release number their labels differently",
            )
        if not 0 <= int(value) < len(names):
            raise self.fault(f"label {value} is outside 0 to {len(names) - 1}", field)
        return names[int(value)]


def _start_of_item(text: str, number: int) -> int:
    """The offset of an item, from 1, in valid JSON: an array, or an object with an array `data`; 0 in anything else."""
    opening = _ITEMS.match(text)
    if opening is None:
        return 0
    decode, place, start = json.JSONDecoder().raw_decode, opening.end(), 0
    for _ in range(number):
        while text[place] in " \t\r\n,":
            place += 1
        start = place
        _, place = decode(text, start)
    return start


def line_of_text(path: Path, value: str, occurrence: int) -> int | None:
    """The line on which a text stands in a JSON file for the so manieth time, from 1; None where it does not."""
    text, quoted, place = read_text(path), json.dumps(value, ensure_ascii=False), -1
    for _ in range(occurrence):
        place = text.find(quoted, place + 1)
        if place < 0:
            return None
    return text.count("\n", 0, place) + 1


def read_json(path: Path) -> Any:
    """A JSON file's content. Raises DataError with the line where it breaks."""
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "it ends too early; was the download cut off?" if cut else error.msg
        raise DataError(f"not valid JSON: {what}", path=path, line=error.lineno) from None


def read_rows(path: Path) -> Iterator[Row]:
    """The items of a JSON file that holds an array of objects. Raises DataError."""
    content = read_json(path)
    if not isinstance(content, list):
        raise DataError("an array of objects is expected", path=path, line=1)
    return (Row.of(values, path, number) for number, values in enumerate(content, 1))


def _shown(value: object, most: int = 60) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= most else text[:most] + "..."
