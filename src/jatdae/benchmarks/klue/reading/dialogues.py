"""Reading dialogues and the ontology of their states."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jatdae.benchmarks.klue.labels import SLOTS
from jatdae.benchmarks.klue.reading.rows import Row, read_json
from jatdae.benchmarks.klue.records import Dialogue, Turn
from jatdae.errors import DataError, did_you_mean

ROLES = ("user", "sys")


def dialogue(row: Row) -> Dialogue:
    """A dialogue of a release file or the hub, whose system turns have an empty state. Raises DataError."""
    turns = tuple(_turn(turn) for turn in row.inners("dialogue"))
    if not any(turn.role == "user" for turn in turns):
        raise row.fault("there is no turn of the user", "dialogue")
    return Dialogue(row.text("guid"), row.texts("domains"), turns)


def _turn(row: Row) -> Turn:
    role, text = row.text("role"), row.string("text")
    if role not in ROLES:
        raise row.fault(f"unknown role {role!r}", "role", did_you_mean(role, ROLES))
    if role == "user":
        return Turn(role, text, tuple(_pair(row, item) for item in row.texts("state")))
    if row.values.get("state"):
        raise row.fault("only the user's turns have a state", "state")
    return Turn(role, text)


def _pair(row: Row, item: str) -> tuple[str, str]:
    slot, value = split_item(item)
    if not value:
        raise row.fault(f"{item!r} is not domain-slot-value", "state")
    if slot not in SLOTS:
        raise row.fault(f"{item!r}: unknown slot {slot!r}", "state", did_you_mean(slot, SLOTS))
    return slot, value


def split_item(item: str) -> tuple[str, str]:
    """Slot (`domain-slot`) and value of a state item; the value may hold hyphens. "" for what is missing.

    >>> split_item("식당-예약 시간-18:00-19:00")
    ('식당-예약 시간', '18:00-19:00')
    """
    domain, _, rest = item.partition("-")
    slot, _, value = rest.partition("-")
    return f"{domain}-{slot}", value


def read_ontology(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Slot to candidate values of an `ontology.json`. Real states hold values that it does not list.

    Raises DataError for another structure.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise DataError("an object of slots is expected", path=path, line=1)
    row = Row.of(content, path, 1)
    return {slot: row.texts(slot) for slot in content}
