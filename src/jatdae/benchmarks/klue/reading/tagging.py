"""Reading named entities: one character and its tag a row, blanks being rows of their own.

Only the rows are read. The inline notation beside them is ambiguous where a text has angle brackets itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jatdae.benchmarks.klue.labels import ENTITY_TAGS, HUB_ENTITY_TAGS
from jatdae.benchmarks.klue.reading.blocks import Block, read_blocks
from jatdae.benchmarks.klue.reading.rows import Row
from jatdae.benchmarks.klue.records import TaggedSentence
from jatdae.errors import DataError, did_you_mean


def read_tagged(path: Path) -> list[TaggedSentence]:
    """The sentences of a release file. Raises DataError with line and column."""
    return [_sentence(block, path) for block in read_blocks(path, "## klue-ner")]


def _sentence(block: Block, path: Path) -> TaggedSentence:
    pairs = [_pair(text, line, path) for line, text in block.rows]
    characters, tags = zip(*pairs, strict=True)
    return TaggedSentence(block.guid, characters, tags, block.text, block.line)


def _pair(text: str, line: int, path: Path) -> tuple[str, str]:
    character, tab, tag = text[:1], text[1:2], text[2:]
    if tab != "\t":
        raise DataError(f"one character, a tab and a tag are expected, found {text!r}", path=path, line=line)
    if tag not in ENTITY_TAGS:
        hint = did_you_mean(tag, ENTITY_TAGS)
        raise DataError(f"unknown label {tag!r}", path=path, line=line, field="NE_TAG", mend=hint)
    return character, tag


def tagged_row(row: Row, number: int) -> TaggedSentence:
    """A row of the hub, which has no identifier: the inline sentence, characters, and numbers of tags.

    Raises DataError; also where the counts of characters and tags differ.
    """
    characters, codes = row.texts("tokens"), row.listed("ner_tags")
    _check_characters(row, characters)
    if len(characters) != len(codes):
        raise row.fault(f"{len(codes)} tags for {len(characters)} characters", "ner_tags")
    tags = tuple(row.as_label(code, f"ner_tags[{i}]", HUB_ENTITY_TAGS) for i, code in enumerate(codes))
    guid = row.optional_text("guid") or f"hub-ner-{number - 1:05d}"
    return TaggedSentence(guid, characters, tags, row.string("sentence"))


def _check_characters(row: Row, characters: Sequence[str]) -> None:
    if not characters:
        raise row.fault("there are no characters in it", "tokens")
    for i, character in enumerate(characters):
        if len(character) != 1:
            raise row.fault(f"one character is expected, found {character!r}", f"tokens[{i}]")
