"""`jatdae run munbench/...`: one command from a model and a judge to estimates, without a settings file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from judge_replies import reply

from jatdae.cli import run_app
from jatdae.store import Store


def _run(server: FaultyServer, store: Path, *words: str) -> int:
    common = ["--data", "mini", "--base-url", server.base_url, "--store", str(store), "--json", "--quiet"]
    return run_app(["run", *words, "--model", "openai:작가", *common])


def test_a_track_is_written_judged_and_measured(tmp_path, capsys):
    with FaultyServer(reply) as server:
        code = _run(
            server, tmp_path, "munbench/nuance", "--judge", "openai:심사", "--judge", "rule", "--set", "iterations=2"
        )

    told = json.loads(capsys.readouterr().out)
    (result,) = told["results"]
    estimates = result["estimates"]
    assert code == 0
    assert result["headline"] == "rubric"
    assert estimates["rubric"]["n"] == 16
    assert estimates["rubric"]["value"] == pytest.approx(
        (estimates["judge openai:심사"]["value"] + estimates["judge rule"]["value"]) / 2
    )
    assert set(result["breakdown"]["group"]) == {"register", "idiom", "culture-pair", "subtext"}
    assert {"culture-pair", "idiom"} <= set(result["breakdown"]["specified minus neutral"])
    assert all(0 <= one["value"] <= 1 for one in estimates.values())
    assert any("not validated against people" in note for note in result["notes"])
    # 27 prompts (variants included) once by the contestant, each twice by the one judge that is a model
    assert len(server.requests) == 27 * 3
    assert max(server.answered.values()) == 1


def test_a_run_again_asks_nothing_and_says_the_same(tmp_path, capsys):
    with FaultyServer(reply) as server:
        _run(server, tmp_path, "munbench/literary", "--judge", "openai:심사", "--set", "iterations=1")
        first = json.loads(capsys.readouterr().out)["results"]
        asked = len(server.requests)
        _run(server, tmp_path, "munbench/literary", "--judge", "openai:심사", "--set", "iterations=1")
        second = json.loads(capsys.readouterr().out)["results"]

    assert first == second
    assert len(server.requests) == asked


def test_a_judge_that_never_gives_scores_leaves_the_result_incomplete(tmp_path, capsys):
    def mute(body):
        return "점수를 매기기 어렵네요." if body["model"] == "심사" else reply(body)

    with FaultyServer(mute) as server:
        code = _run(server, tmp_path, "munbench/literary", "--judge", "openai:심사", "--set", "iterations=1")

    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert code == 1
    assert not result["complete"]
    assert result["estimates"] == {}
    with Store.open(tmp_path) as store:
        (stored,) = store.results()
        assert all("openai:심사" in sample.detail["error"] for sample in store.samples(stored.id))


def test_an_empty_text_gets_the_floor_and_its_judge_is_not_asked(tmp_path, capsys):
    def empty(body):
        return "" if body["model"] == "작가" else reply(body)

    with FaultyServer(empty) as server:
        _run(server, tmp_path, "munbench/literary", "--judge", "openai:심사", "--set", "iterations=1")

    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["estimates"]["rubric"]["value"] == 0
    assert {body["model"] for body in server.requests} == {"작가"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("munbench/nuance",), "needs a judge"),
        (("munbench/nuance", "--judge", "openai:작가"), "judged by itself alone"),
        (("munbench/nuance", "--judge", "rule", "--set", "iterations=0"), "iterations '0'"),
        (("munbench/nuance", "--judge", "rule", "--set", "profile=strict"), "profile 'strict'"),
        (("munbench/nuance", "--judge", "rule", "--shots", "2"), "knows no examples"),
        (("kmmlu", "--judge", "rule"), "no setting 'judges'"),
        (("munbench/nuance", "--judge", "opnai:x"), "unknown backend 'opnai'"),
        (("munbench/nuance", "--judge", "openai:x@hihg"), "unknown effort 'hihg'"),
    ],
)
def test_a_wrong_request_is_one_line_and_spends_no_call(tmp_path, capsys, words, told):
    with FaultyServer(reply) as server:
        code = _run(server, tmp_path, *words)

    assert code == 2
    assert told in capsys.readouterr().err
    assert not server.requests


@pytest.mark.parametrize(("task", "mode", "items"), [("kmmlu", "direct", 32), ("konubench", "chat", 31)])
def test_other_benchmarks_are_asked_through_the_same_backends(tmp_path, capsys, task, mode, items):
    with FaultyServer(lambda body: "정답: B") as server:
        code = _run(server, tmp_path, task, "--mode", mode)

    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert code == 0
    assert result["items"] == items
    assert 0 < result["estimates"][result["headline"]]["value"] < 1


def test_log_likelihoods_are_refused_with_the_reason(tmp_path, capsys):
    with FaultyServer(reply) as server:
        assert _run(server, tmp_path, "kmmlu", "--mode", "letter") == 2
    assert "log-likelihoods" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["openai:x", "litellm:openrouter/openai/gpt-5", "claude-cli:opus", "codex-cli:gpt-5"])
def test_offline_asks_nobody_elsewhere(tmp_path, capsys, model):
    code = run_app(
        ["run", "kmmlu", "--mode", "direct", "--data", "mini", "--model", model, "--offline", "--store", str(tmp_path)]
    )

    assert code == 2
    assert "--offline" in capsys.readouterr().err


def test_offline_may_ask_a_server_on_this_machine(tmp_path, capsys):
    with FaultyServer(lambda body: "정답: B") as server:
        assert _run(server, tmp_path, "kmmlu", "--mode", "direct", "--offline") == 0


def test_calls_end_at_the_cap_and_the_rest_is_missing(tmp_path, capsys):
    with FaultyServer(lambda body: "정답: B") as server:
        code = _run(server, tmp_path, "kmmlu", "--mode", "direct", "--max-calls", "5")

    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert code == 1
    assert not result["complete"]
    assert len(server.requests) == 5
    assert "budget" in result["notes"][0] or any("budget" in note for note in result["notes"])
