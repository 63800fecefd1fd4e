"""A project folder: its settings, its log, its answers, its sheets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError, did_you_mean
from jatdae.negation.construction.config import FILE, TEMPLATE, ProjectConfig, read_config
from jatdae.negation.construction.item import Item
from jatdae.negation.construction.journal import Journal
from jatdae.negation.construction.states import State

LOG, SHEETS, STORE = "events.jsonl", "sheets", "store"


@dataclass(frozen=True, slots=True)
class Project:
    """`time` is the present, ISO 8601; every change that is made through this object bears it."""

    folder: Path
    config: ProjectConfig
    journal: Journal
    time: str

    @classmethod
    def open(cls, folder: Path, time: str) -> Project:
        """Raises RequestError or DataError where there is no project or its settings are wrong."""
        return cls(folder, read_config(folder / FILE), Journal(folder / LOG), time)

    @property
    def store(self) -> Path:
        """The folder of the models' answers."""
        return self.folder / STORE

    def items(self, *states: State) -> list[Item]:
        """The items in these states, or all of them, in the order of the released table."""
        chosen = [item for item in self.journal.items.values() if not states or item.state in states]
        return sorted(chosen, key=lambda item: item.order)

    def kept(self) -> list[Item]:
        """All items but those that were dropped."""
        return self.items(*(state for state in State if state is not State.DROPPED))

    def item(self, idx: str) -> Item:
        """One item. Raises RequestError where there is none."""
        items: Mapping[str, Item] = self.journal.items
        if idx not in items:
            raise RequestError(f"the project has no item {idx!r}; {did_you_mean(idx, items)}")
        return items[idx]

    def new_sheets(self, kind: str) -> Path:
        """The next free name for a sheet, without its ending: an earlier one, which may be worked on, stays."""
        folder = self.folder / SHEETS
        taken = [int(found[1]) for name in _names(folder) if (found := re.match(rf"{re.escape(kind)}-(\d+)\.", name))]
        return folder / f"{kind}-{max(taken, default=0) + 1:03d}"


def create(folder: Path, name: str | None) -> Path:
    """Begin a project: write its settings file. Raises RequestError where there is one, or the name cannot be one."""
    path = folder / FILE
    if path.exists():
        raise RequestError(f"{path} is there already; edit it")
    name = name or folder.absolute().name
    if not re.fullmatch(r"[\w.\-]{1,80}", name):
        raise RequestError(f"{name!r}: letters, digits, dots and hyphens are expected: init NAME")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(TEMPLATE.format(name=name), encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{path} cannot be written ({error.strerror})") from None
    return path


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []
