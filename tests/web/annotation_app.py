"""The annotation and negation pages on a loopback port, in a process of its own that can be killed.

`python annotation_app.py STORE PORT [NEGATION_PROJECT]` serves; `serving(...)` starts that and waits for it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TOKEN = "a-secret-of-this-test"


@dataclass
class Served:
    """A running app. `kill` ends it as a crash would, `start` brings it back on the same port."""

    store: Path
    port: int
    project: Path | None
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        words = [sys.executable, __file__, str(self.store), str(self.port)]
        words += [str(self.project)] if self.project else []
        self.process = subprocess.Popen(words, env={**os.environ, "OMP_NUM_THREADS": "1"})
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)


@contextmanager
def serving(store: Path, project: Path | None = None) -> Iterator[Served]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        served = Served(store, free.getsockname()[1], project)
    served.start()
    try:
        yield served
    finally:
        served.kill()


def main(store: str, port: str, project: str | None = None) -> None:
    import uvicorn

    from jatdae.app.context import AppContext
    from jatdae.app.server import build_app
    from jatdae.store import Store

    context = AppContext(Store.open(store), TOKEN, "en", Path(project) if project else None)
    uvicorn.run(build_app(context), host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
