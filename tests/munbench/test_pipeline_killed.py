"""Killed at random moments, a MunBench run ends with the files of an undisturbed one and asks nothing twice.

Files are compared byte for byte but for three things that tell of time: `seconds` of every call (in the records and in
the store's answers), and `at` in the leaderboard, which is when it was written.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from faulty_server import Body, FaultyServer
from judge_replies import reply
from mun_runs import FIRST, SECOND, MunRun, forget

SETTINGS = {
    "models": [FIRST, SECOND],
    "judges": ["openai:판관-1", "openai:판관-2"],
    "rubric_iterations": 1,
    "concurrency": 6,
}
KILLS = 5
JATDAE = (sys.executable, "-c", "from jatdae.cli import main; main()", "munbench")


def _start(run: MunRun) -> subprocess.Popen[str]:
    words = [*JATDAE, "run", "--quiet", "--config", str(run.write())]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def _finish(process: subprocess.Popen[str]) -> None:
    _, told = process.communicate(timeout=100)
    assert process.returncode == 0, told


def _kill_once(process: subprocess.Popen[str], server: FaultyServer, answers: int) -> str:
    """Kill a process when the server has given so many different answers; returns the stage of the last question."""
    while len(server.answered) < answers:
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.001)
    process.kill()
    process.communicate()
    return _stage(server.requests[-1])


def _stage(body: Body) -> str:
    wanted = body.get("response_format")
    if wanted is None:
        return "generate"
    return "rubric" if "scores" in wanted["json_schema"]["schema"]["properties"] else "pairwise"


def _stored_answers(run: MunRun) -> dict[str, dict[str, object]]:
    """The store's answers by key, without how long they took."""
    connection = sqlite3.connect(run.results / "jatdae.sqlite3")
    rows = connection.execute("SELECT key, answer FROM responses").fetchall()
    connection.close()
    return {key: {**json.loads(answer), "seconds": None} for key, answer in rows}


def test_five_kills_over_the_stages_change_no_file_and_repeat_no_answered_call(tmp_path: Path) -> None:
    with FaultyServer(reply, latency=0.01) as server:
        calm = MunRun(tmp_path / "calm", server, SETTINGS)
        _finish(_start(calm))
        calls = len(server.answered)
        assert len(server.requests) == calls

        forget(server)
        run, stages, known = MunRun(tmp_path / "killed", server, SETTINGS), [], set[str]()
        for moment in sorted(random.Random(7).sample(range(1, calls), KILLS)):
            asked_before = dict(server.seen)
            stages.append(_kill_once(_start(run), server, moment))
            again = {key for key, times in server.seen.items() if times > asked_before.get(key, 0)} & known
            assert not again, "a call whose answer was stored was made again"
            stored = run.stored_bodies()
            assert known <= stored, "an answer was lost"
            # What the server sent in the last moment may not have arrived: no more than was under way.
            assert len(set(server.answered) - stored) <= SETTINGS["concurrency"]
            known = stored
        assert set(stages) == {"generate", "rubric", "pairwise"}

        asked_before = dict(server.seen)
        _finish(_start(run))
        asked = {key for key, times in server.seen.items() if times > asked_before.get(key, 0)}
        assert not asked & known
        assert set(server.answered) == run.stored_bodies()
        assert server.answered.total() - len(server.answered) <= KILLS * SETTINGS["concurrency"]
    assert run.files() == calm.files()
    assert _stored_answers(run) == _stored_answers(calm)


def test_a_kill_while_results_are_written_leaves_every_file_whole(run: MunRun) -> None:
    """At the end nothing is asked any more; files are written beside the old ones, so that each is old or new."""
    before, moments = run.files(), random.Random(3)
    for name in ("elo.json", "ratings.json"):
        (run.results / name).unlink()
    words = [*JATDAE, "elo", "--quiet", "--config", str(run.write())]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (run.results / "ratings.json").exists():
        assert process.poll() is None
        time.sleep(0.001)
    time.sleep(moments.uniform(0, 0.01))
    process.kill()
    process.wait()
    for file in run.results.rglob("*.json"):
        json.loads(file.read_text("utf-8"))
    assert run.stages() == ([], [])
    assert run.server.requests == []
    assert run.files() == before
