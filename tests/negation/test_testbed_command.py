"""`jatdae negation testbed`: figures and disagreements, on the bundled items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jatdae.cli import run_app


def test_figures_and_every_disagreement_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["negation", "testbed", "--data", "mini", "--out", str(tmp_path)]) == 0

    told = capsys.readouterr().out
    assert (tmp_path / "test.md").read_text(encoding="utf-8") == told
    assert "### standard_negation, morphemes, differential" in told
    rows = [json.loads(line) for line in (tmp_path / "test-disagreements.jsonl").read_text("utf-8").splitlines()]
    assert all({"tool", "idx", "gold", "found"} <= row.keys() for row in rows)


def test_the_figures_come_as_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["negation", "testbed", "--data", "mini", "--split", "val", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["split"] == "val"
    assert {row["definition"] for row in told["types"]} == {"presence", "differential", "added"}
    assert 0.5 < told["clauses"]["accuracy"]["value"] <= 1
    assert told["negator"][0]["well_formed"]["count"] == told["items"]


def test_an_unknown_split_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["negation", "testbed", "--data", "mini", "--split", "tset"]) == 2
    assert "no split 'tset'" in capsys.readouterr().err
