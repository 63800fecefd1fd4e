"""`jatdae score klue/TASK` and `jatdae data info|validate klue` as people type them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from klue_gold import AS_PREDICTED, similarities, topics, written

import jatdae
from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app

MINI = Path(jatdae.__file__).parent / "benchmarks" / "klue" / "mini"


def one_line(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and the one line of a command that fails."""
    code = run_app(list(words))
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    return code, line


@pytest.mark.parametrize("task", TASKS)
def test_the_bundled_items_can_be_scored(task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = read_task(task, locate(Source.of("mini"), task, "dev"))
    pred = written(tmp_path / "p.json", [row for record in records for row in AS_PREDICTED[task](record)])

    assert run_app(["score", f"klue/{task}", "--pred", str(pred), "--data", "mini", "--draws", "20"]) == 0

    out = capsys.readouterr().out
    assert f"klue/{task} dev:" in out
    assert "100.00" in out


def test_json_holds_values_intervals_counts_and_what_they_stand_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = topics(tmp_path, ["정치", "경제", "경제", "사회"])
    pred = written(tmp_path / "p.json", ["정치", "경제", "사회", None])

    assert run_app(["score", "klue/ynat", "--gold", str(gold), "--pred", str(pred), "--json"]) == 0

    score = json.loads(capsys.readouterr().out)["score"]
    assert (score["task"], score["items"], score["missing"], score["draws"]) == ("klue/ynat", 4, 1, 1000)
    macro = score["metrics"]["macro_f1"]
    assert macro["is_official"] and macro["official"]["low"] <= macro["official"]["value"] <= macro["official"]["high"]
    assert len(score["gold"]["sha256"]) == len(score["pred"]["sha256"]) == 64
    assert score["version"] == "v1.1"


def test_an_undefined_value_is_told_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = similarities(tmp_path, [1.0, 2.0, 3.0, 4.0])
    pred = written(tmp_path / "p.json", [3, 3, 3, 3])

    assert run_app(["score", "klue/sts", "--gold", str(gold), "--pred", str(pred)]) == 0

    out = capsys.readouterr().out
    assert "n/a" in out and "pearson is undefined: every prediction is 3: no correlation" in out
    assert run_app(["score", "klue/sts", "--gold", str(gold), "--pred", str(pred), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"]["metrics"]["pearson"]["official"] is None


def test_nothing_valid_is_a_failure_and_no_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = similarities(tmp_path, [1.0, 2.0])
    pred = written(tmp_path / "p.json", [None, None])

    code, line = one_line(capsys, "score", "klue/sts", "--gold", str(gold), "--pred", str(pred))

    assert (code, "0 of 2 valid" in line) == (1, True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("score", "klue/nerr", "--pred", "p.json"), "did you mean 'klue/ner'?"),
        (("score", "klue", "--pred", "p.json"), "name one of: klue/ynat, klue/sts"),
        (("score", "konubench", "--pred", "p.json"), "those of klue, kmmlu, kmmlu-hard can"),
        (("score", "kmmlu", "--pred", "p.json", "--gold", "g.json"), "--gold is not for kmmlu"),
        (("score", "klue/ner", "--pred", "absent.json", "--data", "mini"), "absent.json: cannot be read"),
        (("score", "klue/ner", "--pred", "p.json", "--data", "absent"), "no such folder"),
        (("score", "klue/ner", "--pred", "p.json", "--draws", "1"), "--draws 1"),
        (("score", "klue/ner", "--pred", "p.json", "--data", "mini", "--label-order", "hubb"), "'hub'"),
        (("run", "klue/ner", "--model", "hf:x", "--mode", "prompt"), "klue/ner has no mode 'prompt'"),
        (("data", "info", "kleu"), "did you mean 'klue'?"),
        (("data", "validate", "klue/nre"), "did you mean 'klue/re'?"),
    ],
)
def test_a_wrong_request_is_answered_in_one_line(
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = one_line(capsys, *words)

    assert code == 2
    assert hint in line


def test_the_tasks_are_listed_with_their_modes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["list", "tasks", "--json"]) == 0
    modes = {row["task"]: row["modes"] for row in json.loads(capsys.readouterr().out)["tasks"]}
    assert {name: modes[f"klue/{name}"] for name in TASKS} == {
        **dict.fromkeys(TASKS, "finetune"),
        **dict.fromkeys(("ynat", "sts", "nli", "re", "mrc"), "finetune, prompt"),
    }


@pytest.mark.parametrize("name", ["klue", "klue/ner", "KLUE"])
def test_data_are_described_and_checked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["data", "validate", name, "--data", "mini"]) == 0
    assert capsys.readouterr().out.startswith("klue: 16 files, ")
    assert run_app(["data", "info", name, "--data", "mini"]) == 0
    assert "KLUE: licence CC BY-SA 4.0" in capsys.readouterr().out


def test_faulty_data_are_not_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(MINI / "klue-nli-v1.1_dev.json", tmp_path / "klue-nli-v1.1_dev.sample.json")
    written(tmp_path / "ynat-v1.1_dev.sample.json", "[{]")

    assert run_app(["data", "validate", "klue", "--data", str(tmp_path), "--json"]) == 2

    (told,) = json.loads(capsys.readouterr().out)["data"]
    assert told["card"]["licence"] == "CC BY-SA 4.0"
    assert not told["valid"] and "ynat-v1.1_dev.sample.json, line 1" in told["inspection"]["problems"][0]
