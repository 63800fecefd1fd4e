"""Which stored results stand in the tables: one a model and question, and the same question for all models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jatdae.store import StoredResult
from jatdae.types import Result

MAIN = "konubench"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A column of a table: a task, how it was asked, and with how many examples."""

    task: str
    mode: str
    shots: int

    @property
    def column(self) -> str:
        """The cell as a column of a table of scores."""
        return f"{self.mode} {self.shots}" if self.task == MAIN else self.task


@dataclass(frozen=True, slots=True)
class Chosen:
    """A result that stands in a cell."""

    cell: Cell
    reference: str
    stored_id: int
    result: Result


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model that is not in a cell although it was measured, and why."""

    cell: Cell
    reference: str
    why: str


def choose(stored: Iterable[StoredResult], split: str) -> tuple[list[Chosen], list[LeftOut]]:
    """One result for each model and cell: the newest of the question that most models were asked.

    Of questions that equally many models were asked, the one that was asked last. Models that were only asked another
    one (other items, prompt, seeds or settings) are left out, as a mean over different questions means nothing.
    """
    cells: dict[Cell, dict[str, dict[str, StoredResult]]] = {}
    for found in sorted(stored, key=lambda one: one.id):
        result = found.result
        if result and found.task.split("/")[0] == MAIN and _measures(result, split):
            cell = Cell(found.task, found.mode, result.protocol.shots)
            cells.setdefault(cell, {}).setdefault(found.fingerprint, {})[found.model_reference] = found
    chosen: list[Chosen] = []
    left_out: list[LeftOut] = []
    for cell, questions in sorted(cells.items()):
        fingerprint = max(
            questions, key=lambda name: (len(questions[name]), max(r.id for r in questions[name].values()))
        )
        standing = questions[fingerprint]
        chosen += [Chosen(cell, name, one.id, one.result) for name, one in sorted(standing.items()) if one.result]
        left_out += _others(cell, fingerprint, questions.values(), standing)
    return chosen, left_out


def _measures(result: Result, split: str) -> bool:
    return result.headline in result.estimates and result.protocol.split == split


def _others(
    cell: Cell, fingerprint: str, questions: Iterable[dict[str, StoredResult]], standing: dict[str, StoredResult]
) -> list[LeftOut]:
    others = {name: one for question in questions for name, one in question.items() if name not in standing}
    why = f"it was asked another question (fingerprint {{}}) than the models shown ({fingerprint[:12]})"
    return [LeftOut(cell, name, why.format(one.fingerprint[:12])) for name, one in sorted(others.items())]


def references(chosen: Sequence[Chosen], left_out: Sequence[LeftOut]) -> list[str]:
    """All models of a report, in the order of their names."""
    return sorted({one.reference for one in (*chosen, *left_out)})


def base_of(reference: str, measured: Iterable[str]) -> str | None:
    """The base model of an adapter (`hf:BASE+ADAPTER`), the longest that fits; None for a model without an adapter."""
    if "+" not in reference:
        return None
    known = [name for name in measured if reference.startswith(f"{name}+")]
    return max(known, key=len) if known else reference.partition("+")[0]
