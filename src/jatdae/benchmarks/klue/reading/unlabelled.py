"""Reading what a task asks about, without its labels: from the release's files, plain rows, or lines of text.

What a file says of labels is not looked at. The records hold placeholders instead that no label of KLUE can be:
`UNKNOWN` for a name, `NO_HEAD` for a word's head, NaN for a number; a question has no answers and yet is answerable,
and a dialogue's states are empty.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.labels import INFERENCE, NO_RELATION, TOPICS, known_task
from jatdae.benchmarks.klue.reading.blocks import read_blocks
from jatdae.benchmarks.klue.reading.dialogues import dialogue
from jatdae.benchmarks.klue.reading.oddities import DECOMPOSED
from jatdae.benchmarks.klue.reading.parsing import COLUMNS, parsed_row
from jatdae.benchmarks.klue.reading.questions import question_row
from jatdae.benchmarks.klue.reading.relations import relation
from jatdae.benchmarks.klue.reading.rows import Row, read_json
from jatdae.benchmarks.klue.reading.sentences import inference_pair, similarity_pair, topic
from jatdae.benchmarks.klue.reading.tagging import tagged_row
from jatdae.benchmarks.klue.records import (
    INLINE_END,
    Dialogue,
    InferencePair,
    ParsedSentence,
    Question,
    Record,
    Relation,
    SimilarityPair,
    TaggedSentence,
    Topic,
)
from jatdae.benchmarks.sources import read_json_lines, read_text
from jatdae.errors import DataError, RequestError

UNKNOWN = ""
"""Stands for a label's name that is not known."""
NO_HEAD = -1
"""Stands for a word's head that is not known; 0 is the root."""

_ONE_TEXT = {"ynat": "title", "ner": "sentence"}
"""The tasks that ask about one text, which may come as a line of a `.txt` file, and the text's field."""
_GIVEN = 4
"""So many columns of a parsed sentence's row are input; the last two are labels."""
_GAP = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class InputRow(Row):
    """A row with the line on which it starts; without one the line is looked for by the identifier."""

    line: int | None = None

    def _line(self) -> int | None:
        return Row._line(self) if self.line is None else self.line


def read_inputs(task: str, path: Path) -> list[Any]:
    """The records of a file, in its order, with placeholders for labels: the types of `klue.records`.

    Read are files in the release's layout, with or without the columns of labels, and `.json` arrays or `.jsonl` lines
    of objects with these fields; `.txt` too, one text a line, where there is one text:

    ynat: title; sts: sentence1, sentence2; nli: premise, hypothesis; ner: sentence, or tokens (a list of characters);
    re: sentence, subject_entity, object_entity (word, start_idx, end_idx, type each); dp: words, and pos if known (`+`
    between the tags of a word, see `input_notes`); mrc: context, question; wos: dialogue (role, text each).

    An item without `guid` gets `input-` and its number from 1; blank lines are no items. Raises RequestError for an
    unknown task or ending; DataError with file, line and field for what is missing or of the wrong kind, identifiers
    that stand twice, a file without items, and one that is stored in separate letters.
    """
    task = known_task(task)
    records: dict[str, Record] = {}
    for number, row in enumerate(_rows(task, path), 1):
        record = _READ[task](_named(row, number))
        if record.guid in records:
            mend = "predictions go by it: give each item its own, or none of them any"
            raise row.fault(f"{record.guid} is an earlier item's, too", "guid", mend)
        records[record.guid] = record
    _check(list(records.values()), path)
    return list(records.values())


def input_notes(task: str, records: Sequence[Any]) -> tuple[str, ...]:
    """What a reader of predictions must know of the inputs: sentences to be parsed without parts of speech."""
    if known_task(task) != "dp":
        return ()
    lacking = sum(not any(map(any, record.pos)) for record in records)
    if not lacking:
        return ()
    return (
        f"{lacking:,} of {len(records):,} sentences have no parts of speech (`pos`), and the parser was trained with "
        "them: expect more wrong heads and labels there",
    )


# ---- from a file to rows


