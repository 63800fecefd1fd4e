"""Runs of another store come in whole and once, and can be compared with those that were there."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from large_store import build_large_store

from jatdae.cli import run_app
from jatdae.errors import RequestError, StoreError
from jatdae.evaluate.comparing import compare
from jatdae.store import Store
from jatdae.store.importing import import_store
from jatdae.store.schema import FIRST


@pytest.fixture
def other(tmp_path) -> Path:
    """A store of another machine: two runs of two models, answers to some samples."""
    return build_large_store(tmp_path / "other", samples=400, a_result=200)


def contents(folder: Path) -> str:
    return hashlib.sha256((folder / "jatdae.sqlite3").read_bytes()).hexdigest()


def test_what_was_measured_elsewhere_is_as_if_it_had_been_measured_here(other, tmp_path):
    before = contents(other)
    with Store.open(tmp_path / "own") as store:
        store.start_run("jatdae run of our own", {}, {})

        found = import_store(store, other)

        assert (found.runs, found.results, found.samples, found.known) == (2, 2, 400, 0)
        assert found.responses == 4
        with Store.open(other) as source:
            for ours, theirs in zip(store.results(), source.results(), strict=True):
                assert (ours.run_id, ours.result) == (theirs.run_id + 1, theirs.result)
                assert list(store.samples(ours.id)) == list(source.samples(theirs.id))
                assert store.model_facts(ours.model_key) == source.model_facts(theirs.model_key)
        assert {run.origin for run in store.runs()} == {None, "other"}
        assert len(compare(store, ["2", "3"])) == 1
    assert contents(other) == before


def test_importing_again_adds_nothing(other, tmp_path):
    with Store.open(tmp_path / "own") as store:
        import_store(store, other)
        counts = store.counts()

        again = import_store(store, other)

        assert (again.runs, again.known) == (0, 2)
        assert store.counts() == counts


def test_answers_may_stay_behind(other, tmp_path):
    with Store.open(tmp_path / "own") as store:
        assert import_store(store, other, answers=False).responses == 0
        assert store.counts()["responses"] == 0


def test_a_running_run_waits_until_it_has_ended(other, tmp_path):
    with Store.open(other) as source:
        running = source.start_run("jatdae run later", {}, {})
        with Store.open(tmp_path / "own") as store:
            assert import_store(store, other).runs == 2
            source.end_run(running, "done")
            assert import_store(store, other).runs == 1


def test_a_store_of_an_older_jatdae_is_read_and_left_as_it_is(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    connection = sqlite3.connect(folder / "jatdae.sqlite3")
    connection.executescript(FIRST + "PRAGMA application_id=1245795396; PRAGMA user_version=1;")
    connection.execute(
        "INSERT INTO runs (command, started, status, versions, machine) VALUES ('c','t','done','{}','{}')"
    )
    connection.commit()
    connection.close()
    before = contents(folder)

    with Store.open(tmp_path / "own") as store:
        assert import_store(store, folder).runs == 1
        assert store.runs()[0].origin == "old"

    assert contents(folder) == before


def test_what_is_no_store_is_refused_in_one_line(tmp_path, other, capsys):
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "jatdae.sqlite3").write_bytes(b"no database at all, but long enough" * 9)
    with Store.open(tmp_path / "own") as store:
        with pytest.raises(RequestError, match="no store"):
            import_store(store, tmp_path)
        with pytest.raises(StoreError, match="not an SQLite"):
            import_store(store, tmp_path / "foreign")
        with pytest.raises(RequestError, match="is the store"):
            import_store(store, tmp_path / "own")
    assert run_app(["import", str(tmp_path / "nowhere"), "--store", str(tmp_path / "own")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_kill_in_the_middle_leaves_all_or_nothing(tmp_path):
    large = build_large_store(tmp_path / "large", samples=30_000, a_result=10_000)
    words = [sys.executable, "-m", "jatdae", "import", str(large), "--store", str(tmp_path / "own")]
    for pause in (0.4, 0.55, 0.7):
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with Store.open(tmp_path / "own") as store:
            counts = store.counts()
        assert counts["samples"] in (0, 30_000)
        assert (counts["runs"], counts["results"]) in ((0, 0), (3, 3))

    with Store.open(tmp_path / "own") as store:
        import_store(store, large)
        assert store.counts()["samples"] == 30_000
