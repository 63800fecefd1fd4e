"""What people say of stored outputs: sets of units to look at, and one row for each answer, never changed.

A unit has a body, which is what raters see, and a secret, which says who wrote it; the two are read by different calls,
so that what is shown cannot hold the secret by mistake. Of several answers of a rater to a unit the latest counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jatdae.errors import RequestError, did_you_mean
from jatdae.store.records import column_text, to_json
from jatdae.store.store import Store

SetKind = Literal["rubric", "pairs"]


@dataclass(frozen=True, slots=True)
class AnnotationSet:
    """A set of units. `settings` is what its maker wants to know again, among it the seed of all orders."""

    id: int
    name: str
    kind: SetKind
    settings: Mapping[str, Any]
    created: str


@dataclass(frozen=True, slots=True)
class NewUnit:
    """A unit to be stored: its opaque name, what is shown, and who wrote it."""

    unit: str
    body: Mapping[str, Any]
    secret: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One answer. `id` grows with time over all sets; `created` is ISO 8601 in UTC."""

    id: int
    unit: str
    rater: str
    value: Mapping[str, Any]
    created: str


_SELECT_SETS = "SELECT id, name, kind, settings, created FROM annotation_sets"


class Annotations:
    """The annotation tables of a store. Every method raises StoreError when the file fails it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, name: str, kind: SetKind, settings: Mapping[str, Any], units: Sequence[NewUnit]) -> AnnotationSet:
        """Store a set with its units, all or nothing. Raises RequestError when the name is taken."""
        told = to_json(settings, what="settings")
        rows = [(one.unit, to_json(one.body, what=one.unit), to_json(one.secret, what=one.unit)) for one in units]
        with self._store.writing() as connection:
            if connection.execute("SELECT 1 FROM annotation_sets WHERE name = ?", (name,)).fetchone():
                raise RequestError(f"a set named {name!r} is there already; choose another name")
            cursor = connection.execute(
                "INSERT INTO annotation_sets (name, kind, settings, created) VALUES (?, ?, ?, ?)",
                (name, kind, told, self._store.now()),
            )
            connection.executemany(
                "INSERT INTO annotation_units (set_id, unit, position, body, secret) VALUES (?, ?, ?, ?, ?)",
                [(cursor.lastrowid, unit, place, body, secret) for place, (unit, body, secret) in enumerate(rows)],
            )
        return self.set(name)

    def sets(self) -> list[AnnotationSet]:
        """All sets, the newest first."""
        return [_set(row) for row in self._store.read(f"{_SELECT_SETS} ORDER BY id DESC")]

    def set(self, name: str) -> AnnotationSet:
        """One set by its name. Raises RequestError when there is none."""
        for row in self._store.read(f"{_SELECT_SETS} WHERE name = ?", (column_text(name),)):
            return _set(row)
        known = [one.name for one in self.sets()]
        hint = did_you_mean(name, known) if known else "make one with: jatdae annotate create"
        raise RequestError(f"{self._store.file} has no annotation set {name!r}; {hint}")

    def unit_names(self, set_id: int) -> list[str]:
        """The names of a set's units in the order in which they were stored."""
        query = "SELECT unit FROM annotation_units WHERE set_id = ? ORDER BY position"
        return [unit for (unit,) in self._store.read(query, (set_id,))]

    def body(self, set_id: int, unit: str) -> Mapping[str, Any]:
        """What is shown of a unit. Raises RequestError when the set has no such unit."""
        query = "SELECT body FROM annotation_units WHERE set_id = ? AND unit = ?"
        for (text,) in self._store.read(query, (set_id, column_text(unit))):
            return json.loads(text)
        raise RequestError(f"the set has no unit {unit[:40]!r}")

    def secrets(self, set_id: int) -> dict[str, Mapping[str, Any]]:
        """Who wrote what, by unit. Nothing of it may reach a rater."""
        query = "SELECT unit, secret FROM annotation_units WHERE set_id = ? ORDER BY position"
        return {unit: json.loads(secret) for unit, secret in self._store.read(query, (set_id,))}

    def say(self, set_id: int, unit: str, rater: str, value: Mapping[str, Any]) -> int:
        """Add an answer, in one transaction of its own; returns its id. The unit must be one of the set's."""
        row = (set_id, column_text(unit), column_text(rater), to_json(value, what="answer"), self._store.now())
        with self._store.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO annotations (set_id, unit, rater, value, created) VALUES (?, ?, ?, ?, ?)", row
            )
            assert cursor.lastrowid is not None  # noqa: S101 - an INSERT that did not raise has made a row
            return cursor.lastrowid

    def latest(self, set_id: int, rater: str | None = None) -> list[Annotation]:
        """The answers that count: of each rater (or of one) the latest to each unit, in the order they were given."""
        rows = self._store.read(
            "SELECT id, unit, rater, value, created FROM annotations WHERE id IN (SELECT max(id) FROM annotations"
            " WHERE set_id = ?1 AND (?2 IS NULL OR rater = ?2) GROUP BY rater, unit) ORDER BY id",
            (set_id, None if rater is None else column_text(rater)),
        )
        return [_annotation(row) for row in rows]

    def history(self, set_id: int) -> list[Annotation]:
        """Every answer that was ever given, in order."""
        query = "SELECT id, unit, rater, value, created FROM annotations WHERE set_id = ? ORDER BY id"
        rows = self._store.read(query, (set_id,))
        return [_annotation(row) for row in rows]

    def done_by_rater(self, set_id: int) -> dict[str, int]:
        """How many units each rater has answered, names in order."""
        query = "SELECT rater, count(DISTINCT unit) FROM annotations WHERE set_id = ? GROUP BY rater ORDER BY rater"
        return dict(self._store.read(query, (set_id,)))

    def raters(self) -> list[str]:
        """Everybody who has answered anything in this store, by name."""
        return [rater for (rater,) in self._store.read("SELECT DISTINCT rater FROM annotations ORDER BY rater")]

    def last_id(self, set_id: int) -> int:
        """The id of the newest answer, 0 before the first: tells whether something that was computed is still true."""
        return self._store.read("SELECT coalesce(max(id), 0) FROM annotations WHERE set_id = ?", (set_id,))[0][0]


def _set(row: tuple[Any, ...]) -> AnnotationSet:
    identity, name, kind, settings, created = row
    return AnnotationSet(identity, name, kind, json.loads(settings), created)


def _annotation(row: tuple[Any, ...]) -> Annotation:
    identity, unit, rater, value, created = row
    return Annotation(identity, unit, rater, json.loads(value), created)
