"""Chunks over processes: order, lost workers, and nothing left behind."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from jatdae.errors import JatdaeError, RequestError
from jatdae.negation.corpus.engines import LocalEngine, open_engine


def slow_first(chunk: int) -> int:
    time.sleep(0.2 if chunk == 0 else 0)
    return chunk * chunk


def dies_once(mark: Path, chunk: int) -> int:
    if chunk == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return chunk + 1


def always_dies(chunk: int) -> int:
    os._exit(9)


def test_answers_come_in_the_order_of_the_chunks():
    with LocalEngine(2) as engine:
        assert list(engine.map(slow_first, range(9))) == [(chunk, chunk * chunk) for chunk in range(9)]


def test_one_worker_and_one_chunk_stay_in_this_process():
    here = os.getpid()

    assert [answer for _, answer in LocalEngine(1).map(lambda _: os.getpid(), range(3))] == [here] * 3
    assert [answer for _, answer in LocalEngine(2).map(lambda _: os.getpid(), [1])] == [here]


def test_chunks_are_taken_as_they_are_needed():
    taken = []

    def chunks():
        for number in range(1_000):
            taken.append(number)
            yield number

    with LocalEngine(2) as engine:
        answers = engine.map(abs, chunks())
        for _ in range(5):
            next(answers)

    assert len(taken) < 20


def test_work_that_a_lost_process_took_along_is_begun_anew(tmp_path):
    with LocalEngine(2) as engine:
        found = list(engine.map(partial(dies_once, tmp_path / "mark"), range(8)))

    assert (tmp_path / "mark").exists()
    assert found == [(chunk, chunk + 1) for chunk in range(8)]


def test_work_that_kills_every_process_ends_with_an_error():
    with LocalEngine(2) as engine, pytest.raises(JatdaeError, match="lost"):
        list(engine.map(always_dies, range(4)))


@pytest.mark.parametrize(("name", "workers"), [("local", 0), ("rays", 1)])
def test_an_engine_that_cannot_be_is_refused(name, workers):
    with pytest.raises(RequestError):
        open_engine(name, workers)
