"""Killed twenty times at random moments, a run ends with the numbers of an undisturbed one and asks nothing twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from jatdae.store import Store

SCRIPT = Path(__file__).with_name("killed.py")


def start(store: Path, log: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(SCRIPT), str(store), str(log)], stdout=subprocess.PIPE, text=True)


def stored_keys(store: Path, asked: set[str]) -> set[str]:
    if not (store / "jatdae.sqlite3").exists():
        return set()
    with Store.open(store) as opened:
        return set(opened.answers(sorted(asked)))


def test_twenty_kills_change_no_number_and_lose_no_answer(tmp_path: Path) -> None:
    undisturbed = start(tmp_path / "calm", tmp_path / "calm.log")
    expected = json.loads(undisturbed.communicate(timeout=120)[0])
    whole = set((tmp_path / "calm.log").read_text().split())

    store, moments, answered = tmp_path / "store", random.Random(20), set[str]()
    for kill in range(20):
        log = tmp_path / f"{kill}.log"
        process = start(store, log)
        time.sleep(moments.uniform(0.3, 1.2))
        process.kill()
        process.wait()
        asked = log.read_text().split() if log.exists() else []
        assert not answered.intersection(asked), "a request that had been answered was asked again"
        now = stored_keys(store, whole)
        assert answered <= now, "an answer was lost"
        answered = now

    last = start(store, tmp_path / "last.log")
    assert json.loads(last.communicate(timeout=120)[0]) == expected
    asked = (tmp_path / "last.log").read_text().split() if (tmp_path / "last.log").exists() else []
    assert set(asked) == whole - answered
    assert len(asked) == len(set(asked))
