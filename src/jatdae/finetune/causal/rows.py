"""Lessons as token ids, with labels on the answer alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.errors import RequestError
from jatdae.finetune.causal.supervision import Lesson
from jatdae.models.hf.tokenizing import TextEncoder

IGNORED = -100
"""The label of a token that is not learned."""


@dataclass(frozen=True, slots=True)
class Row:
    """Ids of prompt and answer, and as many labels: `IGNORED` on the prompt, the ids themselves on the answer."""

    id: str
    input_ids: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows in the lessons' order; `overlong` are the ids of lessons that have too many tokens and are left out."""

    rows: tuple[Row, ...]
    overlong: tuple[str, ...]


def encode_lessons(lessons: Sequence[Lesson], tokenizer: Any, max_length: int) -> Rows:
    """Prompt and answer, encoded apart and joined; special tokens stand at the start only, none after the answer.

    A lesson is taken whole or not at all: neither definitions nor answers are cut. Raises RequestError where none fits.
    """
    encoder = TextEncoder(tokenizer)
    ids = encoder.encode(
        [*((lesson.prompt, True) for lesson in lessons), *((lesson.answer, False) for lesson in lessons)]
    )
    rows = [_row(lesson, ids[lesson.prompt, True], ids[lesson.answer, False]) for lesson in lessons]
    kept = tuple(row for row in rows if len(row.input_ids) <= max_length)
    if not kept:
        least = min(len(row.input_ids) for row in rows)
        raise RequestError(f"no item fits {max_length} tokens, the shortest has {least}; set max_length, or a prompt")
    return Rows(kept, tuple(row.id for row in rows if len(row.input_ids) > max_length))


def _row(lesson: Lesson, prompt: list[int], answer: list[int]) -> Row:
    return Row(lesson.id, (*prompt, *answer), (*([IGNORED] * len(prompt)), *answer))
