"""A run of the whole pipeline that several tests look at or go on from; each gets its own copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty_server import FaultyServer
from judge_replies import reply
from mun_runs import CALLS, UNITS, MunRun, forget

CALLS_OF_ALL = 3 * CALLS + 3 * UNITS * 2 * 2 + 3 * 40 * 2 * 2
"""Texts; then models, units, judges that are asked and iterations; then pairs of models, prompts, judges and orders."""


@pytest.fixture(scope="session")
def mun_server():
    """A faultless server. It is one for all tests, since its address belongs to what a model is."""
    with FaultyServer(reply) as running:
        yield running


@pytest.fixture(scope="session")
def finished(mun_server: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> MunRun:
    """Three contestants, two judges and the rule on the bundled set, through all stages; not to be changed."""
    forget(mun_server)
    run = MunRun(tmp_path_factory.mktemp("finished"), mun_server)
    assert run.stages() == ([], [])
    assert max(mun_server.answered.values()) == 1, "an answered request was asked again"
    assert mun_server.answered.total() == len(mun_server.requests) == CALLS_OF_ALL
    return run


@pytest.fixture
def run(finished: MunRun, tmp_path: Path) -> MunRun:
    """A copy of the finished run, to go on from; the server counts from here."""
    forget(finished.server)
    return finished.copied(tmp_path)
