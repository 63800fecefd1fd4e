"""A negation project as the forms see it: the same rows, checks and log as the sheets.

One journal serves all requests and is not made for threads, so everything goes through one lock. Other processes may
write the log meanwhile; the journal's own lock and its catching up see to them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from jatdae.negation.construction.author_sheet import NEEDED, SheetRead, local_candidates, take_edits, version
from jatdae.negation.construction.checks import Problem, check_items
from jatdae.negation.construction.config import FILE, read_config
from jatdae.negation.construction.item import CONTENT, SENTENCES, STANDARD, Item
from jatdae.negation.construction.journal import Journal
from jatdae.negation.construction.project import LOG, Project
from jatdae.negation.construction.sheets import form_row
from jatdae.negation.construction.states import IN_WORK, State
from jatdae.negation.construction.verification import (
    BLIND,
    REVIEWED,
    answered_by,
    blind_row,
    may_verify,
    take_answers,
    take_reviews,
    waiting_for,
)

Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Opened:
    """An item as a form shows it, with the version that it was then and who changed it last."""

    item: Item
    version: str
    by: str
    candidates: Sequence[tuple[str, str]]


@dataclass
class NegationWork:
    """The work on one project. Every method opens the settings anew, so that new authors need no restart."""

    folder: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._journal = Journal(self.folder / LOG)

    @contextmanager
    def _project(self) -> Iterator[Project]:
        with self._lock:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            yield Project(self.folder, read_config(self.folder / FILE), self._journal, now)

    def authors(self) -> list[str]:
        with self._project() as project:
            return list(project.config.authors)

    def name(self) -> str:
        with self._project() as project:
            return project.config.name

    def states(self) -> dict[str, int]:
        """How many items are in each state that has any, in the order of the work."""
        with self._project() as project:
            counts = Counter(item.state for item in project.items())
        return {state.value: counts[state] for state in State if counts[state]}

    def in_work(self) -> list[Item]:
        with self._project() as project:
            return project.items(*IN_WORK)

    def waiting(self, person: str) -> list[Item]:
        """What the person may answer blind."""
        with self._project() as project:
            return waiting_for(project, person)

    def answered(self, person: str) -> list[Item]:
        """What the person may review."""
        with self._project() as project:
            return answered_by(project, person)

    def opened(self, idx: str) -> Opened:
        """One item for its author. Raises RequestError where there is none."""
        with self._project() as project:
            item = project.item(idx)
            hands = [event.by for event in project.journal.events() if event.item == idx]
            return Opened(item, version(item), hands[-1] if hands else "", local_candidates(item))

    def is_blind_for(self, item: Item, person: str) -> bool:
        """Whether the item still waits for the person's blind answer, which seeing its key would spoil."""
        return may_verify(item, person) and not item["answer"]

    def remarks(self, idx: str, cells: Cells) -> list[Problem]:
        """What the checks say of an item as it is typed. Raises RequestError for an unknown item."""
        with self._project() as project:
            stored = project.item(idx)
            others = project.kept()
            values = {name: cells.get(name, "") for name in CONTENT}
            typed = {name: text if name in SENTENCES else text.strip() for name, text in values.items()}
            item = Item(idx, {**stored.values, **typed})
            return check_items([item], others) if item[STANDARD] else _started(item, others)

    def save(self, cells: Cells, person: str) -> SheetRead:
        """Take over an author's form. Raises RequestError or DataError as the sheet does."""
        with self._project() as project:
            person = project.config.check_person(person)
            return take_edits(project, [form_row(cells, NEEDED)], person)

    def blind(self, idx: str, person: str) -> Cells:
        """An item as the person sees it before answering. Raises RequestError where there is none."""
        with self._project() as project:
            return blind_row(project.item(idx), person)

    def answer(self, cells: Cells, person: str) -> None:
        """Take over a blind answer. Raises RequestError or DataError as the sheet does."""
        with self._project() as project:
            take_answers(project, [form_row(cells, BLIND)], project.config.check_person(person))

    def review(self, cells: Cells, person: str) -> None:
        """Take over a review. Raises RequestError or DataError as the sheet does."""
        with self._project() as project:
            take_reviews(project, [form_row(cells, REVIEWED)], project.config.check_person(person))


def _started(item: Item, others: Sequence[Item]) -> list[Problem]:
    """The remarks on an item that has no negation yet: that fields are still empty is no news then."""
    return [problem for problem in check_items([item], others) if item[problem.field]]
