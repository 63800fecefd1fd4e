"""The layout that NER and DP share: comment lines, then per sentence a header, rows, and a line that ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError


@dataclass(frozen=True, slots=True)
class Block:
    """A sentence's lines: identifier and text of its header, the header's line, and its rows with theirs."""

    guid: str
    text: str
    line: int
    rows: list[tuple[int, str]] = field(default_factory=list)


def read_blocks(path: Path, header: str) -> Iterator[Block]:
    """The sentences of a file whose headers start with `header`.

    Rows keep their blanks: a row's character may be one. Only a line feed ends a line, since other separators of
    Unicode may be characters of the text. Raises DataError for rows without a header and a header without rows.
    """
    block: Block | None = None
    for number, line in enumerate(read_text(path).replace("\r\n", "\n").split("\n"), 1):
        if line.startswith(header):
            if block is not None:
                yield _whole(block, path)
            block = _opened(line, number, path)
        elif line in ("", "\t"):
            if block is not None:
                yield _whole(block, path)
            block = None
        elif block is not None:
            block.rows.append((number, line))
        elif not line.startswith("## "):
            raise DataError(f"a row before any line that starts with {header!r}", path=path, line=number)
    if block is not None:
        yield _whole(block, path)


def _opened(line: str, number: int, path: Path) -> Block:
    guid, tab, text = line.removeprefix("## ").partition("\t")
    if not tab:
        raise DataError("a header is an identifier, a tab and the sentence", path=path, line=number)
    return Block(guid.strip(), text, number)


def _whole(block: Block, path: Path) -> Block:
    if not block.rows:
        raise DataError(f"{block.guid} has no rows", path=path, line=block.line)
    return block
