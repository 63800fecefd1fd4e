"""Items on which author and verifier disagree: listed with both sides, and settled by all authors together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.negation.construction.checks import check_items
from jatdae.negation.construction.item import (
    ANSWER,
    COMMENT,
    CONTENT,
    DECISION,
    REASON,
    SENTENCES,
    VERDICT,
    VERIFIER,
    Item,
)
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.sheets import Row, read_sheet, write_sheet
from jatdae.negation.construction.states import State

KEEP, CHANGE, DROP = "keep", "change", "drop"
COLUMNS = ("id", "authors", VERIFIER, ANSWER, VERDICT, COMMENT, *CONTENT, DECISION, REASON)
_NEEDED = ("id", *CONTENT, DECISION, REASON)


def write_disputes(project: Project) -> list[Path]:
    """The disputed items: who wrote them, what the verifier answered, said and wrote. Raises RequestError for none."""
    disputed = project.items(State.DISPUTED)
    if not disputed:
        raise RequestError("no item is disputed")
    return write_sheet(project.new_sheets("disputes"), COLUMNS, [_row(item) for item in disputed])


def _row(item: Item) -> dict[str, str]:
    shown = (VERIFIER, ANSWER, VERDICT, COMMENT, *CONTENT)
    return {"id": item.idx, "authors": ", ".join(sorted(item.people)), **{name: item[name] for name in shown}}


@dataclass(frozen=True, slots=True)
class Settled:
    """How many items each decision was made on, and the warnings about those that were changed."""

    decisions: Mapping[str, int]
    warnings: tuple[str, ...]


def read_decisions(project: Project, path: Path, person: str) -> Settled:
    """Take over decisions, all or none; each needs its reason, the essence of what was discussed.

    `keep` leaves the item as it is, `change` takes the row's fields, `drop` takes it out. Raises DataError.
    """
    rows = read_sheet(path, _NEEDED)
    decisions: Counter[str] = Counter()
    warnings: list[str] = []
    with project.journal.writing(person, project.time) as draft:
        for row in rows:
            decision = row.word(DECISION, (KEEP, CHANGE, DROP))
            if not decision:
                continue
            item = _item_of(row, draft.items)
            if item[DECISION] == decision:
                continue
            values, told = _decided(row, item, decision, [each for each in draft.items.values() if _counts(each)])
            warnings += told
            draft.change(item.idx, values, State.DROPPED if decision == DROP else State.SETTLED)
            decisions[decision] += 1
    return Settled(dict(decisions), tuple(warnings))


def _counts(item: Item) -> bool:
    return item.state is not State.DROPPED


def _item_of(row: Row, items: Mapping[str, Item]) -> Item:
    item = items.get(row["id"].strip())
    if item is None:
        raise row.fault("id", f"no item {row['id'][:40]!r} in this project")
    if item.state is not State.DISPUTED and not item[DECISION]:
        raise row.fault("id", f"the item is {item.state.value}, not disputed")
    return item


def _decided(row: Row, item: Item, decision: str, others: list[Item]) -> tuple[dict[str, str], list[str]]:
    """The new values, and what the checks warn of. Raises DataError for a row that cannot be taken."""
    if item[DECISION]:
        raise row.fault(DECISION, f"the decision was {item[DECISION]!r} already")
    if not row[REASON].strip():
        raise row.fault(REASON, "why it is decided so is not said")
    given = {name: row[name] if name in SENTENCES else row[name].strip() for name in CONTENT}
    edits = {name: value for name, value in given.items() if value != item[name]}
    if bool(edits) != (decision == CHANGE) and decision != DROP:
        name = next(iter(edits), CONTENT[0])
        what = "nothing has changed" if decision == CHANGE else "has changed"
        raise row.fault(name, f"{what} and the decision is {decision!r}")
    values = {DECISION: decision, REASON: row[REASON].strip()}
    if decision != CHANGE:
        return values, []
    problems = check_items([Item(item.idx, {**item.values, **edits})], others)
    for problem in problems:
        if problem.is_error:
            raise row.fault(problem.field, problem.text)
    return {**values, **edits}, [str(problem) for problem in problems]
