"""Reading questions on passages. Distractors of unanswerable questions never become answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from jatdae.benchmarks.klue.reading.places import place
from jatdae.benchmarks.klue.reading.rows import Row, read_json
from jatdae.benchmarks.klue.records import Answer, Question
from jatdae.errors import DataError

UNANSWERABLE = 3
"""The question type of questions without an answer."""


def read_questions(path: Path) -> list[Question]:
    """The questions of a release file, passage by passage. Raises DataError."""
    content = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get("data"), list):
        raise DataError("an object with a list `data` is expected", path=path, line=1)
    articles = (Row.of(values, path, number) for number, values in enumerate(content["data"], 1))
    return [question for article in articles for question in _of_article(article)]


def _of_article(article: Row) -> Iterator[Question]:
    for paragraph in article.inners("paragraphs"):
        for row in paragraph.inners("qas"):
            named = replace(row, guid=row.text("guid"))
            plausible = named.inners("plausible_answers") if "plausible_answers" in named.values else []
            yield _question(named, article, paragraph.text("context"), named.inners("answers"), plausible)


def question_row(row: Row) -> Question:
    """A flat row of the hub, which lists an unanswerable question's distractors as its answers. Raises DataError."""
    column = row.inner("answers")
    texts, starts = column.texts("text"), column.integers("answer_start")
    if len(texts) != len(starts):
        raise column.fault(f"{len(starts)} starts for {len(texts)} answers", "answer_start")
    pairs = zip(texts, starts, strict=True)
    answers = [
        replace(row, values={"text": text, "answer_start": start}, prefix=f"answers[{i}].")
        for i, (text, start) in enumerate(pairs)
    ]
    return _question(row, row, row.text("context"), answers, [])


def _question(row: Row, article: Row, context: str, answers: Sequence[Row], plausible: Sequence[Row]) -> Question:
    impossible = row.truth("is_impossible")
    if not impossible and not answers:
        raise row.fault("an answerable question has no answer", "answers")
    decoys = (*answers, *plausible) if impossible else plausible
    return Question(
        guid=row.text("guid"),
        title=article.string("title"),
        context=context,
        question=row.text("question"),
        answers=() if impossible else tuple(_gold(answer, context) for answer in answers),
        is_impossible=impossible,
        plausible=tuple(_answer(decoy, context) for decoy in decoys),
        question_type=_type(row),
        news_category=article.optional_text("news_category"),
        source=article.optional_text("source"),
        decoys_in_answers=impossible and bool(answers),
    )


def _gold(row: Row, context: str) -> Answer:
    """An answer that counts as right: a piece of the passage, if not always where the file says."""
    answer = _answer(row, context)
    if answer.text not in context:
        raise row.fault(f"the answer {answer.text!r} is nowhere in the context", "text")
    return answer


def _answer(row: Row, context: str) -> Answer:
    text, stated = row.text("text"), row.integer("answer_start")
    return Answer(text, place(text, context, stated), stated)


def _type(row: Row) -> int | None:
    if row.values.get("question_type") is None:
        return None
    kind = row.integer("question_type")
    if kind not in (1, 2, UNANSWERABLE):
        raise row.fault(f"1, 2 or 3 is expected, found {kind}", "question_type")
    return kind