def _rows(task: str, path: Path) -> Iterator[Row]:
    ending = path.suffix.lower()
    if ending == ".json":
        return _of_json(task, path)
    if ending in (".jsonl", ".ndjson"):
        return _of_lines(path)
    if ending == ".txt" and task in _ONE_TEXT:
        return _of_text(_ONE_TEXT[task], path)
    if ending == ".tsv" and task in _OF_BLOCKS:
        return _OF_BLOCKS[task](path)
    known = [".json", ".jsonl", *([".txt"] if task in _ONE_TEXT else []), *([".tsv"] if task in _OF_BLOCKS else [])]
    raise RequestError(f"{path}: inputs of klue/{task} are read from {', '.join(known)}; {ending!r} is none of them")


def _named(row: Row, number: int) -> Row:
    """The row with an identifier, its own or one made from its number."""
    if row.values.get("guid") is not None:
        return row
    return replace(row, values={**row.values, "guid": f"input-{number}"})


def _of_json(task: str, path: Path) -> Iterator[Row]:
    content = read_json(path)
    if task == "mrc" and isinstance(content, dict) and isinstance(content.get("data"), list):
        yield from _of_articles(content["data"], path)
    elif isinstance(content, list):
        for number, (values, line) in enumerate(zip(content, _starts(path, len(content)), strict=True), 1):
            yield replace(InputRow.of(values, path, number), line=line)
    else:
        raise DataError("an array of objects is expected", path=path, line=1)


def _starts(path: Path, count: int) -> Iterator[int]:
    """The lines on which the elements of a valid JSON array start."""
    text, decode = read_text(path), json.JSONDecoder().raw_decode
    place, counted, line = text.index("[") + 1, 0, 1
    for _ in range(count):
        gap = _GAP.match(text, place)
        start = gap.end() if gap else place
        line, counted = line + text.count("\n", counted, start), start
        yield line
        _, place = decode(text, start)


def _of_articles(articles: Sequence[object], path: Path) -> Iterator[Row]:
    """The questions of the release's nested layout, each with its passage."""
    for number, values in enumerate(articles, 1):
        for paragraph in InputRow.of(values, path, number).inners("paragraphs"):
            context = paragraph.text("context")
            for row in paragraph.inners("qas"):
                guid = row.values.get("guid")
                named = guid if isinstance(guid, str) else ""
                yield replace(row, values={**row.values, "context": context}, guid=named)


def _of_lines(path: Path) -> Iterator[Row]:
    for number, (line, values) in enumerate(read_json_lines(path, composed=()), 1):
        yield replace(InputRow.of(values, path, number), line=line)


def _of_text(field: str, path: Path) -> Iterator[Row]:
    lines = enumerate(read_text(path).replace("\r\n", "\n").split("\n"), 1)
    texts = ((line, text) for line, text in lines if text.strip())
    for number, (line, text) in enumerate(texts, 1):
        yield InputRow({field: text}, path, number, line=line)


def _of_tagged_blocks(path: Path) -> Iterator[Row]:
    for number, block in enumerate(read_blocks(path, "## klue-ner"), 1):
        characters = [_character(text, line, path) for line, text in block.rows]
        yield InputRow({"guid": block.guid, "tokens": characters}, path, number, block.guid, line=block.line)


def _character(text: str, line: int, path: Path) -> str:
    if text[1:2] not in ("", "\t"):
        what = f"one character, alone or with a tab and a tag, is expected, found {text!r}"
        raise DataError(what, path=path, line=line)
    return text[0]


def _of_parsed_blocks(path: Path) -> Iterator[Row]:
    for number, block in enumerate(read_blocks(path, "## klue-dp"), 1):
        cells = [_cells(text, line, path, expected) for expected, (line, text) in enumerate(block.rows, 1)]
        values = {"guid": block.guid, "words": [row[1] for row in cells], "pos": [row[3] for row in cells]}
        yield InputRow(values, path, number, block.guid, line=block.line)


def _cells(text: str, line: int, path: Path, expected: int) -> list[str]:
    cells = text.split("\t")
    if len(cells) < _GIVEN:
        names = ", ".join(COLUMNS[:_GIVEN])
        raise DataError(f"{len(cells)} columns where {names} are expected", path=path, line=line)
    if cells[0] != str(expected):
        raise DataError(f"{expected} is expected, found {cells[0]!r}", path=path, line=line, field=COLUMNS[0])
    return cells


_OF_BLOCKS: Mapping[str, Callable[[Path], Iterator[Row]]] = {"ner": _of_tagged_blocks, "dp": _of_parsed_blocks}


