"""Typed access to the fields of a JSON object, which says file, item and field where one is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from jatdae.errors import DataError, did_you_mean


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a file. `name` is its id or its place in the file, for messages."""

    record: Mapping[str, Any]
    path: Path
    name: str

    @classmethod
    def of(cls, value: Any, path: Path, name: str) -> Row:
        """Raises DataError for what is not an object."""
        if not isinstance(value, dict):
            raise DataError(f"{name}: an object is expected", path=path)
        return cls(value, path, name)

    def fail(self, field: str | None, what: str, mend: str = "") -> NoReturn:
        """Raise DataError about one field of this object."""
        raise DataError(f"{self.name}: {what}", path=self.path, field=field, mend=mend)

    def text(self, field: str) -> str:
        """A string that is not blank."""
        value = self.optional(field)
        if value is None:
            self.fail(field, "is blank" if field in self.record else "is missing")
        return value

    def optional(self, field: str) -> str | None:
        """A string; None where it is absent, null or blank."""
        value = self.record.get(field)
        if value is None:
            return None
        if not isinstance(value, str):
            self.fail(field, f"must be a string, not {value!r:.60}")
        return value if value.strip() else None

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of strings; absent, null or blank means none. Blank strings in it are dropped."""
        value = self.record.get(field)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self.fail(field, "must be a list of strings")
        return tuple(part for part in value if part.strip())

    def either(self, field: str, separator: str | None = None) -> tuple[str, ...]:
        """A string or a list of strings, as a tuple. A lone string is cut at `separator`, where one is given."""
        value = self.record.get(field)
        if not isinstance(value, str):
            return self.texts(field)
        parts = value.split(separator) if separator else [value]
        return tuple(part.strip() if separator else part for part in parts if part.strip())

    def choice(self, field: str, known: Iterable[str], default: str | None = None) -> str:
        """A string out of `known`. Raises DataError with the nearest known word."""
        value = self.text(field) if default is None else self.optional(field) or default
        if value not in known:
            self.fail(field, f"unknown value {value!r:.60}", did_you_mean(value, known))
        return value

    def number(self, field: str) -> float:
        """A finite number."""
        value = self.record.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.fail(field, "must be a finite number" if field in self.record else "is missing")
        return float(value)

    def whole(self, field: str) -> int | None:
        """A whole number of at least 0; None where it is absent or null."""
        value = self.record.get(field)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            self.fail(field, "must be a whole number of at least 0, or null")
        return value


def rows_of(value: Any, path: Path, what: str) -> list[Row]:
    """The objects of a list, named by their ids. Raises DataError for anything but a list of objects."""
    if not isinstance(value, list):
        raise DataError(f"a list of {what} is expected", path=path)
    return [Row.of(part, path, _name(part, what, number)) for number, part in enumerate(value, 1)]


def _name(part: Any, what: str, number: int) -> str:
    given = part.get("id") if isinstance(part, dict) else None
    return given if isinstance(given, str) and given.strip() and given.isprintable() else f"{what} {number}"


def entries_of(value: Any, path: Path) -> list[tuple[str, Any]]:
    """The members of an object. Raises DataError for anything else."""
    if not isinstance(value, dict):
        raise DataError("an object is expected", path=path)
    return list(value.items())
