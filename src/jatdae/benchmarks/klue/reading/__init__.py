"""Reading KLUE's tasks, from the release's files and from rows of the hub's copy, into the same checked records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.klue.reading.dialogues import dialogue, read_ontology
from jatdae.benchmarks.klue.reading.files import locate, split_of, version_of
from jatdae.benchmarks.klue.reading.oddities import DECOMPOSED, findings, values_outside
from jatdae.benchmarks.klue.reading.parsing import parsed_row, read_parsed
from jatdae.benchmarks.klue.reading.questions import question_row, read_questions
from jatdae.benchmarks.klue.reading.relations import relation
from jatdae.benchmarks.klue.reading.rows import Row, line_of_text, read_rows
from jatdae.benchmarks.klue.reading.sentences import inference_pair, similarity_pair, topic
from jatdae.benchmarks.klue.reading.tagging import read_tagged, tagged_row
from jatdae.benchmarks.klue.records import Record
from jatdae.errors import DataError

__all__ = ["findings", "from_hub", "locate", "read_ontology", "read_task", "values_outside", "version_of"]


def _of_rows(read: Callable[[Row], Record]) -> Callable[[Path], Sequence[Record]]:
    return lambda path: [read(row) for row in read_rows(path)]


_FROM_FILE: Mapping[str, Callable[[Path], Sequence[Record]]] = {
    "ynat": _of_rows(topic),
    "sts": _of_rows(similarity_pair),
    "nli": _of_rows(inference_pair),
    "ner": read_tagged,
    "re": _of_rows(relation),
    "dp": read_parsed,
    "mrc": read_questions,
    "wos": _of_rows(dialogue),
}
_FROM_HUB: Mapping[str, Callable[[Row, int], Record]] = {
    "ynat": lambda row, _: topic(row),
    "sts": lambda row, _: similarity_pair(row),
    "nli": lambda row, _: inference_pair(row),
    "ner": tagged_row,
    "re": lambda row, _: relation(row),
    "dp": parsed_row,
    "mrc": lambda row, _: question_row(row),
    "wos": lambda row, _: dialogue(row),
}


def read_task(task: str, path: Path) -> list[Any]:
    """All examples of a release file, in file order: the records of `klue.records`, one type a task.

    Raises RequestError for an unknown task; DataError with file, line and field for a missing column, a label that is
    unknown or a number, a head outside its sentence, an entity that cannot be found, an identifier that stands twice
    or names another split than the file, and for a file stored in separate letters. What is odd but can be used is
    kept, and told by `findings`.
    """
    records = list(_FROM_FILE[known_task(task)](path))
    _check_identifiers(records, path)
    _check_composed(records, path)
    return records


def from_hub(task: str, rows: Iterable[Mapping[str, Any]], *, name: str = "") -> list[Any]:
    """The same records from rows in the hub's features, whose label numbers follow the hub's own order.

    `name` stands for the file in messages. The hub was built from the first release, so NER's characters differ from
    those of v1.1. Raises as `read_task`.
    """
    task, name = known_task(task), name or f"hub rows of klue/{known_task(task)}"
    read = _FROM_HUB[task]
    plain = ((number, Row.of(_plain(row), name, number, from_hub=True)) for number, row in enumerate(rows, 1))
    records = [read(row, number) for number, row in plain]
    _check_identifiers(records, name)
    _check_composed(records, name)
    return records


def _plain(value: Any) -> Any:
    """Arrays as lists, at any depth."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _check_identifiers(records: Sequence[Record], path: Path | str) -> None:
    if not records:
        raise DataError("there are no items in it", path=path)
    split = split_of(path) if isinstance(path, Path) else None
    seen: dict[str, int] = {}
    for number, record in enumerate(records, 1):
        if record.guid in seen:
            what = f"item {number}: {record.guid} is also item {seen[record.guid]}"
            raise DataError(what, path=path, line=_line(record, path, 2), field="guid")
        if split is not None and record.split not in (None, split):
            what = f"item {number}: {record.guid} is of {record.split}, the file's name says {split}"
            mend = "name the file after its split"
            raise DataError(what, path=path, line=_line(record, path, 1), field="guid", mend=mend)
        seen[record.guid] = number


def _line(record: Record, path: Path | str, occurrence: int) -> int | None:
    if isinstance(path, str):
        return None
    return getattr(record, "line", None) or line_of_text(path, record.guid, occurrence)


def _check_composed(records: Sequence[Record], path: Path | str) -> None:
    decomposed = sum(any(map(DECOMPOSED.search, record.texts)) for record in records)
    if decomposed > len(records) / 2:
        raise DataError(
            f"Hangul is stored as separate letters (NFD) in {decomposed} of {len(records)} items, which no model reads "
            "as words",
            path=path,
            mend="convert the file to NFC",
        )
