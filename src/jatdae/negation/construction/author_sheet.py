"""The author's sheet: every item in work, as a row that an author corrects, fills in and decides on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.korean.negating import negate_locally
from jatdae.negation.construction.checks import Problem, check_items, check_spelling
from jatdae.negation.construction.item import (
    ANSWER,
    CONTENT,
    CONTRADICTION,
    LOCAL,
    OPTIONS,
    ORIGINAL,
    PARAPHRASE,
    REASON,
    SENTENCES,
    STANDARD,
    STATE,
    VERIFIER,
    Item,
)
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.sheets import Row, read_sheet, write_sheet
from jatdae.negation.construction.states import IN_WORK, State
from jatdae.types import canonical, digest

DONE, DROP = "done", "drop"
DECISION = "decision"
_SHOWN = ("id", STATE, "first_sentence", "second_sentence")
_AIDS = ("local_candidates", "remarks", "version")
COLUMNS = (*_SHOWN, *CONTENT, DECISION, REASON, *_AIDS)
NEEDED = ("id", *CONTENT, DECISION, REASON, "version")
_LACKING_OPTIONS = (State.DRAFTED, State.MERGED)


def write_author_sheet(project: Project) -> list[Path]:
    """The items in work, with what the checks say of them and other local negations. Raises RequestError for none."""
    items = project.items(*IN_WORK)
    if not items:
        raise RequestError("no item is in work; make some with the steps units and merge, or add")
    problems = check_items([item for item in items if item[STANDARD]], project.kept())
    told: dict[str, list[str]] = {}
    for problem in problems:
        told.setdefault(problem.item, []).append(f"{problem.field}: {problem.text}")
    rows = [_row(item, told.get(item.idx, [])) for item in items]
    return write_sheet(project.new_sheets("author"), COLUMNS, rows)


def _row(item: Item, remarks: list[str]) -> dict[str, str]:
    shown = {name: item[name] for name in (*_SHOWN[1:], *CONTENT)}
    aids = {"local_candidates": _candidates(item), "remarks": "; ".join(remarks), "version": version(item)}
    return {"id": item.idx, **shown, **aids}


def _candidates(item: Item) -> str:
    """The other local negations that the rules know, once there is one to choose."""
    if item.state in _LACKING_OPTIONS:
        return ""
    return " | ".join(f"[{clause}] {text}" for clause, text in local_candidates(item))


def local_candidates(item: Item) -> list[tuple[str, str]]:
    """Other local negations that the rules know: the clause's label and the sentence."""
    found = negate_locally(item[ORIGINAL]) if item[ORIGINAL] else []
    return [(each.clause.value, each.text) for each in found if each.text != item[LOCAL]]


def version(item: Item) -> str:
    """Tells whether an item's content or state is still what a sheet shows."""
    return digest(item[STATE], canonical({name: item[name] for name in CONTENT}))[:12]


@dataclass(frozen=True, slots=True)
class Edit:
    """What a row does to an item, which was `item` when the row was read."""

    item: Item
    values: Mapping[str, str]
    state: State | None


@dataclass(frozen=True, slots=True)
class SheetRead:
    """How many items came into each state, how many were edited without a decision, and the warnings."""

    states: Mapping[str, int]
    saved: int
    warnings: tuple[Problem, ...]


def read_author_sheet(project: Project, path: Path, person: str) -> SheetRead:
    """Take over a sheet's edits, all or none. Rows without a decision keep their state; rows may lack.

    Raises DataError with line and column for a row that cannot be taken.
    """
    return take_edits(project, read_sheet(path, NEEDED), person)


def take_edits(project: Project, rows: Sequence[Row], person: str) -> SheetRead:
    """Take over the edits of rows, from a sheet or a form, all or none. Raises DataError with the column at fault.

    For a row that was written when the item was another, that column is "version".
    """
    snapshot = dict(project.journal.items)
    edits = [edit for row in rows if (edit := _edit(row, snapshot))]
    warnings = _checked(edits, rows, snapshot)
    places = _places(rows)
    with project.journal.writing(person, project.time) as draft:
        for edit in edits:
            if draft.items[edit.item.idx].values != edit.item.values:
                row = places[edit.item.idx]
                raise row.fault("version", f"item {edit.item.idx} has been changed meanwhile", "read the sheet again")
            draft.change(edit.item.idx, edit.values, edit.state)
    states = Counter(edit.state.value for edit in edits if edit.state)
    return SheetRead(dict(states), sum(edit.state is None for edit in edits), warnings)


def _edit(row: Row, items: Mapping[str, Item]) -> Edit | None:
    """What the row does; None where it does nothing. Raises DataError."""
    item = items.get(row["id"].strip())
    if item is None:
        raise row.fault("id", f"no item {row['id'][:40]!r} in this project")
    decision = row.word(DECISION, (DONE, DROP))
    values = {name: row[name] if name in SENTENCES else row[name].strip() for name in CONTENT}
    changed = {name: value for name, value in values.items() if value != item[name]}
    if not changed and not decision:
        return None
    if row["version"].strip() != version(item):
        if not changed or (decision == DROP and item.state is State.DROPPED):
            return None  # the row has been read before
        raise row.fault("version", "the item has changed since the sheet was written", "write a new sheet")
    if item.state not in IN_WORK:
        raise row.fault("id", f"the item is {item.state.value} and no longer edited on this sheet")
    if decision == DROP:
        return Edit(item, {REASON: _reason(row)}, State.DROPPED)
    if changed:
        changed |= {VERIFIER: "", ANSWER: ""}
    return Edit(item, changed, _next_state(row, item, values) if decision else None)


def _reason(row: Row) -> str:
    if not row[REASON].strip():
        raise row.fault(REASON, "why the item is dropped is not said")
    return row[REASON].strip()


def _next_state(row: Row, item: Item, values: Mapping[str, str]) -> State:
    if not values[ORIGINAL]:
        raise row.fault(ORIGINAL, "is empty")
    missing = [name for name in (STANDARD, CONTRADICTION, PARAPHRASE) if not values[name]]
    if missing == [STANDARD, CONTRADICTION, PARAPHRASE] and item.state is not State.NEGATED:
        return State.CORRECTED
    if missing == [CONTRADICTION, PARAPHRASE] and item.state is not State.DISTRACTED:
        return State.NEGATED
    if missing:
        raise row.fault(missing[0], "is empty; draft it with the step draft, or write it")
    if item[ORIGINAL] and values[ORIGINAL] != item[ORIGINAL] and all(values[name] == item[name] for name in OPTIONS):
        raise row.fault(ORIGINAL, "has changed and the options have not", "change them as well")
    return State.REFINED


def _checked(edits: list[Edit], rows: Sequence[Row], items: Mapping[str, Item]) -> tuple[Problem, ...]:
    """The warnings about refined items. Raises DataError for the first error in any edit."""
    after = {edit.item.idx: Item(edit.item.idx, {**edit.item.values, **edit.values}) for edit in edits}
    refined = [after[edit.item.idx] for edit in edits if edit.state is State.REFINED]
    others = [item for idx, item in items.items() if idx not in after and item.state is not State.DROPPED]
    problems = check_items(refined, [*others, *after.values()])
    written = [after[edit.item.idx] for edit in edits if edit.state in (State.CORRECTED, State.NEGATED)]
    problems += [problem for item in written for problem in check_spelling(item)]
    places = _places(rows)
    for problem in problems:
        if problem.is_error:
            raise places[problem.item].fault(problem.field, problem.text)
    return tuple(problems)


def _places(rows: Sequence[Row]) -> dict[str, Row]:
    return {row["id"].strip(): row for row in rows}
