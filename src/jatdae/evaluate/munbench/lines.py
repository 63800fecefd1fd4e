"""JSON lines that survive: written whole beside the old file and renamed, read with faulty lines set aside.

A crash may leave half a line at a file's end, and another program may have appended to it. Such lines are moved to
`NAME.bad` and told; all others are kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jatdae.errors import JatdaeError

LONGEST_LINE = 64 * 2**20


def read_lines(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The objects of a file in order, and one warning when lines were set aside. A missing file is empty."""
    if not path.exists():
        return [], []
    good: list[dict[str, Any]] = []
    bad: list[bytes] = []
    with path.open("rb") as stream:
        for line in stream:
            value = _object(line)
            if value is not None:
                good.append(value)
            elif line.strip():
                bad.append(line)
    if not bad:
        return good, []
    aside = path.with_name(path.name + ".bad")
    with aside.open("ab") as stream:
        stream.writelines(line.rstrip(b"\n") + b"\n" for line in bad)
    write_lines(path, good)
    return good, [f"{path}: {len(bad)} of {len(bad) + len(good)} lines are broken and were moved to {aside.name}"]


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8-sig", "strict")) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Put a whole file in the place of the old one, or leave the old one as it is."""
    write_text(path, "".join(to_line(record) + "\n" for record in records))


def to_line(record: Mapping[str, Any]) -> str:
    """One line of JSON; a lone surrogate is spelled as an escape."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return "".join(sign if not "\ud800" <= sign <= "\udfff" else f"\\u{ord(sign):04x}" for sign in text)


def write_text(path: Path, text: str) -> None:
    """Put a whole text file in the place of the old one. Raises JatdaeError when it cannot be written.

    The passing file has a fixed name, so that one that a killed run left behind is taken up by the next.
    """
    passing = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with passing.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        passing.replace(path)
    except OSError as error:
        passing.unlink(missing_ok=True)
        raise JatdaeError(f"{path} cannot be written ({error.strerror}); check the folder and its space") from None