# ---- from a row to a record: the release's readers, given stand-ins for labels, which are then taken out again


def _asked(row: Row, fields: Sequence[str], stand_ins: Mapping[str, Any]) -> Row:
    """The row with these fields of its own and nothing else but the stand-ins. Raises DataError for a missing one."""
    given = {name: row.value(name) for name in fields}
    named = {"guid": row.values["guid"]} if "guid" in row.values else {}
    return replace(row, values={**stand_ins, **named, **given})


def _topic(row: Row) -> Topic:
    return replace(topic(_asked(row, ["title"], {"label": TOPICS[0]})), label=UNKNOWN)


def _similarity_pair(row: Row) -> SimilarityPair:
    labels = {"label": 0, "real-label": 0, "binary-label": 0}
    pair = similarity_pair(_asked(row, ["sentence1", "sentence2"], {"source": "unknown", "labels": labels}))
    return replace(pair, source="", real_label=math.nan, label=math.nan, binary=UNKNOWN)


def _inference_pair(row: Row) -> InferencePair:
    stand_ins = {"source": "unknown", "gold_label": INFERENCE[0]}
    return replace(inference_pair(_asked(row, ["premise", "hypothesis"], stand_ins)), source="", label=UNKNOWN)


def _tagged_sentence(row: Row) -> TaggedSentence:
    characters = row.texts("tokens") if "tokens" in row.values else tuple(_plain_text(row))
    stand_ins = {"tokens": characters, "ner_tags": ["O"] * len(characters), "sentence": ""}
    sentence = tagged_row(_asked(row, [], stand_ins), row.position)
    return replace(sentence, tags=(UNKNOWN,) * len(characters))


def _plain_text(row: Row) -> str:
    """A sentence, which in a row of the hub has its right answers in it."""
    sentence = row.text("sentence")
    if found := INLINE_END.search(sentence):
        mend = "give the plain text, or the hub's `tokens` too"
        raise row.fault(f"inline tags such as {found[0]!r} stand in the text", "sentence", mend)
    return sentence


def _relation(row: Row) -> Relation:
    fields = ["sentence", "subject_entity", "object_entity"]
    return replace(relation(_asked(row, fields, {"label": NO_RELATION})), label=UNKNOWN)


def _parsed_sentence(row: Row) -> ParsedSentence:
    words = row.texts("words")
    if not words:
        raise row.fault("there are no words in it", "words")
    for place, word in enumerate(words):
        if not word or word.split() != [word]:
            raise row.fault(f"a word without blanks is expected, found {word!r}", f"words[{place}]")
    blank = [""] * len(words)
    stand_ins = {
        "word_form": words,
        "index": list(range(1, len(words) + 1)),
        "lemma": blank,
        "pos": blank if row.values.get("pos") is None else row.values["pos"],
        "head": [0] * len(words),
        "deprel": ["NP"] * len(words),
        "sentence": "",
    }
    sentence = parsed_row(_asked(row, [], stand_ins), row.position)
    return replace(sentence, heads=(NO_HEAD,) * len(words), labels=(UNKNOWN,) * len(words))


def _question(row: Row) -> Question:
    answers = {"text": [], "answer_start": []}
    stand_ins = {"title": "", "answers": answers, "is_impossible": True}
    return replace(question_row(_asked(row, ["context", "question"], stand_ins)), is_impossible=False)


def _dialogue(row: Row) -> Dialogue:
    turns = [_asked(turn, ["role", "text"], {"state": []}).values for turn in row.inners("dialogue")]
    return dialogue(_asked(row, [], {"domains": [], "dialogue": turns}))


_READ: Mapping[str, Callable[[Row], Record]] = {
    "ynat": _topic,
    "sts": _similarity_pair,
    "nli": _inference_pair,
    "ner": _tagged_sentence,
    "re": _relation,
    "dp": _parsed_sentence,
    "mrc": _question,
    "wos": _dialogue,
}


def _check(records: Sequence[Record], path: Path) -> None:
    if not records:
        raise DataError("there are no items in it", path=path)
    decomposed = sum(any(map(DECOMPOSED.search, record.texts)) for record in records)
    if decomposed > len(records) / 2:
        what = f"Hangul is stored as separate letters (NFD) in {decomposed:,} of {len(records):,} items"
        raise DataError(what, path=path, mend="convert the file to NFC")
