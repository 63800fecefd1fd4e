"""The wording of the prompts, read from template files, so that the authors' own can take the place of ours.

A folder holds `description.txt` and one file a mode (`cloze.txt`, `symbol.txt`, `chat.txt`). In a mode's file
`{{original_sentence}}` and, but for cloze, `{{options}}` are filled in; its last line feed is not part of the text.
The description may be empty; if it is not, exactly one empty line follows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.multiple_choice import LETTERS
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError
from jatdae.types import digest

_OURS = Path(__file__).parent / "prompts"
_FIELD = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """What is said once before everything, and the template of a question's block."""

    description: str
    block: str

    @property
    def hash(self) -> str:
        """A digest of both texts, for the fingerprint of a result."""
        return digest(self.description, self.block)

    def write(self, original: str, options: Sequence[str]) -> str:
        """A question's block, up to the place where the answer follows after one space."""
        lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)]
        values: Mapping[str, str] = {"original_sentence": original, "options": "\n".join(lines)}
        return _FIELD.sub(lambda match: values[match[1]], self.block)


def read_wording(folder: str, mode: str) -> Wording:
    """The wording of a mode; an empty folder name means ours. Raises RequestError, or DataError naming the field."""
    place = Path(folder) if folder else _OURS
    paths = [place / "description.txt", place / f"{mode}.txt"]
    for path in paths:
        if not path.is_file():
            raise RequestError(f"--set prompt={folder}: {path.name} is not there; mode {mode} needs it")
    description, block = (read_text(path).replace("\r\n", "\n") for path in paths)
    _check(paths[1], block, {"original_sentence"} if mode == "cloze" else {"original_sentence", "options"})
    return Wording(f"{description.rstrip()}\n\n" if description.strip() else "", block.removesuffix("\n"))


def _check(path: Path, block: str, needed: set[str]) -> None:
    used = set(_FIELD.findall(block))
    for field in sorted(needed ^ used):
        fault = "this placeholder is missing" if field in needed else "this placeholder is not known here"
        known = ", ".join(f"{{{{{name}}}}}" for name in sorted(needed))
        raise DataError(fault, path=path, field=field, mend=f"a block has {known}")
    if block.removesuffix("\n") != block.rstrip():
        raise DataError("the block ends in blanks; the answer's own space follows it", path=path, mend="remove them")
