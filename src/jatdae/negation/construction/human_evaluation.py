"""Human evaluation: the form that participants fill in, and how well they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from jatdae.benchmarks.konubench.data import Record, read_records
from jatdae.benchmarks.konubench.options import build_question
from jatdae.errors import DataError
from jatdae.negation.construction.sheets import read_sheet

LETTERS = ("A", "B", "C", "D")
FORM = ("id", "sentence", *LETTERS, "answer")


@dataclass(frozen=True, slots=True)
class HumanScores:
    """Accuracy by person (name of the form's file), each over all items of the form, and what they come to.

    A question without an answer counts as wrong, as the participant could not tell; `unanswered` says how many.
    """

    people: Mapping[str, float]
    items: int
    unanswered: int

    @property
    def mean(self) -> float:
        return fmean(self.people.values())

    @property
    def median(self) -> float:
        return median(self.people.values())

    @property
    def lowest(self) -> float:
        return min(self.people.values())

    @property
    def highest(self) -> float:
        return max(self.people.values())


def form_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """The questions with their options under the letters of the symbol mode; nothing tells the right one."""
    questions = [build_question(record, shuffled=True) for record in records]
    return [
        {"id": question.id, "sentence": question.question, **dict(zip(LETTERS, question.options, strict=False))}
        for question in questions
    ]


def score_forms(key: Path, forms: Sequence[Path]) -> HumanScores:
    """Score filled-in forms against the items (`human_evaluation.json` of the release).

    Raises DataError with line and column for an unknown item, an item that lacks, or an answer that is no option's.
    """
    right = {record.idx: build_question(record, shuffled=True) for record in read_records(key)}
    letters = {idx: (LETTERS[question.answer], len(question.options)) for idx, question in right.items()}
    people: dict[str, float] = {}
    unanswered = 0
    for form in forms:
        answers = _answers(form, letters)
        unanswered += sum(not answer for answer in answers.values())
        if form.stem in people:
            raise DataError("a form of this name is given twice; each person has their own", path=form)
        people[form.stem] = fmean(answers[idx] == letter for idx, (letter, _) in letters.items())
    return HumanScores(people, len(letters), unanswered)


def _answers(form: Path, letters: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    answers: dict[str, str] = {}
    for row in read_sheet(form, ("id", "answer")):
        idx = row["id"].strip()
        if idx not in letters:
            raise row.fault("id", f"{idx[:40]!r} is not one of the release's items for people")
        answer = row.word("answer", [letter.lower() for letter in LETTERS[: letters[idx][1]]]).upper()
        answers[idx] = answer
    if missing := [idx for idx in letters if idx not in answers]:
        raise DataError(f"item {missing[0]} lacks ({len(missing)} in all)", path=form, field="id")
    return answers
