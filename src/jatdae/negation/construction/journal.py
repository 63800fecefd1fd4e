"""A project's log: the one source of truth. Lines are only ever appended; what they add up to is the present state.

Any number of processes may read and write it. A writer holds the file's lock, reads what others have added meanwhile,
and appends whole lines. A line that a crash has cut off was never acknowledged: readers pass over it and the next
writer removes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from jatdae.errors import JatdaeError
from jatdae.negation.construction.events import Event, applied, parse_event
from jatdae.negation.construction.item import STATE, Item
from jatdae.negation.construction.locking import PATIENCE, locked
from jatdae.negation.construction.states import State, check_step

_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


class Journal:
    """The log of one project. `items` is up to date when it is asked for."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self.path = path
        self._patience = patience
        self._items: dict[str, Item] = {}
        self._read_to = self._lines = 0

    @property
    def items(self) -> Mapping[str, Item]:
        """All items by id, in the order in which they came in. Raises DataError for a damaged log."""
        self._catch_up()
        return self._items

    def events(self) -> Iterator[Event]:
        """The log from its beginning."""
        for number, line in enumerate(self._whole_lines(0)[0], 1):
            yield parse_event(line, self.path, number)

    @contextmanager
    def writing(self, by: str, time: str) -> Iterator[Draft]:
        """Changes by somebody at a time (ISO 8601), appended together when the block ends without an error.

        No one else writes meanwhile, so what the block sees stays true until it ends. Raises JatdaeError when the
        file cannot be written.
        """
        with locked(self.path, self._patience):
            self._catch_up()
            draft = Draft(self._items, by, time)
            yield draft
            self._append(draft.events)
            self._catch_up()

    def _catch_up(self) -> None:
        lines, self._read_to = self._whole_lines(self._read_to)
        for line in lines:
            self._lines += 1
            event = parse_event(line, self.path, self._lines)
            self._items[event.item] = applied(event, self._items, self.path, self._lines)

    def _whole_lines(self, start: int) -> tuple[list[bytes], int]:
        """The lines that end after `start`, and where the last one ends."""
        try:
            with self.path.open("rb") as stream:
                stream.seek(start)
                data = stream.read()
        except FileNotFoundError:
            return [], start
        except OSError as error:
            raise JatdaeError(f"{self.path} cannot be read ({error.strerror})") from None
        whole = data[: data.rfind(b"\n") + 1]
        return whole.split(b"\n")[:-1], start + len(whole)

    def _append(self, events: list[Event]) -> None:
        if not events:
            return
        data = "".join(event.line() + "\n" for event in events).encode()
        try:
            file = os.open(self.path, _APPENDING, 0o644)
            try:
                if os.fstat(file).st_size > self._read_to:
                    os.ftruncate(file, self._read_to)
                while data:
                    data = data[os.write(file, data) :]
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise JatdaeError(f"{self.path} cannot be written ({error.strerror}); check its folder and space") from None


class Draft:
    """Changes that are not in the log yet; `items` shows them as if they were."""

    def __init__(self, items: Mapping[str, Item], by: str, time: str) -> None:
        self.items = dict(items)
        self.events: list[Event] = []
        self._by, self._time = by, time

    def change(self, idx: str, values: Mapping[str, str], state: State | None = None, note: str = "") -> bool:
        """Give an item new values and perhaps a state; says whether that changes anything. A new id makes a new item.

        Raises RequestError where the state cannot follow the item's.
        """
        item = self.items.get(idx)
        wanted = {**values, **({STATE: state.value} if state else {})}
        now = item.values if item else {}
        changes = {name: (now.get(name, ""), new) for name, new in wanted.items() if now.get(name, "") != new}
        if not changes:
            return False
        if item is not None and STATE in changes:
            check_step(idx, item.state, State(changes[STATE][1]))
        event = Event(self._time, self._by, idx, changes, note)
        self.items[idx] = applied(event, self.items, Path("the change"), len(self.events) + 1)
        self.events.append(event)
        return True
