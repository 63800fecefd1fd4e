"""Several processes write one store at once; any of them may be killed at any moment."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from jatdae.models.base import ModelIdentity
from jatdae.store import Store, request_key
from jatdae.store.connection import FILE_NAME
from jatdae.types import Completion, Generate

WRITER = """
import sys
from jatdae.models.base import ModelIdentity
from jatdae.store import Store, request_key
from jatdae.types import Completion, Generate

directory, name, first, last, step = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
model = ModelIdentity("hf:./모델", {"weights": "aaa"})
sys.stdin.readline()  # all writers set off together
with Store.open(directory) as store:
    store.remember_model(model)
    for start in range(first, last, step):
        asked = [Generate(f"질문 {n} ☕") for n in range(start, min(start + step, last))]
        store.remember(
            model.key, [(request_key(model.key, one), one, Completion(f"{name}: 뷁 ☕ —", "stop")) for one in asked]
        )
        print(start + step, flush=True)
"""
MODEL = ModelIdentity("hf:./모델", {"weights": "aaa"})


def writer(directory: Path, name: str, first: int, last: int, step: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory), name, str(first), str(last), str(step)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def set_off(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.close()


def keys(count: int) -> list[str]:
    return [request_key(MODEL.key, Generate(f"질문 {n} ☕")) for n in range(count)]


def assert_sound(directory: Path) -> None:
    connection = sqlite3.connect(directory / FILE_NAME)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_two_processes_that_begin_together_leave_exactly_the_union(tmp_path: Path) -> None:
    writers = [writer(tmp_path / "new", "first", 0, 500, 1), writer(tmp_path / "new", "second", 250, 750, 1)]
    for process in writers:
        set_off(process)
    for process in writers:
        with process:
            assert process.wait(timeout=60) == 0

    with Store.open(tmp_path / "new") as store:
        found = store.answers(keys(750))
        assert store.counts()["responses"] == len(found) == 750
    texts = [answer.text for answer in found.values() if isinstance(answer, Completion)]
    assert {text.split(":")[0] for text in texts} == {"first", "second"}
    assert_sound(tmp_path / "new")


@pytest.mark.parametrize("batches", [1, 40])
def test_a_killed_process_leaves_every_answer_that_it_had_committed(tmp_path: Path, batches: int) -> None:
    process = writer(tmp_path, "killed", 0, 1_000_000, 7)
    with process:
        assert process.stdout is not None
        set_off(process)
        committed = [int(process.stdout.readline()) for _ in range(batches)][-1]
        process.kill()

    with Store.open(tmp_path) as store:
        assert len(store.answers(keys(committed))) == committed == 7 * batches
        assert store.counts()["responses"] % 7 == 0
        store.remember(MODEL.key, [(keys(1)[0], Generate("질문 0 ☕"), Completion("늦은 답", "stop"))])
    assert_sound(tmp_path)


def test_the_file_is_the_same_under_any_locale(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    source = tmp_path / "writer.py"
    source.write_text(WRITER, encoding="utf-8")
    for name, environment in (("utf8", {"PYTHONUTF8": "1"}), ("ascii", plain)):
        subprocess.run(
            [sys.executable, str(source), str(tmp_path / name), "same", "0", "20", "20"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
            check=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def rows(name: str) -> list[tuple[bytes, bytes, bytes]]:
        connection = sqlite3.connect(tmp_path / name / FILE_NAME)
        connection.text_factory = bytes
        found = connection.execute("SELECT key, answer, request FROM responses ORDER BY key").fetchall()
        connection.close()
        return found

    assert rows("utf8") == rows("ascii")
    assert "뷁 ☕ —".encode() in rows("ascii")[0][1]
