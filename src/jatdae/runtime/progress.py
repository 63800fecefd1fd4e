"""Progress on standard error: a bar with rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

INTERVAL = 10.0
"""Seconds between plain lines."""
TELLING = 2.0
"""Seconds between words to a listener."""
Listener = Callable[[str, int, int], None]
"""Takes a label, how many are done, and of how many."""


class Progress:
    """Says what is going on: the stage, how far, how fast, how long yet. Silent when told to be."""

    def __init__(
        self, *, quiet: bool = False, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._quiet, self._clock = quiet, clock
        self._label, self._total, self._done, self._free = "", 0, 0, 0
        self._started = self._shown = clock()
        self._bar: Bar | None = None
        self._bar_task: TaskID | None = None
        self._listener: Listener | None = None
        self._told = -TELLING

    def listen(self, listener: Listener | None) -> None:
        """Tell a listener, too, at most every `TELLING` seconds and at the end of a count; None for nobody."""
        self._listener = listener

    def stage(self, text: str) -> None:
        """Name what happens next, such as loading weights."""
        if self._bar is not None:
            self._bar.console.print(text, highlight=False)
        elif not self._quiet:
            print(text, file=self._stream, flush=True)

    def start(self, label: str, total: int) -> None:
        """Begin to count towards a total."""
        self._label, self._total, self._done, self._free = label, total, 0, 0
        self._started = self._shown = self._clock()
        if not self._quiet and self._stream.isatty():
            self._bar = _bar(self._stream)
            self._bar_task = self._bar.add_task(label, total=total)
            self._bar.start()

    def advance(self, done: int, free: int = 0) -> None:
        """Report how many are done, of which `free` came from the store and say nothing about speed."""
        self._done, self._free = done, free
        if self._listener and self._clock() - self._told >= TELLING:
            self._tell()
        if self._bar is not None and self._bar_task is not None:
            self._bar.update(self._bar_task, completed=done)
        elif self._clock() - self._shown >= INTERVAL:
            self._shown = self._clock()
            self.stage(self._line())

    def end_at(self, total: int) -> None:
        """There is less to do than was said."""
        self._total = total

    def finish(self) -> None:
        """End the count with a line that stays."""
        if self._listener and self._total:
            self._tell()
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._bar_task = None
        if self._total:
            self.stage(self._line())
        self._total = 0

    def _tell(self) -> None:
        self._told = self._clock()
        if self._listener:
            self._listener(self._label, self._done, self._total)

    def _line(self) -> str:
        seconds = max(self._clock() - self._started, 1e-9)
        asked, left = self._done - self._free, self._total - self._done
        parts = [f"{self._label}: {self._done:,} of {self._total:,}"]
        if self._free:
            parts.append(f"{self._free:,} from the store")
        if asked:
            parts.append(f"{asked / seconds:.1f} a second")
            parts.append(f"{_duration(left * seconds / asked)} left" if left else f"in {_duration(seconds)}")
        return ", ".join(parts)


def _bar(stream: TextIO) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _rate_column(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(file=stream), transient=True)


def _rate_column():
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "")

    return Rate()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
