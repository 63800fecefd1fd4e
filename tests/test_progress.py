"""Progress in plain lines: how far, how fast, how long yet, and what the store gave for free."""

from __future__ import annotations

import io

from jatdae.runtime import Progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_at_intervals_and_tell_rate_and_time_left() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = Progress(stream=stream, clock=clock)
    progress.start("konubench cloze 5-shot", 5000)
    clock.now = 1.0
    progress.advance(1250, free=1200)
    assert stream.getvalue() == ""
    clock.now = 20.0
    progress.advance(1400, free=1200)
    assert (
        stream.getvalue()
        == "konubench cloze 5-shot: 1,400 of 5,000, 1,200 from the store, 10.0 a second, 6 min 00 s left\n"
    )
    clock.now = 380.0
    progress.advance(5000, free=1200)
    progress.finish()
    assert stream.getvalue().endswith("5,000 of 5,000, 1,200 from the store, 10.0 a second, in 6 min 20 s\n")


def test_quiet_says_nothing() -> None:
    stream = io.StringIO()
    progress = Progress(quiet=True, stream=stream)
    progress.stage("loading weights")
    progress.start("task", 1)
    progress.advance(1)
    progress.finish()
    assert stream.getvalue() == ""
