"""One writer at a time: others wait for a while, then give up with a word of why."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from jatdae.errors import JatdaeError

PATIENCE = 60.0
"""Seconds. Nobody holds the lock while a model is asked, so this is long."""

if os.name == "nt":
    import msvcrt

    def _lock(stream: IO[bytes]) -> None:
        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of a file; the system lets go of it when the process ends, however it ends.

    Raises JatdaeError when another process holds it for longer than `patience` seconds.
    """
    file = path.with_name(f".{path.name}.lock")
    try:
        stream = file.open("ab")
    except OSError as error:
        raise JatdaeError(f"{file} cannot be written ({error.strerror}); check the project folder") from None
    with stream:
        _wait(stream, path, patience)
        yield


def _wait(stream: IO[bytes], path: Path, patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            _lock(stream)
        except OSError:
            if time.monotonic() > until:
                raise JatdaeError(f"{path} is being written by another process; try again when it is done") from None
            time.sleep(0.02)
        else:
            return
