"""Faults of other tools with models behind an API: lost requests scored as mistakes, retries counted twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faulty_server import Body, FaultyServer, Raw
from kmmlu_folder import write_csv

from jatdae.cli import run_app
from jatdae.store import Store

QUESTIONS = [f"문제 {number}" for number in range(10)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten questions, all with the answer A."""
    rows = [(question, 1, "하나", "둘", "셋", "넷") for question in QUESTIONS]
    write_csv(tmp_path / "data" / "Law-test.csv", rows)
    return tmp_path / "data"


def _asked(body: Body) -> int:
    """Which of the ten questions a request holds."""
    told = body["messages"][-1]["content"]
    return next(number for number in reversed(range(10)) if QUESTIONS[number] in told)


def _run(server: FaultyServer, data: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict]:
    where = ["--base-url", server.base_url, "--data", str(data), "--store", str(store)]
    code = run_app(
        ["run", "kmmlu/law", "--mode", "direct", "--shots", "0", "--model", "openai:x", *where, "--json", "--quiet"]
    )
    (result,) = json.loads(capsys.readouterr().out)["results"]
    return code, result


def test_requests_that_end_in_429_are_missing_and_not_wrong(tmp_path, data, capsys):
    """Given 7 right, 1 wrong and 2 that are turned away, then the result is incomplete, and a rerun asks for the 2."""
    closed = [True]

    def reply(body: Body):
        number = _asked(body)
        if number >= 8 and closed[0]:
            return Raw({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.01"})
        return "정답: B" if number == 7 else "정답: A"

    with FaultyServer(reply) as server:
        code, result = _run(server, data, tmp_path / "store", capsys)
        before = len(server.requests)
        closed[0] = False
        again_code, again = _run(server, data, tmp_path / "store", capsys)
        asked_again = [_asked(body) for body in server.requests[before:]]

    assert (code, again_code) == (1, 0)
    assert not result["complete"]
    assert result["estimates"]["acc"]["value"] == pytest.approx(0.875)
    assert result["rates"]["failed"]["value"] == pytest.approx(0.2)
    assert any("0.8750 over the 8 answered, 0.7000 over all 10" in note for note in result["notes"])
    assert again["complete"]
    assert again["estimates"]["acc"]["value"] == pytest.approx(0.9)
    assert sorted(asked_again) == [8, 9]


def test_a_retry_after_a_rate_limit_is_one_sample(tmp_path, data, capsys):
    """Given every question turned away once, when it is answered, then it counts once and as it was answered."""
    seen: set[int] = set()

    def reply(body: Body):
        number = _asked(body)
        if number not in seen:
            seen.add(number)
            return Raw({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.01"})
        return "정답: A"

    with FaultyServer(reply) as server:
        code, result = _run(server, data, tmp_path / "store", capsys)

    assert code == 0
    assert (result["items"], result["estimates"]["acc"]["n"], result["estimates"]["acc"]["value"]) == (10, 10, 1.0)
    with Store.open(tmp_path / "store") as store:
        assert store.counts()["samples"] == store.counts()["responses"] == 10
