"""Logs of other programs, as they lie: any column may hold the predictions, and another the gold labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jatdae.cli import run_app


def score(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code = run_app(["score", *words, "--draws", "20", "--json"])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return json.loads(shown.out)["score"]


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        (
            ("klue/re", "re_train-heldout_roberta-large.csv", "--gold-column", "label", "--label-order", "official"),
            {"micro_f1": 0.860155, "auprc": 0.843768, "accuracy": 0.843240},
        ),
        (
            (
                *("klue/re", "re_dev_gemini25flash.csv", "--column", "predicted_relation"),
                *("--gold-column", "true_relation", "--label-order", "official"),
            ),
            {"accuracy": 0.673921},
        ),
        (
            ("klue/ynat", "ynat_dev_gemini25flash.csv", "--gold-column", "true_label_text"),
            {"accuracy": 0.689360, "macro_f1": 0.724500},
        ),
    ],
)
def test_real_logs_give_the_figures_that_were_counted_in_them(
    words: tuple[str, ...], figures: dict[str, float], upstream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, file, *options = words
    found = score(capsys, task, "--pred", str(upstream / "klue" / "model_outputs" / file), *options)
    for name, value in figures.items():
        assert found["metrics"][name]["official"]["value"] == pytest.approx(value, abs=5e-7)


def test_a_column_that_is_not_there_and_gold_that_is_no_label_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.csv"
    log.write_text("guid,truth,guess\na,정치,경제\nb,날씨,경제\n", encoding="utf-8")
    for options, said in (
        (("--column", "guessed", "--gold-column", "truth"), "line 1: no column 'guessed'; found: guid, truth, guess"),
        (("--column", "guess", "--gold-column", "truth"), "line 3, field 'truth': b: label '날씨' is not one of"),
        (("--column", "guess", "--gold-column", "truth", "--gold", str(log)), "in the place of --gold"),
    ):
        assert run_app(["score", "klue/ynat", "--pred", str(log), *options]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line
