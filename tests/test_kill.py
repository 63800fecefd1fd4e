"""Killed twenty times at random moments, a run ends with the numbers of an undisturbed one and asks nothing twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

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


@pytest.mark.slow
def test_the_command_line_survives_twenty_kills_on_real_data(tiny_model: Path, upstream: Path, tmp_path: Path) -> None:
    """The whole way with a real model: `jatdae run` on KMMLU, killed between start-up and end, then let to finish."""
    command = [sys.executable, "-c", "from jatdae.cli import main; main()", "run", "kmmlu", "--data", str(upstream)]
    command += ["--model", f"hf:{tiny_model}", "--limit", "40", "--truncate", "left", "--quiet", "--json"]
    command += ["--store"]
    calm = subprocess.run([*command, str(tmp_path / "calm")], capture_output=True, text=True, check=True)

    store, moments, answered = tmp_path / "store", random.Random(4), [0]
    for _ in range(20):
        process = subprocess.Popen([*command, str(store)], stdout=subprocess.DEVNULL)
        time.sleep(moments.uniform(1, 12))
        process.kill()
        process.wait()
        if (store / "jatdae.sqlite3").exists():
            with Store.open(store) as opened:
                answered.append(opened.counts()["responses"])
    last = subprocess.run([*command, str(store)], capture_output=True, text=True, check=True)

    expected, found = (json.loads(run.stdout)["results"][0] for run in (calm, last))
    for part in ("estimates", "rates", "floors", "breakdown", "complete"):
        assert found[part] == expected[part]
    assert answered == sorted(answered), "an answer was lost"
    assert max(answered) > 0
    with Store.open(tmp_path / "calm") as calm_store, Store.open(store) as opened:
        assert opened.counts()["responses"] == calm_store.counts()["responses"]
