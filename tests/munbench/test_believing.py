"""How far judges can be believed, from a run's own records: sheets for people, agreement, the audit."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from judge_replies import reply

from jatdae.benchmarks.munbench.reading import locate_data
from jatdae.benchmarks.munbench.subset import write_subset
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app
from jatdae.errors import DataError, RequestError
from jatdae.evaluate.munbench.believing import (
    agreement_record,
    audit,
    correlate,
    export_sheet,
    human_scores,
    import_sheets,
    key_file,
    sample_record,
)
from jatdae.evaluate.munbench.config import MunConfig, build_config
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.pipeline import run_stages, workspace

ITEMS = {"T1-03-01", "T2-03-01", "T3-01-01", "T3-02-01"}


@pytest.fixture(scope="module")
def server():
    with FaultyServer(reply) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, server: FaultyServer) -> MunConfig:
    """Two contestants, two judges and the rule, judged both ways, on four items."""
    write_subset(locate_data(Source.of("mini")), tmp_path / "data", ITEMS)
    settings = build_config(
        {
            "models": ["openai:가", "openai:나"],
            "judges": ["openai:심사-1", "openai:심사-2", "rule"],
            "rubric_iterations": 2,
            "base_url": server.base_url,
            "folder": tmp_path,
        }
    )
    with workspace(settings, "test") as work:
        run_stages(work, ["generate", "rubric", "pairwise"])
    return settings


def _filled(sheet: Path, rater: str, scores: list[float]) -> Path:
    """The sheet as a rater sends it back: an overall score in every row."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, score in zip(rows, scores, strict=True):
        row |= {"overall": str(score), "rater_id": rater}
    back = sheet.with_name(f"{rater}.csv")
    with back.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return back


def test_a_blind_sheet_goes_out_and_scores_of_two_raters_come_back(config, tmp_path):
    with workspace(config, "test") as work:
        number = export_sheet(work, tmp_path / "sheet.csv", None)
        sheet = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
        backs = [
            _filled(tmp_path / "sheet.csv", "하나", [float(place % 11) for place in range(number)]),
            _filled(tmp_path / "sheet.csv", "둘", [float((place + 1) % 11) for place in range(number)]),
        ]
        taken, changed, _ = import_sheets(work, backs, key_file(tmp_path / "sheet.csv"))
        scores = human_scores(Evidence(work))
        record = agreement_record(work)

    assert number == taken == 10
    assert changed == 0
    assert "openai:가" not in sheet
    assert {score.n_raters for score in scores.values()} == {2}
    overall = next(row for row in record["human"] if row["judge"] == "rule" and row["track"] is None)
    assert overall["samples"] == 10
    assert "10 rated samples" in overall["not_validated"]


def test_scores_survive_another_run_and_stay_with_their_text(config, tmp_path):
    with workspace(config, "test") as work:
        number = export_sheet(work, tmp_path / "sheet.csv", 4)
        import_sheets(work, [_filled(tmp_path / "sheet.csv", "하나", [7.0] * number)], key_file(tmp_path / "sheet.csv"))
    with workspace(config, "test") as work:
        run_stages(work, ["generate"])
        assert len(human_scores(Evidence(work))) == 4

    changed = config.model_copy(update={"max_tokens": 99})
    for model in ("openai:가", "openai:나"):
        with workspace(changed, "test") as work:
            found = work.folder.generations(model)
            work.folder.save_generations(model, [])
            assert found


def test_scores_of_a_text_that_has_changed_are_left_out(config, tmp_path):
    from dataclasses import replace

    with workspace(config, "test") as work:
        number = export_sheet(work, tmp_path / "sheet.csv", None)
        back = _filled(tmp_path / "sheet.csv", "하나", [7.0] * number)
        one = work.folder.generations("openai:가")[0]
        work.folder.save_generations("openai:가", [replace(one, outputs=("다른 글",) * len(one.outputs))])
        taken, changed, _ = import_sheets(work, [back], key_file(tmp_path / "sheet.csv"))

    assert (taken, changed) == (number - 1, 1)


def test_a_sheet_with_an_impossible_score_changes_nothing(config, tmp_path):
    with workspace(config, "test") as work:
        number = export_sheet(work, tmp_path / "sheet.csv", None)
        back = _filled(tmp_path / "sheet.csv", "하나", [11.0] + [5.0] * (number - 1))
        with pytest.raises(DataError, match=r"하나\.csv, line"):
            import_sheets(work, [back], key_file(tmp_path / "sheet.csv"))
        assert human_scores(Evidence(work)) == {}


def test_judges_are_measured_without_being_asked(config, server):
    asked = len(server.requests)
    with workspace(config, "test") as work:
        record = agreement_record(work)

    assert len(server.requests) == asked
    rule = next(row for row in record["repeatability"] if row["judge"] == "rule")
    assert rule["std"]["value"] == 0
    assert record["between_judges"]["samples"] == 10
    assert {row["judge"] for row in record["position"]} == {"openai:심사-1", "openai:심사-2", "rule"}
    flips = next(row for row in record["position"] if row["judge"] == "rule")["orders"]["flips"]
    assert flips["value"] == 0
    assert json.loads((config.results_dir / "agreement.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(record)
    )


def test_an_audit_asks_once_and_remembers(config, server):
    with workspace(config, "test") as work:
        first = audit(work, 3)
    asked = len(server.requests)
    with workspace(config, "test") as work:
        second = audit(work, 3)

    assert len(server.requests) == asked
    assert [report.by_kind() for report in first] == [report.by_kind() for report in second]
    rule = next(report for report in first if report.judge == "rule")
    assert {"injection", "sycophancy", "degenerate"} == {trial.attack.family for trial in rule.trials}
    assert len(rule.of_family("injection")) == 3 * 8


def test_the_audit_of_the_rule_judge_runs_as_a_command(config, tmp_path, capsys):
    settings = tmp_path / "munbench.yaml"
    settings.write_text("models: ['openai:가', 'openai:나']\njudges: [rule]\n", encoding="utf-8")

    code = run_app(["munbench", "audit", "-c", str(settings), "--items", "2", "--json", "--quiet"])

    (told,) = json.loads(capsys.readouterr().out)["audit"]
    assert told["judge"] == "rule"
    assert code == (1 if False in told["accepted"].values() else 0)


def test_few_models_allow_no_correlation(config, tmp_path):
    (tmp_path / "kmmlu.json").write_text(json.dumps({"openai:가": 0.4, "openai:나": 0.3}), encoding="utf-8")
    with workspace(config, "test") as work:
        found = correlate(work, tmp_path / "kmmlu.json")

    assert {one.rho for one in found.values()} == {None}
    assert all("25" in one.note for one in found.values())


def test_an_item_is_shown_with_all_that_belongs_to_it(config):
    with workspace(config, "test") as work:
        record = sample_record(work, "T3-02-01")

    assert set(record) == {"T3-02-01/specified", "T3-02-01/neutral"}
    shown = record["T3-02-01/specified"]
    assert len(shown["samples"]) == 2
    assert len(shown["samples"][0]["scores"]) == 6
    assert len(shown["verdicts"]) == 6


def test_an_unknown_item_is_refused(config):
    with workspace(config, "test") as work, pytest.raises(RequestError, match="T9"):
        sample_record(work, "T9")


def test_an_audit_without_texts_says_what_to_do(config, tmp_path):
    empty = config.model_copy(update={"paths": config.paths.model_copy(update={"results_dir": "none"})})
    with workspace(empty, "test") as work, pytest.raises(RequestError, match="munbench generate"):
        audit(work, 3)
