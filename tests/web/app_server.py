"""The app in a process of its own, as `jatdae view` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0


@contextmanager
def running_app(store: Path, *more: str) -> Iterator[str]:
    """The address with its token; the process is killed at the end."""
    words = [sys.executable, "-m", "jatdae", "view", "--store", str(store), "--no-browser", *more]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        yield _address(process)
    finally:
        process.kill()
        process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        line = process.stderr.readline().strip()
        if line.startswith("http://"):
            return line
        if process.poll() is not None:
            break
    raise AssertionError(f"the app did not start: {line} {process.stderr.read()}")
