"""Worked examples for the chain-of-thought mode: where they are, how they are read, how the prompt looks.

They were published inside the `kmmlu_cot_hard` tasks of lm-evaluation-harness, not with the data. Here they are one
JSON file: subject in lower case with underscores to a list of {question, A, B, C, D, target}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.kmmlu.subjects import Subject
from jatdae.benchmarks.multiple_choice import LETTERS, Question
from jatdae.benchmarks.prompting import Demonstration
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError

FILE = "kmmlu_hard_cot_dev_exemplars.json"
_FIELDS = ("question", "A", "B", "C", "D", "target")
_OPENING = "질문: "


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A question of the dev split with a written-out solution, as published."""

    question: str
    options: tuple[str, ...]
    solution: str


def thinking(subject: Subject) -> str:
    """The sentence after the cue that sets the model thinking."""
    return f"차근 차근 생각해봅시다. {subject.korean} 관련 정보를 위해 위키피디아를 참조하겠습니다."


def block(question: str, options: Sequence[str], cue: str, subject: Subject) -> str:
    """A question up to where the solution follows. No space after the option's letter, unlike the direct prompt."""
    lines = [f"{letter}.{text}" for letter, text in zip(LETTERS, options, strict=False)]
    return "\n".join([question, *lines, f"{cue} {thinking(subject)}"])


def demonstration(example: WorkedExample, cue: str, subject: Subject, *, as_published: bool) -> Demonstration:
    """An example as the prompt shows it.

    As published, the first question of a subject opens with a label that the others lack, and every solution repeats
    the sentence that the prompt has just said; otherwise both are left out.
    """
    if as_published:
        return Demonstration(block(example.question, example.options, cue, subject), example.solution)
    solution = example.solution.removeprefix(thinking(subject)).lstrip()
    return Demonstration(block(plain(example.question), example.options, cue, subject), solution)


def plain(question: str) -> str:
    """A published question without its label."""
    return question.removeprefix(_OPENING).strip()


def is_example_of(example: WorkedExample, item: Question) -> bool:
    """Whether an example is the item itself, white space aside."""
    return "".join(plain(example.question).split()) == "".join(item.question.split())


def read_worked_examples(folder: Path, subjects: Sequence[Subject]) -> dict[Subject, tuple[WorkedExample, ...]]:
    """The worked examples of subjects, from the folder of the CSV files or the one above it.

    Raises RequestError when the file is missing, DataError when it lacks a subject or a field.
    """
    path = next((place / FILE for place in (folder, folder.parent) if (place / FILE).is_file()), None)
    if path is None:
        raise RequestError(
            f"no worked examples: {FILE} is neither in {folder} nor above it; add it, or ask with --shots 0"
        )
    try:
        content: Any = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"not valid JSON: {error.msg}", path=path, line=error.lineno) from None
    return {subject: _examples(content, subject, path) for subject in subjects}


def _examples(content: Any, subject: Subject, path: Path) -> tuple[WorkedExample, ...]:
    rows = content.get(subject.snake) if isinstance(content, dict) else None
    if not isinstance(rows, list) or not rows:
        raise DataError(
            "no worked examples for this subject", path=path, field=subject.snake, mend="or ask with --shots 0"
        )
    examples = []
    for number, row in enumerate(rows):
        for name in _FIELDS:
            if not isinstance(row, dict) or not isinstance(row.get(name), str) or not row[name].strip():
                raise DataError("a text is missing", path=path, field=f"{subject.snake}[{number}].{name}")
        if not re.search(r"\([A-D]\)", row["target"]):
            raise DataError("the solution names no letter", path=path, field=f"{subject.snake}[{number}].target")
        examples.append(WorkedExample(row["question"], tuple(row[letter] for letter in "ABCD"), row["target"]))
    return tuple(examples)
