"""The text of a benchmark's items as checks of contamination read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.benchmarks.base import Task
from jatdae.benchmarks.klue.task import KlueTask
from jatdae.benchmarks.multiple_choice import Question
from jatdae.errors import RequestError


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item with all its text: question and options, or the sentences of a record."""

    id: str
    text: str


def item_texts(task: Task) -> list[ItemText]:
    """Raises RequestError for a task whose items have no text of their own."""
    if isinstance(task, KlueTask):
        return [ItemText(record.id, "\n".join(record.texts)) for record in task.records()]
    return [ItemText(one.id, "\n".join((one.question, *one.options))) for one in questions(task)]


def questions(task: Task) -> Sequence[Question]:
    """The items of a multiple-choice task. Raises RequestError for any other."""
    items = task.items()
    found = [item for item in items if isinstance(item, Question)]
    if not found or len(found) < len(items):
        raise RequestError(f"{task.name} has no questions with options; this check is for KMMLU and tasks like it")
    return found
