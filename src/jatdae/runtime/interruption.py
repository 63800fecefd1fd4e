"""Ctrl-C: the first drains, the second stops at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

from jatdae.errors import Interrupted


class stopped_by_ctrl_c:
    """While inside, Ctrl-C calls `stop`, which lets the part in work end and be stored; a second one ends the process.

    Nothing that was answered is lost by either: answers are committed as they come.
    """

    def __init__(self, stop: Callable[[], None], say: Callable[[str], None]) -> None:
        self._stop, self._say = stop, say
        self._installed = self._stopped = False

    async def __aenter__(self) -> None:
        try:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._pressed)
            self._installed = True
        except (NotImplementedError, RuntimeError, ValueError):
            pass  # not the main thread, or a system without signal handlers: Ctrl-C then stops at once

    async def __aexit__(self, *_: object) -> None:
        if self._installed:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    def _pressed(self) -> None:
        if self._stopped:
            os._exit(Interrupted.exit_code)
        self._stopped = True
        self._stop()
        self._say("stopping after the part in work; press Ctrl-C again to stop at once")
