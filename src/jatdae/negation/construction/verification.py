"""Verification by a second person: first a blind answer, then a review of the whole item.

The blind sheet shows the original and the options in an order that is drawn anew for each item and person. Nobody gets
an item that they have written, changed or accepted, and nobody sees what an option is meant to be before the answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.negation.construction.item import (
    ANSWER,
    COMMENT,
    CONTENT,
    OPTIONS,
    ORIGINAL,
    STANDARD,
    VERDICT,
    VERIFIER,
    Item,
)
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.sheets import Row, read_sheet, sheet_columns, write_sheet
from jatdae.negation.construction.states import State
from jatdae.types import digest

LETTERS = ("A", "B", "C", "D")
NONE = "none"
"""What a verifier answers who finds no right option, or several."""
AGREE, DISPUTE = "agree", "dispute"
BLIND = ("id", ORIGINAL, *LETTERS, ANSWER)
REVIEW = ("id", *CONTENT, ANSWER, VERDICT, COMMENT)
REVIEWED = ("id", *CONTENT, VERDICT, COMMENT)
"""The columns that are needed to read a review back."""


def shown_options(item: Item, person: str) -> list[tuple[str, str]]:
    """Field and text of each option in the order in which this person sees them."""
    options = [(name, item[name]) for name in OPTIONS if item[name]]
    random.Random(digest("verify", item.idx, person)).shuffle(options)  # noqa: S311 - an order, not a secret
    return options


def may_verify(item: Item, person: str) -> bool:
    """Whether the item is this person's to verify: refined, untouched by them, and nobody else's already."""
    return item.state is State.REFINED and person not in item.people and item[VERIFIER] in ("", person)


def write_blind_sheet(project: Project, person: str) -> list[Path]:
    """The items that the person may answer and has not. Raises RequestError where there is none."""
    waiting = waiting_for(project, person)
    if not waiting:
        raise RequestError(f"no refined item waits for {person}; nobody verifies what they have written or changed")
    return write_sheet(project.new_sheets(f"blind-{person}"), BLIND, [blind_row(item, person) for item in waiting])


def waiting_for(project: Project, person: str) -> list[Item]:
    """The items that the person may answer blind and has not."""
    return [item for item in project.items(State.REFINED) if may_verify(item, person) and not item[ANSWER]]


def answered_by(project: Project, person: str) -> list[Item]:
    """The items that the person has answered and not reviewed."""
    return [item for item in project.items(State.REFINED) if item[VERIFIER] == person and item[ANSWER]]


def blind_row(item: Item, person: str) -> dict[str, str]:
    """An item as the person sees it before answering: nothing tells what an option is meant to be."""
    options = zip(LETTERS, shown_options(item, person), strict=False)
    return {"id": item.idx, ORIGINAL: item[ORIGINAL], **{letter: text for letter, (_, text) in options}}


def write_review_sheet(project: Project, person: str) -> list[Path]:
    """The items that the person has answered, now with all that they say. Raises RequestError where there is none."""
    answered = answered_by(project, person)
    if not answered:
        raise RequestError(f"{person} has answered no item that waits for a review; first comes the blind sheet")
    rows = [{"id": item.idx, **{name: item[name] for name in (*CONTENT, ANSWER)}} for item in answered]
    return write_sheet(project.new_sheets(f"review-{person}"), REVIEW, rows)


@dataclass(frozen=True, slots=True)
class Verified:
    """What a sheet brought: answers on a blind one; verified and disputed items on a review."""

    answered: int = 0
    verified: int = 0
    disputed: int = 0


def read_verification(project: Project, path: Path, person: str) -> Verified:
    """Take over a blind sheet or a review, all or none. Rows without an answer or a verdict are left out.

    Raises RequestError or DataError with line and column, for an item too that the person has written or changed.
    """
    if VERDICT in sheet_columns(path):
        return take_reviews(project, read_sheet(path, REVIEWED), person)
    return take_answers(project, read_sheet(path, BLIND), person)


def take_answers(project: Project, rows: Sequence[Row], person: str) -> Verified:
    """Take over blind answers, from a sheet or a form, all or none. Raises DataError with the column at fault.

    For a row that shows another item than the present one, that column is the original.
    """
    with project.journal.writing(person, project.time) as draft:
        answers = list(_answers(rows, draft.items, person))
        for idx, answer in answers:
            draft.change(idx, {VERIFIER: person, ANSWER: answer})
    return Verified(answered=len(answers))


def _answers(rows: Sequence[Row], items: Mapping[str, Item], person: str) -> Iterator[tuple[str, str]]:
    for row in rows:
        letter = row.word(ANSWER, [*map(str.lower, LETTERS), NONE]).upper()
        if not letter:
            continue
        item = _item_of(row, items, person)
        options = shown_options(item, person)
        if [row[ORIGINAL], *(row[name] for name in LETTERS)] != _texts(item, options):
            raise row.fault(ORIGINAL, "is not the item as it stands now", "write a new blind sheet")
        if letter != NONE.upper() and LETTERS.index(letter) >= len(options):
            raise row.fault(ANSWER, f"{letter} is not one of the item's options")
        answer = NONE if letter == NONE.upper() else options[LETTERS.index(letter)][0]
        if item[ANSWER] not in ("", answer):
            raise row.fault(ANSWER, "the item is answered already, and an answer stays", "say more in the review")
        yield item.idx, answer


def _texts(item: Item, options: Sequence[tuple[str, str]]) -> list[str]:
    texts = [item[ORIGINAL], *(text for _, text in options)]
    return texts + [""] * (1 + len(LETTERS) - len(texts))


def _item_of(row: Row, items: Mapping[str, Item], person: str) -> Item:
    item = items.get(row["id"].strip())
    if item is None:
        raise row.fault("id", f"no item {row['id'][:40]!r} in this project")
    if person in item.people:
        raise row.fault("id", f"{person} has written or changed the item, so another author verifies it")
    if item[VERIFIER] not in ("", person):
        raise row.fault("id", f"the item is verified by {item[VERIFIER]}")
    if item.state is not State.REFINED:
        raise row.fault("id", f"the item is {item.state.value}; refined ones are verified")
    return item


def take_reviews(project: Project, rows: Sequence[Row], person: str) -> Verified:
    """Take over reviews, from a sheet or a form, all or none. Raises DataError with the column at fault."""
    verified = disputed = 0
    with project.journal.writing(person, project.time) as draft:
        for row in rows:
            verdict = row.word(VERDICT, (AGREE, DISPUTE))
            if not verdict or _is_read(row, draft.items, person, verdict):
                continue
            item = _item_of(row, draft.items, person)
            _check_review(row, item, verdict)
            agreed = verdict == AGREE and item[ANSWER] == STANDARD
            state = State.VERIFIED if agreed else State.DISPUTED
            draft.change(item.idx, {VERDICT: verdict, COMMENT: row[COMMENT].strip()}, state)
            verified, disputed = verified + agreed, disputed + (not agreed)
    return Verified(verified=verified, disputed=disputed)


def _is_read(row: Row, items: Mapping[str, Item], person: str, verdict: str) -> bool:
    """Whether the row has been taken over before."""
    item = items.get(row["id"].strip())
    return item is not None and item[VERIFIER] == person and item[VERDICT] == verdict


def _check_review(row: Row, item: Item, verdict: str) -> None:
    if not item[ANSWER]:
        raise row.fault(VERDICT, "the blind answer comes first", "fill in and read the blind sheet")
    for name in CONTENT:
        if row[name] != item[name]:
            raise row.fault(name, "is not the item as it stands now", "say in the comment what should change")
    if verdict == DISPUTE and not row[COMMENT].strip():
        raise row.fault(COMMENT, "what is disputed is not said")
