"""Reading dependency trees: one word a row, with lemma, parts of speech, head and label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jatdae.benchmarks.klue.labels import DEPENDENCIES
from jatdae.benchmarks.klue.reading.blocks import Block, read_blocks
from jatdae.benchmarks.klue.reading.rows import Row
from jatdae.benchmarks.klue.records import ParsedSentence
from jatdae.errors import DataError, did_you_mean

COLUMNS = ("INDEX", "WORD_FORM", "LEMMA", "POS", "HEAD", "DEPREL")


def read_parsed(path: Path) -> list[ParsedSentence]:
    """The sentences of a release file. Raises DataError with line and column."""
    return [_sentence(block, path) for block in read_blocks(path, "## klue-dp")]


def _sentence(block: Block, path: Path) -> ParsedSentence:
    cells = [_cells(text, line, path) for line, text in block.rows]
    lines = [line for line, _ in block.rows]
    heads = []
    for expected, (line, row) in enumerate(zip(lines, cells, strict=True), 1):
        if row[0] != str(expected):
            raise DataError(f"{expected} is expected, found {row[0]!r}", path=path, line=line, field="INDEX")
        heads.append(_head(row[4], len(cells), path, line))
        if row[5] not in DEPENDENCIES:
            hint = did_you_mean(row[5], DEPENDENCIES)
            raise DataError(f"unknown label {row[5]!r}", path=path, line=line, field="DEPREL", mend=hint)
    _, words, lemmas, pos, _, labels = zip(*cells, strict=True)
    return ParsedSentence(block.guid, words, lemmas, _chains(pos), tuple(heads), labels, block.text, block.line)


def _cells(text: str, line: int, path: Path) -> list[str]:
    cells = text.split("\t")
    if len(cells) != len(COLUMNS):
        raise DataError(f"{len(cells)} columns where {len(COLUMNS)} are expected", path=path, line=line)
    for name, cell in zip(COLUMNS, cells, strict=True):
        if not cell:
            raise DataError("the value is empty", path=path, line=line, field=name)
    return cells


def _head(text: str, words: int, path: Path, line: int) -> int:
    head = int(text) if text.isascii() and text.isdigit() else None
    if head is None or head > words:
        what = f"head {text} is outside the sentence's 0 to {words}"
        raise DataError(what, path=path, line=line, field="HEAD")
    return head


def _chains(pos: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(chain.split("+")) for chain in pos)


def parsed_row(row: Row, number: int) -> ParsedSentence:
    """A row of the hub, which has no identifier. Raises DataError; also where a column is shorter than the words."""
    words, heads = row.texts("word_form"), row.integers("head")
    lemmas, pos = row.texts("lemma"), row.texts("pos")
    labels = tuple(row.as_label(value, "deprel", DEPENDENCIES) for value in row.listed("deprel"))
    index = row.integers("index")
    for name, column in (("index", index), ("lemma", lemmas), ("pos", pos), ("head", heads), ("deprel", labels)):
        if len(column) != len(words):
            raise row.fault(f"{len(column)} values for {len(words)} words", name)
    if index != tuple(range(1, len(words) + 1)):
        raise row.fault("the words are not numbered from 1 on", "index")
    for head in heads:
        if not 0 <= head <= len(words):
            raise row.fault(f"head {head} is outside the sentence's 0 to {len(words)}", "head")
    guid = row.optional_text("guid") or f"hub-dp-{number - 1:05d}"
    return ParsedSentence(guid, words, lemmas, _chains(pos), heads, labels, row.string("sentence"))
