"""Running another program: in a process group of its own, heard only so far, and ended in time. POSIX only."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

OUTPUT_BYTES = 8 * 2**20
"""What a program may write to its output; one that writes more is ended."""
TAIL_BYTES = 64 * 2**10
"""How much of the end of the error output is kept."""
GRACE_SECONDS = 2.0
"""How long a dead program's pipes may stay open, held by a child that left the group."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended. `code` is negative for a signal, None when nobody knows. `stderr` holds the end only."""

    code: int | None
    stdout: str
    stderr: str
    timed_out: bool = False
    overflowed: bool = False


class _Listener(asyncio.SubprocessProtocol):
    """Keeps what a program writes, up to the limits. `done` is set when it has ended or has written too much."""

    def __init__(self) -> None:
        self.stdout, self.stderr = bytearray(), bytearray()
        self.overflowed = False
        self.done, self.exited, self.silent = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._open_pipes = 2

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr += data
            del self.stderr[:-TAIL_BYTES]
        elif len(self.stdout) + len(data) <= OUTPUT_BYTES and not self.overflowed:
            self.stdout += data
        else:
            self.overflowed = True
            self.done.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open_pipes -= 1
        if not self._open_pipes:
            self.silent.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.done.set()


async def run(
    command: Sequence[str], *, stdin: bytes, folder: Path, environment: Mapping[str, str], seconds: float
) -> Finished:
    """Run a program to its end, or to the end of its time; then its whole process group is killed.

    The group is killed as well when the caller is cancelled. Raises OSError when the program cannot be started.
    """
    loop = asyncio.get_running_loop()
    # A file instead of a pipe: nothing has to be fed, and a program that does not read cannot block anybody.
    with tempfile.TemporaryFile() as typed:
        typed.write(stdin)
        typed.seek(0)
        transport, protocol = await loop.subprocess_exec(
            _Listener,
            *command,
            stdin=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    listener, timed_out = cast(_Listener, protocol), False
    try:
        async with asyncio.timeout(seconds):
            await listener.done.wait()
    except TimeoutError:
        timed_out = True
    finally:
        # Also after a good end: a child left behind would hold the pipes open and outlive the run.
        _kill_group(transport.get_pid())
        try:
            await _settled(listener)
        finally:
            transport.close()
    return Finished(
        transport.get_returncode(), _text(listener.stdout), _text(listener.stderr), timed_out, listener.overflowed
    )


async def _settled(listener: _Listener) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_SECONDS):
            await listener.exited.wait()
            await listener.silent.wait()


def run_briefly(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Finished:
    """Run a short command that reads nothing, in an empty folder; both outputs come back as `stdout`, cut.

    Raises OSError when the program cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="jatdae-") as folder, tempfile.TemporaryFile() as written:
        process = subprocess.Popen(  # noqa: S603 - a list of words, and no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        code = None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _kill_group(process.pid)
            process.wait()
        written.seek(0)
        return Finished(code, _text(written.read(TAIL_BYTES)), "", timed_out=code is None)


def _kill_group(leader: int) -> None:
    # macOS answers EPERM for a group of which only the unreaped leader is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _text(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "replace")
