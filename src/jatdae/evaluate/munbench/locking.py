"""One process a results folder: two would ask, and pay, for the same things."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from jatdae.errors import JatdaeError

if os.name == "nt":
    import msvcrt

    def _lock(stream: IO[str]) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(stream: IO[str]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system lets go of it when the process ends, however it ends.

    Raises JatdaeError when another process holds it or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / ".lock").open("a")
    except OSError as error:
        raise JatdaeError(f"{folder} cannot be written ({error.strerror}); choose another paths.results_dir") from None
    with stream:
        try:
            _lock(stream)
        except OSError:
            raise JatdaeError(
                f"{folder} is in use by another run; wait for it, or choose another results_dir"
            ) from None
        yield
