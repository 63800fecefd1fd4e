"""One line of a project's log: who changed which fields of an item, when, from what to what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.errors import DataError
from jatdae.negation.construction.item import CONTENT, KNOWN, STATE, Item, is_id
from jatdae.negation.construction.states import IN_WORK, State, may_follow

MACHINE = "jatdae:"
"""What the name of everybody begins with who is not a person: steps of the program, and models."""
Change = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """A change of one item. `changes` maps a field to its old and its new value, "" standing for nothing.

    `note` is what a reader may want to know besides: for a model's text the store's key of what was asked.
    """

    time: str
    by: str
    item: str
    changes: Mapping[str, Change]
    note: str = ""

    @property
    def is_by_person(self) -> bool:
        return not self.by.startswith(MACHINE)

    def line(self) -> str:
        """The event as JSON, without a line's end; whatever UTF-8 cannot hold is spelled as an escape."""
        told = {"time": self.time, "by": self.by, "item": self.item, "changes": self.changes, "note": self.note}
        text = json.dumps(told, ensure_ascii=False, separators=(", ", ": "))
        return "".join(sign if not "\ud800" <= sign <= "\udfff" else f"\\u{ord(sign):04x}" for sign in text)


def parse_event(line: bytes, path: Path, number: int) -> Event:
    """Read a line of the log. Raises DataError with line and field."""
    try:
        raw = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise DataError("not a line of JSON", path=path, line=number, mend="take the log from a backup") from None
    if not isinstance(raw, dict):
        raise DataError("an object is expected", path=path, line=number)
    told = [raw.get(name) for name in ("time", "by", "item", "note")]
    if not all(isinstance(value, str) for value in told):
        raise DataError("time, by, item and note have to be texts", path=path, line=number)
    if not is_id(raw["item"]):
        raise DataError(f"{raw['item']!r} is no id", path=path, line=number, field="item")
    return Event(raw["time"], raw["by"], raw["item"], _changes(raw.get("changes"), path, number), raw["note"])


def _changes(raw: Any, path: Path, number: int) -> dict[str, Change]:
    if not isinstance(raw, dict):
        raise DataError("an object is expected", path=path, line=number, field="changes")
    changes: dict[str, Change] = {}
    for name, pair in raw.items():
        if name not in KNOWN:
            raise DataError("this field is not known", path=path, line=number, field=name)
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(value, str) for value in pair)):
            raise DataError("an old and a new text are expected", path=path, line=number, field=name)
        changes[name] = (pair[0], pair[1])
    return changes


def applied(event: Event, items: Mapping[str, Item], path: Path, number: int) -> Item:
    """The item after the event. Raises DataError where the log contradicts itself."""
    item = items.get(event.item)
    values = dict(item.values) if item else {}
    for name, (old, new) in event.changes.items():
        if values.get(name, "") != old:
            raise DataError(
                "the old value is not the one that the log has until here", path=path, line=number, field=name
            )
        values[name] = new
    _check_state(event, values, path, number)
    people = item.people if item else frozenset()
    return Item(event.item, values, people | {event.by} if _is_authoring(event) else people)


def _is_authoring(event: Event) -> bool:
    """Whether a person has written something or accepted a draft as it is."""
    accepts = event.changes.get(STATE, ("", ""))[1] in {state.value for state in IN_WORK}
    return event.is_by_person and (accepts or any(name in CONTENT for name in event.changes))


def _check_state(event: Event, values: Mapping[str, str], path: Path, number: int) -> None:
    known = {state.value for state in State}
    if values.get(STATE) not in known:
        raise DataError(f"{values.get(STATE, '')!r} is no state", path=path, line=number, field=STATE)
    old, new = event.changes.get(STATE, ("", values[STATE]))
    if old and not may_follow(State(old), State(new)):
        raise DataError(f"an item cannot go from {old} to {new}", path=path, line=number, field=STATE)
