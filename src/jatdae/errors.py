"""Every error that Jatdae raises on purpose.

JatdaeError                 the work failed (exit code 1)
├── RequestError            the user asked for something that cannot be (exit code 2)
│   └── DataError           a data file cannot be used; carries file, line and field
├── StoreError              the store cannot be read or written
├── ModelError              a model cannot be loaded or run
├── Interrupted             the user stopped the run; what was answered is stored
└── RequestFailed           one request to a model got no answer; the rest go on
    └── TransientFailure    asking again may help: a rate limit, a server's fault, a dropped connection

A message is one line: what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import partial
from pathlib import Path


class JatdaeError(Exception):
    """The work failed. The command line turns it into one line and exit code 1."""

    exit_code = 1


class RequestError(JatdaeError):
    """The request was wrong: an unknown task, a bad option, a bad data file. Exit code 2."""

    exit_code = 2


class DataError(RequestError):
    """A data file cannot be used. Names the file and, where they are known, the line and the field."""

    def __init__(
        self,
        what: str,
        *,
        path: Path | str,
        line: int | None = None,
        field: str | None = None,
        mend: str = "",
    ) -> None:
        self.path, self.line, self.field = Path(path), line, field
        where = str(path)
        if line is not None:
            where += f", line {line}"
        if field is not None:
            where += f", field {field!r}"
        super().__init__(f"{where}: {what}" + (f"; {mend}" if mend else ""))


class StoreError(JatdaeError):
    """The store is damaged, foreign, of a newer schema, or not writable."""


class ModelError(JatdaeError):
    """A model cannot be found, loaded or run."""


class Interrupted(JatdaeError):
    """The user stopped the run; what was answered is stored."""

    def __init__(self) -> None:
        super().__init__("stopped; what was answered is stored, the same command continues")


class RequestFailed(JatdaeError):
    """One request got no answer. Its item becomes `failed`; the result becomes incomplete.

    `kind` is a short stable word for counting, such as `overlong` or `memory`.
    """

    def __init__(self, message: str, *, kind: str) -> None:
        self.kind = kind
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        """It travels between processes whole; by itself an exception leaves its keywords behind."""
        return partial(type(self), str(self), kind=self.kind), ()


class TransientFailure(RequestFailed):
    """One attempt failed in a way that passes: 408, 409, 429, 5xx, a timeout, a lost connection, a broken answer.

    `retry_after` is how many seconds the server asks to wait, where it says so.
    """

    def __init__(self, message: str, *, kind: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message, kind=kind)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or lists a few; for the end of a message."""
    choices = sorted(known)
    near = difflib.get_close_matches(word.lower(), choices, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]!r}?"
    shown = ", ".join(choices[:12]) + (", ..." if len(choices) > 12 else "")
    return f"known: {shown}"
