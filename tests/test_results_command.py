"""Listing results, explaining a run, and how to get it again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from large_store import build_large_store

from jatdae.cli import run_app
from jatdae.store import Store, redact, request_key
from jatdae.types import Completion, Generate, Outcome, Protocol, Sample


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_large_store(tmp_path_factory.mktemp("list") / "store", samples=600, a_result=100)


def listed(capsys, store: Path, *words: str) -> list[dict]:
    assert run_app(["results", "--store", str(store), "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)["results"]


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        ((), [6, 5, 4, 3, 2, 1]),
        (("--task", "konubench"), [6, 3]),
        (("--model", "모형-1", "--mode", "letter"), [4, 2]),
        (("--last", "2"), [6, 5]),
        (("--status", "failed"), []),
        (("--since", "2999-01-01"), []),
    ],
)
def test_filters_leave_what_fits_newest_first(store, capsys, words, runs):
    assert [one["run_id"] for one in listed(capsys, store, *words)] == runs


def test_the_best_of_each_question_and_model_stand_first(store, capsys):
    found = listed(capsys, store, "--best", "--task", "kmmlu")

    values = [one["result"]["estimates"]["macro"]["value"] for one in found]
    assert values == sorted(values, reverse=True)
    assert len({one["model_reference"] for one in found}) == len(found) == 2


@pytest.mark.parametrize("words", [("--status", "good"), ("--since", "yesterday")])
def test_a_filter_that_cannot_be_is_refused(store, capsys, words):
    assert run_app(["results", "--store", str(store), *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_run_is_explained_with_its_outcomes(store, capsys):
    assert run_app(["show", "1", "--store", str(store)]) == 0

    told = capsys.readouterr().out
    assert "macro *" in told
    assert "samples: refused" in told or "samples: right" in told


def test_how_to_get_a_run_again_is_a_script_that_a_shell_can_read(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        store.remember_model(
            SimpleNamespace(key="k", reference="hf:org/m", facts={"weights": "commit abc", "dtype": "float32"})
        )
        command = redact(["jatdae", "run", "kmmlu", "--api-key", "sk-12345678901234567890", "--model", "hf:org/m"])
        run = store.start_run(
            command, {"python": "3.11.7", "jatdae": "0.1.0", "torch": "2.13.0+cpu"}, {"system": "Linux"}
        )
        facts = {"fingerprint": "f" * 64, "data_hash": "d" * 64, "task_version": "2"}
        store.start_result(run, task="kmmlu", model_key="k", mode="letter", protocol=Protocol(mode="letter"), **facts)

    assert run_app(["show", "1", "--reproduce", "--store", str(tmp_path)]) == 0
    script = capsys.readouterr().out
    assert run_app(["show", "1", "--reproduce", "--json", "--store", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)["reproduction"]

    assert subprocess.run(["sh", "-n"], input=script, text=True, check=False).returncode == 0
    assert "sk-1234" not in script
    assert told["command"] == "jatdae run kmmlu --api-key *** --model hf:org/m"
    assert told["constraints"] == ["jatdae==0.1.0", "torch==2.13.0"]
    assert told["data"] == ["jatdae data pull kmmlu", "jatdae data validate kmmlu"]
    assert told["expected"][0]["fingerprint"] == "f" * 64
    assert "commit abc" in script


def test_a_terminal_is_safe_from_what_a_model_says(tmp_path, capsys):
    said = "\x1b]0;taken\x07\x1b[2J" + "아" * 100_000
    with Store.open(tmp_path) as store:
        store.remember_model(SimpleNamespace(key="k", reference="hf:m", facts={}))
        request = Generate("물음")
        key = request_key("k", request)
        store.remember("k", [(key, request, Completion(said, "stop"))])
        run = store.start_run("jatdae run", {}, {})
        facts = {"fingerprint": "f", "data_hash": "d", "task_version": "1"}
        result = store.start_result(
            run, task="t", model_key="k", mode="direct", protocol=Protocol(mode="direct"), **facts
        )
        store.add_samples(result, [Sample("1", Outcome.WRONG, said, "A", requests=(key,))])

    assert run_app(["show", "1", "--samples", "1", "--store", str(tmp_path)]) == 0

    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "more characters" in out
    assert len(out) < 20_000
