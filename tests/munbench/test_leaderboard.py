"""The leaderboard's numbers against computations of the test's own, what withholds them, and how they are ordered."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from board_runs import HONORIFIC, JUDGES, MODELS, SUBTEXT, MadeRun, data_files, drawn
from munbench_folder import NUANCE
from scipy import stats as scipy_stats

from jatdae.benchmarks.munbench.cases import GATE
from jatdae.benchmarks.munbench.generations import Status
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.rating_stage import rate_all
from jatdae.reports.munbench import Board, leaderboard, write_leaderboard

Row = dict[str, Any]
UNITS = {1: ["T1-01-01", "T1-02-01"], 2: ["T2-02-01", "T2-03-01"]} | {
    3: [f"{one}/specified" for one in ("T3-01-01", "T3-02-01", "T3-03-01", "T3-04-01")]
}
VARIANTS = ["T3-02-01/neutral", "T3-03-01/neutral", "T3-04-01/neutral"]

PUBLISHED = (
    ("Fable", 8.59, (8.69, 8.19, 8.87)), ("Opus", 8.48, (8.46, 8.15, 8.81)), ("Sol", 8.27, (8.57, 7.51, 8.73)),
    ("Luna", 8.12, (8.26, 7.87, 8.24)), ("Terra", 8.07, (8.73, 7.01, 8.46)), ("Kimi", 7.92, (8.16, 7.27, 8.34)),
    ("Sonnet", 7.72, (8.27, 6.30, 8.58)), ("DeepSeek", 7.39, (7.87, 6.23, 8.08)), ("Gemini", 6.84, (7.04, 5.00, 8.48)),
    ("Grok", 6.78, (6.43, 6.91, 6.99)), ("GLM", 6.59, (7.71, 5.37, 6.68)), ("MiniMax", 5.43, (7.84, 1.67, 6.79)),
    ("Solar", 3.41, (3.21, 2.39, 4.62)),
)  # fmt: skip
"""The published first run: overall and track means, all rounded to two decimals."""


def board_of(run: MadeRun, **narrowed: Any) -> Board:
    with run.work(**narrowed) as work:
        return leaderboard(work)


def written(run: MadeRun, **narrowed: Any) -> dict[str, str]:
    """The files of a leaderboard, as they lie on the disk."""
    with run.work(**narrowed) as work:
        write_leaderboard(leaderboard(work), work.folder.path)
        return {file.name: file.read_bytes().decode() for file in work.folder.path.glob("leaderboard.*")}


def rows_of(run: MadeRun, **narrowed: Any) -> dict[str, Row]:
    """Rows as another program reads them."""
    board = json.loads(written(run, **narrowed)["leaderboard.json"])
    return {row["model"]: row for row in board["rows"]}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    """Three models, three judges of which the first is a contestant, two iterations."""
    return MadeRun(tmp_path_factory.mktemp("run")).write()


@pytest.fixture(scope="module")
def record(run: MadeRun) -> dict[str, Any]:
    return json.loads(written(run)["leaderboard.json"])


@pytest.fixture(scope="module")
def rows(record: dict[str, Any]) -> dict[str, Row]:
    return {row["model"]: row for row in record["rows"]}


def judge_mean(run: MadeRun, model: str, unit: str, judge: str) -> float:
    return statistics.fmean(one.weighted or 0.0 for one in run.kept[model, unit] if one.judge == judge)


def allowed(model: str) -> list[str]:
    return [judge for judge in JUDGES if judge != model]


def final(run: MadeRun, model: str, unit: str) -> float:
    """A sample's score without the model's own judgement."""
    return statistics.fmean(judge_mean(run, model, unit, judge) for judge in allowed(model))


def test_published_fields_are_the_means_of_the_main_prompts(run: MadeRun, rows: dict[str, Row]) -> None:
    for model in MODELS:
        row, means = rows[model], []
        for track, units in UNITS.items():
            values = [final(run, model, unit) for unit in units]
            found = row["tracks"][str(track)]
            assert found["n_samples"] == len(units)
            assert found["rubric_mean"] == pytest.approx(statistics.fmean(values), abs=1e-6)
            assert found["rubric_std"] == pytest.approx(statistics.pstdev(values), abs=1e-6)
            assert (found["length_compliance_rate"] is None) == (track != 2)
            means.append(statistics.fmean(values))
        assert row["overall_rubric_mean"] == pytest.approx(statistics.fmean(means), abs=1e-6)
        judged = [*UNITS[1], *UNITS[2], *UNITS[3], *VARIANTS]
        for judge in JUDGES:
            mean = statistics.fmean(judge_mean(run, model, unit, judge) for unit in judged)
            assert row["judge_means"][judge] == pytest.approx(mean, abs=1e-6)
        assert row["completion"] == {
            "generation_total": 11, "generation_errors": 0, "generation_error_rate": 0.0,
            "judge_slots_total": 33, "judge_slots_failed": 0, "judge_failure_rate": 0.0,
        }  # fmt: skip
        sides = [final(run, model, f"T3-03-01/{side}") for side in ("specified", "neutral")]
        pair = row["culture_pair"]
        assert (pair["n_pairs"], pair["specified_mean"]) == (1, pytest.approx(sides[0], abs=1e-6))
        assert pair["delta"] == pytest.approx(sides[0] - sides[1], abs=1e-6)


def test_rows_come_by_overall_score_with_every_published_field(record: dict[str, Any]) -> None:
    scores = [row["overall_rubric_mean"] for row in record["rows"]]
    assert scores == sorted(scores, reverse=True)
    assert record["judges"] == list(JUDGES)
    wanted = {"model", "overall_rubric_mean", "elo", "tracks", "completion", "judge_means", "culture_pair"}
    assert all(wanted <= row.keys() for row in record["rows"])
    assert set(record["rows"][0]["tracks"]) == {"1", "2", "3"}


def test_intervals_of_tracks_are_by_item_and_that_of_the_whole_is_of_the_mean_of_tracks(
    run: MadeRun, rows: dict[str, Row]
) -> None:
    for model in MODELS:
        errors = []
        for track, units in UNITS.items():
            values = [final(run, model, unit) for unit in units]
            error = statistics.stdev(values) / len(values) ** 0.5
            errors.append(error)
            found = rows[model]["track_details"][str(track)]["rubric"]
            reach = scipy_stats.t.ppf(0.975, len(values) - 1) * error
            middle = statistics.fmean(values)
            assert found["low"] == pytest.approx(max(0, middle - reach), abs=1e-5)
            assert found["high"] == pytest.approx(min(10, middle + reach), abs=1e-5)
            assert (found["n"], found["clusters"]) == (len(units), len(units))
        overall = rows[model]["overall"]
        assert overall["stderr"] == pytest.approx(sum(error**2 for error in errors) ** 0.5 / 3, abs=1e-6)
        assert overall["value"] == rows[model]["overall_rubric_mean"]
        assert overall["low"] < overall["value"] < overall["high"]


def test_three_spreads_are_three_different_things(run: MadeRun, rows: dict[str, Row]) -> None:
    for model in MODELS:
        for track, units in UNITS.items():
            found = rows[model]["track_details"][str(track)]["spreads"]
            repeats, disagreements = [], []
            for unit in units:
                for judge in allowed(model):
                    given = [one.weighted or 0.0 for one in run.kept[model, unit] if one.judge == judge]
                    repeats.append(statistics.pstdev(given))
                disagreements.append(statistics.pstdev([judge_mean(run, model, unit, one) for one in allowed(model)]))
            items = statistics.pstdev([final(run, model, unit) for unit in units])
            assert found["item_spread"] == pytest.approx(items, abs=1e-6)
            assert found["judge_repeatability"]["value"] == pytest.approx(statistics.fmean(repeats), abs=1e-6)
            assert found["judge_disagreement"]["value"] == pytest.approx(statistics.fmean(disagreements), abs=1e-6)
            assert found["judge_disagreement"]["n"] == len(units)


def test_groups_tags_and_criteria_are_means_of_their_own_samples(run: MadeRun, rows: dict[str, Row]) -> None:
    model = MODELS[1]
    details = rows[model]["track_details"]
    work = details["1"]["groups"]["직장"]
    assert (work["value"], work["n"]) == (pytest.approx(final(run, model, "T1-01-01"), abs=1e-6), 1)
    assert (work["low"], work["high"], work["stderr"]) == (None, None, None)
    both = statistics.fmean(final(run, model, unit) for unit in UNITS[1])
    assert details["1"]["tags"]["정"]["value"] == pytest.approx(both, abs=1e-6)
    assert details["1"]["tags"]["눈치"]["n"] == 1
    idiom = details["3"]["groups"]["idiom"]["value"]
    assert idiom == pytest.approx(final(run, model, "T3-02-01/specified"), abs=1e-6)


def by_criterion(first: float, second: float, third: float, track_one: float = 6.0) -> Callable[..., dict[str, float]]:
    """Scores of track 3 by criterion; honorifics of track 1; 5 everywhere else."""

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> dict[str, float]:
        if unit.track == 3:
            weak = unit.item.id == "T3-01-01" or unit.variant == "neutral"
            own = (first, second, third) if weak else (8.0, 8.0, 8.0)
            return dict(zip((*GATE, SUBTEXT), own, strict=True))
        return {"마음 읽기": 5.0, HONORIFIC: track_one} if unit.track == 1 else {"새로움": 5.0, "절제": 5.0}

    return give


def test_honorifics_stand_alone_and_the_gate_counts_main_texts(tmp_path: Path) -> None:
    found = rows_of(MadeRun(tmp_path, give=by_criterion(2.5, 9.0, 6.0, track_one=3.0)).write())[MODELS[1]]
    assert found["track_details"]["1"]["honorifics"][HONORIFIC]["value"] == 3.0
    assert found["track_details"]["1"]["criteria"]["마음 읽기"]["value"] == 5.0
    assert found["track_details"]["3"]["honorifics"][GATE[0]]["value"] == pytest.approx((2.5 + 3 * 8) / 4)
    gate = found["gate_failures"]
    assert (gate["value"], gate["n"]) == (0.25, 4)
    assert gate["low"] == pytest.approx(0.0456, abs=1e-4)  # Wilson, 1 of 4
    assert found["overall_rubric_mean"] is not None


@pytest.mark.parametrize(("subtext", "rate"), [(4.9, 1.0), (5.0, 0.0)])
def test_a_sincere_control_is_over_read_below_five_on_its_subtext(tmp_path: Path, subtext: float, rate: float) -> None:
    found = rows_of(MadeRun(tmp_path, give=by_criterion(9.0, 9.0, subtext)).write())[MODELS[0]]["over_reading"]
    assert (found["rate"]["value"], found["n"], found["claim_allowed"]) == (rate, 1, False)


def test_contrasts_are_paired_by_item_and_claim_nothing_below_ten_pairs(tmp_path: Path) -> None:
    files = data_files()
    pair = files[NUANCE][2]
    files[NUANCE] += [{**pair, "id": f"T3-03-{number:02d}"} for number in range(2, 11)]

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        number = int(unit.item.id[-2:])
        return 6.0 + (0.1 * number if unit.variant == "specified" else 0.0)

    found = rows_of(MadeRun(tmp_path, files=files, give=give).write())[MODELS[0]]["variants"]
    differences = [0.1 * number for number in range(1, 11)]
    culture = found["culture_implied"]
    error = statistics.stdev(differences) / 10**0.5 * scipy_stats.t.ppf(0.975, 9)
    assert (culture["n"], culture["claim_allowed"]) == (10, True)
    assert culture["difference"]["value"] == pytest.approx(0.55)
    assert culture["difference"]["low"] == pytest.approx(0.55 - error, abs=1e-5)
    assert (found["decontextualised"]["n"], found["decontextualised"]["claim_allowed"]) == (1, False)
    assert found["decontextualised"]["difference"]["low"] is None


def test_the_compatible_profile_counts_self_judging_and_withholds_nothing(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, settings={"profile": "compat"}, statuses={(MODELS[0], "T1-01-01"): Status.ERROR}).write()
    found = rows_of(own)[MODELS[0]]
    tracks = []
    for track, units in UNITS.items():
        scored = [unit for unit in units if unit != "T1-01-01"]
        values = [statistics.fmean(judge_mean(own, MODELS[0], unit, judge) for judge in JUDGES) for unit in scored]
        assert found["tracks"][str(track)]["rubric_mean"] == pytest.approx(statistics.fmean(values), abs=1e-6)
        tracks.append(statistics.fmean(values))
    assert found["overall_rubric_mean"] == pytest.approx(statistics.fmean(tracks), abs=1e-6)
    assert found["withheld"] == []
    assert found["completion"]["generation_errors"] == 1
    assert found["completion"]["generation_error_rate"] == pytest.approx(1 / 11, abs=1e-6)


def test_the_compatible_profile_takes_the_mean_of_the_tracks_that_there_are(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, settings={"profile": "compat"}).write()
    found = rows_of(own, tracks=(2,))[MODELS[1]]
    assert found["overall_rubric_mean"] == found["tracks"]["2"]["rubric_mean"]
    assert set(found["tracks"]) == {"2"}


def test_published_overall_scores_are_the_means_of_the_published_tracks(tmp_path: Path) -> None:
    means = {f"openrouter/v/{name}": tracks for name, _, tracks in PUBLISHED}
    own = MadeRun(
        tmp_path,
        models=list(means),
        judges=["openrouter/other/judge"],
        iterations=1,
        give=lambda model, unit, judge, iteration, chance: means[model][unit.track - 1],
        settings={"profile": "compat"},
    ).write()
    board = json.loads(written(own)["leaderboard.json"])
    assert [row["model"].rpartition("/")[2] for row in board["rows"]] == [name for name, _, _ in PUBLISHED]
    for row, (_, overall, tracks) in zip(board["rows"], PUBLISHED, strict=True):
        # Every published figure is rounded to two decimals, so a mean of three may be off by one hundredth.
        assert row["overall_rubric_mean"] == pytest.approx(overall, abs=0.0101)
        assert [row["tracks"][track]["rubric_mean"] for track in "123"] == pytest.approx(tracks)
    assert board["noise_floor"] is None


def test_a_model_below_the_least_coverage_is_withheld_and_comes_last(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, statuses={(MODELS[0], "T2-02-01"): Status.ERROR}).write()
    board = board_of(own)
    assert board.least_coverage == pytest.approx(10 / 11)
    last = board.record["rows"][-1]
    assert last["model"] == MODELS[0]
    assert (last["overall_rubric_mean"], last["overall"], last["rank"], last["withheld"]) == (
        None, None, None, ["coverage"],
    )  # fmt: skip
    assert last["coverage"]["statuses"] | {"ok": 10, "error": 1} == last["coverage"]["statuses"]
    assert [row["rank"] for row in board.record["rows"][:2]] == [1, 2]
    assert any(one.code == "coverage" and one.values["coverage"] == "90.9" for one in board.banners)


def test_an_error_is_missing_an_empty_text_counts_zero_and_both_are_told(tmp_path: Path) -> None:
    """Ten items: seven right, one wrong, two that ended in an error."""
    units = [f"T3-01-{number:02d}/specified" for number in range(1, 11)]
    files = data_files(registers=10)
    files[NUANCE] = files[NUANCE][:10]
    statuses = {(MODELS[0], unit): Status.ERROR for unit in units[:2]} | {(MODELS[1], units[0]): Status.EMPTY}

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        return 0.0 if unit.id == units[2] else 10.0

    found = rows_of(MadeRun(tmp_path, files=files, statuses=statuses, give=give).write())
    errors = found[MODELS[0]]["track_details"]["3"]
    assert errors["rubric_over_all_items"]["value"] == pytest.approx(7.0)
    assert errors["rubric"]["value"] == errors["rubric_over_answered_items"]["value"] == pytest.approx(8.75)
    assert errors["rubric"]["n"] == 8
    assert found[MODELS[0]]["coverage"]["statuses"]["error"] == 2
    empty = found[MODELS[1]]["track_details"]["3"]
    assert empty["rubric"]["value"] == pytest.approx(8.0)
    assert empty["rubric_over_answered_items"]["value"] == pytest.approx(80 / 9, abs=1e-6)
    assert found[MODELS[1]]["coverage"]["coverage"] == 1.0


def test_excluding_empty_texts_is_a_choice_of_the_settings(tmp_path: Path) -> None:
    statuses = {(MODELS[0], "T2-02-01"): Status.EMPTY}
    own = MadeRun(tmp_path, statuses=statuses, settings={"missing_policy": "exclude"}).write()
    found = rows_of(own)[MODELS[0]]["track_details"]["2"]
    assert found["rubric"]["n"] == 1
    assert found["rubric_over_all_items"]["n"] == 2


def test_a_judge_that_lacks_more_than_two_percent_withholds_every_headline(tmp_path: Path) -> None:
    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float | None:
        lost = judge == JUDGES[2] and unit.id == "T2-02-01" and iteration == 0
        return None if lost else drawn(model, unit, judge, iteration, chance)

    board = board_of(MadeRun(tmp_path, give=give).write())
    # One of two iterations of one of eleven texts.
    assert board.record["judge_details"][JUDGES[2]]["missing"] == pytest.approx(1 / 22, abs=1e-6)
    assert board.record["judge_details"][JUDGES[0]]["missing"] == 0.0
    assert {tuple(row["withheld"]) for row in board.record["rows"]} == {("judge_missing",)}
    assert {row["overall_rubric_mean"] for row in board.record["rows"]} == {None}
    assert all(row["tracks"]["2"]["rubric_mean"] is not None for row in board.record["rows"])
    assert board.least_coverage == 1.0


def test_a_judge_that_may_not_count_is_not_missed(tmp_path: Path) -> None:
    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float | None:
        return None if judge == model else drawn(model, unit, judge, iteration, chance)

    found = rows_of(MadeRun(tmp_path, give=give).write())
    assert {tuple(row["withheld"]) for row in found.values()} == {()}
    assert found[MODELS[0]]["completion"]["judge_slots_failed"] == 11


def test_models_that_lack_different_shares_withhold_every_headline(tmp_path: Path) -> None:
    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float | None:
        lost = model == MODELS[1] and unit.id == "T2-02-01" and iteration == 0
        return None if lost else drawn(model, unit, judge, iteration, chance)

    own = MadeRun(tmp_path, give=give, iterations=3).write()
    # 3 judges lack one of 33 iterations on one model of three, which is 1 % of theirs and 3 % of the model's.
    reasons = {tuple(row["withheld"]) for row in board_of(own).record["rows"]}
    assert reasons == {("missing_differs",)}


def test_a_run_without_a_track_has_no_overall_score(run: MadeRun) -> None:
    board = board_of(run, tracks=(1, 2))
    assert all("tracks_missing" in row["withheld"] for row in board.record["rows"])
    assert next(one for one in board.banners if one.code == "tracks_missing").values["tracks"] == "3 (nuance)"


def test_a_run_that_was_not_judged_makes_a_leaderboard_without_scores(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, judges=["openrouter/other/judge"]).write()
    for file in (own.folder / "results" / "judgments").glob("rubric-*"):
        file.unlink()
    found = rows_of(own)
    assert {row["overall_rubric_mean"] for row in found.values()} == {None}
    assert {row["tracks"]["1"]["rubric_mean"] for row in found.values()} == {None}
    assert all(row["texts"]["1"]["characters"]["value"] > 0 for row in found.values())


def test_judgements_of_a_text_that_has_changed_count_no_more(tmp_path: Path) -> None:
    own = MadeRun(tmp_path).write()
    own.texts = {(MODELS[0], "T2-02-01"): "다시 쓴 글이다. 비가 오지 않았다."}
    with own.work() as work:
        unit = next(unit for unit in work.units if unit.id == "T2-02-01")
        work.folder.save_generations(MODELS[0], [own._generation(work, MODELS[0], unit)])
    row = rows_of(own)[MODELS[0]]
    assert row["track_details"]["2"]["rubric"]["n"] == 1
    assert "judge_missing" in row["withheld"]


def test_the_noise_floor_is_that_of_repeats_and_makes_ties_of_smaller_differences(
    run: MadeRun, record: dict[str, Any], tmp_path: Path
) -> None:
    variances = []
    for model in MODELS:
        whole = 0.0
        for units in UNITS.values():
            of_units = []
            for unit in units:
                judges = allowed(model)
                given = [[one.weighted or 0.0 for one in run.kept[model, unit] if one.judge == j] for j in judges]
                of_units.append(sum(statistics.variance(two) / 2 for two in given) / len(judges) ** 2)
            whole += sum(of_units) / len(units) ** 2
        variances.append(whole / 9)
    floor = 1.959963984540054 * (2 * statistics.fmean(variances)) ** 0.5
    assert record["noise_floor"]["points"] == pytest.approx(floor, abs=1e-6)
    assert record["noise_floor"]["source"] == "judge iterations"

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        level = {MODELS[0]: 6.0, MODELS[1]: 6.001}.get(model, 2.0)
        return level + (0.5 if iteration else -0.5)

    tied = board_of(MadeRun(tmp_path, give=give).write()).record["rows"]
    assert [(row["model"], row["rank"], row["rank_is_tied"]) for row in tied] == [
        (MODELS[1], 1, True), (MODELS[0], 1, True), (MODELS[2], 3, False),
    ]  # fmt: skip


def test_several_texts_to_one_prompt_give_the_noise_floor_of_writing(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, settings={"samples_per_item": 2}).write()
    with own.work() as work:
        for model in MODELS:
            again = [replace(one, index=1) for one in work.folder.generations(model)]
            higher = [replace(one, index=1, weighted=(one.weighted or 0) + 0.3) for one in work.folder.scores(model)]
            work.folder.save_generations(model, again)
            work.folder.save_scores(model, higher)
    board = board_of(own)
    assert board.record["noise_floor"].source == "regenerations"
    # Two texts .3 apart: variance .045 of one, .0225 of their mean; 8 units in tracks of 2, 2 and 4.
    expected = 1.959963984540054 * (2 * 0.0225 * (1 / 2 + 1 / 2 + 1 / 4) / 9) ** 0.5
    assert board.record["noise_floor"].points == pytest.approx(expected, abs=1e-6)
    assert board.record["rows"][0]["overall"].n == 8


def test_rank_ranges_hold_the_rank_and_are_one_place_for_models_far_apart(record: dict[str, Any]) -> None:
    assert all(row["rank_range"][0] <= row["rank"] <= row["rank_range"][1] for row in record["rows"])


def test_the_lead_is_paired_by_prompt(run: MadeRun, record: dict[str, Any]) -> None:
    first, second = (row["model"] for row in record["rows"][:2])
    tracks = [[final(run, first, unit) - final(run, second, unit) for unit in units] for units in UNITS.values()]
    found = record["rows"][0]["lead_over_next"]
    assert found["value"] == pytest.approx(statistics.fmean(map(statistics.fmean, tracks)), abs=1e-6)
    error = sum(statistics.variance(own) / len(own) for own in tracks) ** 0.5 / 3
    assert found["stderr"] == pytest.approx(error, abs=1e-6)
    assert record["rows"][-1]["lead_over_next"] is None


def test_leaving_a_judge_out_gives_the_mean_of_the_others(run: MadeRun, record: dict[str, Any]) -> None:
    removed = JUDGES[2]
    found = record["without_each_judge"][removed]["models"]
    for model in MODELS:
        left = [judge for judge in allowed(model) if judge != removed]
        tracks = [
            statistics.fmean(statistics.fmean(judge_mean(run, model, unit, judge) for judge in left) for unit in units)
            for units in UNITS.values()
        ]
        assert found[model]["overall"] == pytest.approx(statistics.fmean(tracks), abs=1e-6)
    order = sorted(MODELS, key=lambda model: -found[model]["overall"])
    assert [found[model]["rank"] for model in order] == [1, 2, 3]


def test_a_judge_that_favours_its_own_shows_by_just_how_much(tmp_path: Path) -> None:
    bonus = 1.5

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        difficulty = 0.1 * len(unit.id) + {"T2-02-01": 0.4}.get(unit.id, 0.0)
        lenient = dict(zip(JUDGES, (0.5, 0.0, -0.5), strict=True))[judge]
        favour = (bonus if unit.track != 2 else bonus - 0.6) if judge == model else 0.0
        return 5.0 + difficulty - 0.3 * MODELS.index(model) + lenient + favour

    record = json.loads(written(MadeRun(tmp_path, give=give).write())["leaderboard.json"])
    own = record["self_preference"][JUDGES[0]]["own"]
    # Paired by item: eight items, of which two have the smaller favour.
    expected = [bonus] * 6 + [bonus - 0.6] * 2
    assert own["value"] == pytest.approx(statistics.fmean(expected), abs=1e-6)
    reach = statistics.stdev(expected) / 8**0.5 * scipy_stats.t.ppf(0.975, 7)
    assert own["high"] == pytest.approx(statistics.fmean(expected) + reach, abs=1e-5)
    assert record["self_preference"][JUDGES[1]] == {"own": None, "family": None}
    leniency = {judge: one["leniency"] for judge, one in record["judge_details"].items()}
    assert leniency == pytest.approx(dict(zip(JUDGES, (0.5, 0.0, -0.5), strict=True)), abs=1e-6)
    cell = record["judge_matrix"][MODELS[0]][JUDGES[0]]
    assert (cell["relation"], cell["rank"]) == ("own", 1)
    assert record["judge_matrix"][MODELS[1]][JUDGES[1]]["residual"]["value"] == pytest.approx(0, abs=1e-6)


def test_residuals_are_from_the_other_judges_with_leniency_taken_off(run: MadeRun, record: dict[str, Any]) -> None:
    units = [*UNITS[1], *UNITS[2], *UNITS[3], *VARIANTS]
    samples = [(model, unit) for model in MODELS for unit in units]
    rows = [(place, judge) for place, (model, _) in enumerate(samples) for judge in allowed(model)]
    design = np.zeros((len(rows) + 1, len(samples) + len(JUDGES)))
    for number, (place, judge) in enumerate(rows):
        design[number, [place, len(samples) + JUDGES.index(judge)]] = 1
    design[-1, len(samples) :] = 1  # offsets sum to zero
    given = [judge_mean(run, *samples[place], judge) for place, judge in rows] + [0.0]
    offsets = dict(zip(JUDGES, np.linalg.lstsq(design, np.array(given), rcond=None)[0][len(samples) :], strict=True))

    for model in MODELS:
        for judge in JUDGES:
            left = [
                judge_mean(run, model, unit, judge)
                - offsets[judge]
                - statistics.fmean(
                    judge_mean(run, model, unit, other) - offsets[other] for other in allowed(model) if other != judge
                )
                for unit in units
            ]
            found = record["judge_matrix"][model][judge]
            assert found["residual"]["value"] == pytest.approx(statistics.fmean(left), abs=1e-6)
            assert (found["residual"]["n"], found["residual"]["clusters"]) == (11, 8)


def test_routes_and_relations_are_marked(tmp_path: Path) -> None:
    models = ["claude-cli/claude-opus-4-6", "openrouter/anthropic/claude-sonnet-5", "file:people"]
    judges = ["openrouter/anthropic/claude-opus-4.6@high", "rule"]
    settings = {"pairwise": {"anchors": models[:1]}}
    own = MadeRun(tmp_path, models=models, judges=judges, settings=settings).write()
    files = written(own)
    record = json.loads(files["leaderboard.json"])
    assert {row["model"]: row["route"] for row in record["rows"]} == dict(
        zip(models, ("cli", "api", "file"), strict=True)
    )
    cells = [record["judge_matrix"][model][judges[0]]["relation"] for model in models]
    assert cells == ["own", "family", ""]
    codes = {one["code"] for one in record["banners"]}
    assert {"cli_route", "brought", "rule_judge", "not_validated"} <= codes
    assert "⚓" in next(line for line in files["leaderboard.md"].splitlines() if "claude-opus-4-6" in line)


def test_eight_models_tell_which_items_discriminate(tmp_path: Path) -> None:
    models = [f"openrouter/v/model-{number}" for number in range(8)]

    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        strength = models.index(model)
        return 9.5 if unit.id == "T3-01-01/specified" else 3 + 0.5 * strength + chance.gauss(0, 1)

    own = MadeRun(tmp_path, models=models, judges=["openrouter/other/judge"], give=give).write()
    record = json.loads(written(own)["leaderboard.json"])
    found = record["items"]["3"]
    table = np.array(
        [[statistics.fmean(one.weighted or 0.0 for one in own.kept[model, unit]) for unit in UNITS[3]]
         for model in models]
    )  # fmt: skip
    for place, unit in enumerate(UNITS[3]):
        if place == 0:
            assert found["items"][unit] == {"item_rest": None, "at_ceiling": 1.0}
            continue
        rest = table.sum(axis=1) - table[:, place]
        assert found["items"][unit]["item_rest"]["value"] == pytest.approx(
            np.corrcoef(table[:, place], rest)[0, 1], abs=1e-6
        )
    assert found["saturated"] == [UNITS[3][0]]
    assert found["models"] == 8


def test_fewer_than_eight_models_tell_nothing_of_items(record: dict[str, Any]) -> None:
    assert record["items"] == {"1": None, "2": None, "3": None}


def test_texts_are_measured_over_the_main_prompts(tmp_path: Path) -> None:
    texts = {
        (MODELS[0], "T2-02-01"): "방에는 고요만이 감돌았다. " + "비가 왔다. " * 70,
        (MODELS[0], "T2-03-01"): "그는 absolutely wonderful 하게 걸었다.",
        (MODELS[0], "T3-02-01/neutral"): "absolutely wonderful " * 9,
    }
    found = rows_of(MadeRun(tmp_path, texts=texts).write())[MODELS[0]]
    lengths = [len(text) for (_, unit), text in texts.items() if unit.startswith("T2")]
    own = found["texts"]["2"]
    assert own["characters"]["value"] == pytest.approx(statistics.fmean(lengths))
    rates = [1000 / lengths[0], 0.0]
    assert own["strong_slop_per_1000"]["value"] == pytest.approx(statistics.fmean(rates), abs=1e-6)
    assert found["tracks"]["2"]["slop_per_1k"] == own["strong_slop_per_1000"]["value"]
    assert own["pooled_slop_per_1000"] == pytest.approx(1000 / sum(lengths), abs=1e-6)
    assert (own["slop_hits"], own["slop_characters"]) == (1, sum(lengths))
    assert (own["code_switch"]["value"], own["code_switch"]["n"]) == (0.5, 2)
    assert own["length_ok"]["value"] == 0.5 * (500 <= len(texts[MODELS[0], "T2-02-01"].strip()) <= 700)
    assert found["texts"]["3"]["code_switch"]["value"] == 0.0


def test_texts_that_begin_alike_are_counted_across_items_only(tmp_path: Path) -> None:
    same = "오늘도 어김없이 아침 해가 떠올랐다. "
    texts = {(MODELS[0], unit): same + unit for unit in UNITS[3][:3]}
    texts[MODELS[0], UNITS[3][3]] = "그 골목에는 아무도 살지 않았다고 했다."
    found = rows_of(MadeRun(tmp_path, texts=texts).write())[MODELS[0]]["texts"]["3"]["shared_openings"]
    assert (found["value"], found["n"]) == (0.75, 4)


def strong_wins(first: str, second: str, unit: Unit, judge: str) -> str:
    """The model that comes first in the roster wins; one item in four goes the other way."""
    first_is_stronger = MODELS.index(first) < MODELS.index(second)
    return "A" if first_is_stronger != (unit.id == "T2-02-01") else "B"


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    """A run with verdicts and ratings of them."""
    settings = {"pairwise": {"anchors": [MODELS[1]]}}
    own = MadeRun(tmp_path_factory.mktemp("rated"), settings=settings).write().compare(strong_wins)
    with own.work() as work:
        rate_all(work)
    return own


def ratings_file(run: MadeRun) -> dict[str, Any]:
    return json.loads((run.folder / "results" / "ratings.json").read_text("utf-8"))


def test_ratings_are_those_of_the_rating_stage(rated: MadeRun) -> None:
    record, stored = json.loads(written(rated)["leaderboard.json"]), ratings_file(rated)
    for row in record["rows"]:
        own = next(one for one in stored["ratings"] if one["rating"]["model"] == row["model"])
        assert row["elo"] == pytest.approx(stored["headline"][row["model"]])
        assert row["rating"]["estimate"]["value"] == pytest.approx(own["rating"]["estimate"]["value"], abs=1e-6)
        assert row["rating"]["rank_range"] == own["ranks"]
        assert row["rating"]["elo_compat"] == pytest.approx(stored["elo_compat"][row["model"]], abs=1e-6)
        styled = next(one for one in stored["style"]["controlled"] if one["model"] == row["model"])
        assert row["rating"]["style_controlled"]["value"] == pytest.approx(styled["estimate"]["value"], abs=1e-6)
    assert not record["pairwise"]["ratings_are_stale"]
    assert {f"first: {judge}" for judge in JUDGES} == set(record["pairwise"]["first_shown"])


def test_the_compatible_profile_shows_the_published_rating(rated: MadeRun, tmp_path: Path) -> None:
    settings = {"pairwise": {"anchors": [MODELS[1]]}, "profile": "compat"}
    own = MadeRun(tmp_path, settings=settings).write().compare(strong_wins)
    with own.work() as work:
        rate_all(work)
    assert {model: row["elo"] for model, row in rows_of(own).items()} == pytest.approx(
        ratings_file(own)["elo_compat"], abs=1e-6
    )


def test_wins_are_points_of_games_that_no_contestant_judged(rated: MadeRun) -> None:
    pairwise = json.loads(written(rated)["leaderboard.json"])["pairwise"]
    wins = {(one["a"], one["b"]): (one["points_a"], one["games"]) for one in pairwise["wins"]}
    a, b = sorted((MODELS[1], MODELS[2]))
    # Eight main prompts and three judges; MODELS[1] loses one prompt. Of its own games MODELS[0] judges none.
    lost = 3 * 1
    assert wins[a, b] == ((3 * 8 - lost) if a == MODELS[1] else lost, 24)
    assert {games for (one, other), (_, games) in wins.items() if MODELS[0] in (one, other)} == {16}
    assert pairwise["self_judged"] == 2 * 8
    assert pairwise["games"] == 24 + 16 + 16
    assert pairwise["own_wins"][0]["own"] == pytest.approx(7 / 8)


def test_ratings_of_other_games_are_stale_and_shown_nowhere(rated: MadeRun, tmp_path: Path) -> None:
    own = MadeRun(tmp_path, settings=rated.settings).write().compare(strong_wins)
    with own.work() as work:
        rate_all(work)
    own.compare(lambda first, second, unit, judge: "tie")
    files = written(own)
    record = json.loads(files["leaderboard.json"])
    assert {row["elo"] for row in record["rows"]} == {None}
    assert record["pairwise"]["ratings_are_stale"]
    assert "run: jatdae munbench elo" in files["leaderboard.md"].lower()
    with own.work() as work:
        rate_all(work)
    assert not json.loads(written(own)["leaderboard.json"])["pairwise"]["ratings_are_stale"]


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"n_games": 3}', '{"n_games": 3, "game_set_hash": 7}'])
def test_a_broken_ratings_file_is_stale_and_no_crash(rated: MadeRun, tmp_path: Path, broken: str) -> None:
    own = MadeRun(tmp_path).write().compare(strong_wins)
    (own.folder / "results" / "ratings.json").write_text(broken, "utf-8")
    assert json.loads(written(own)["leaderboard.json"])["pairwise"]["ratings_are_stale"]


def test_ratings_with_the_right_games_but_broken_rows_are_stale(rated: MadeRun, tmp_path: Path) -> None:
    own = MadeRun(tmp_path, settings=rated.settings).write().compare(strong_wins)
    file = own.folder / "results" / "ratings.json"
    file.write_text(json.dumps({**ratings_file(rated), "ratings": [{"rating": 3}]}), "utf-8")
    assert json.loads(written(own)["leaderboard.json"])["pairwise"]["ratings_are_stale"]


def test_a_report_on_some_models_keeps_the_ratings_of_all(rated: MadeRun) -> None:
    found = rows_of(rated, models=(MODELS[0],))
    assert found[MODELS[0]]["elo"] == pytest.approx(ratings_file(rated)["headline"][MODELS[0]])
    assert set(found) == {MODELS[0]}


def test_verdicts_that_are_missing_withhold_the_ratings(tmp_path: Path) -> None:
    def winner(first: str, second: str, unit: Unit, judge: str) -> str | None:
        lost = judge == JUDGES[1] and unit.id == "T1-01-01" and first == MODELS[0]
        return None if lost else strong_wins(first, second, unit, judge)

    own = MadeRun(tmp_path).write().compare(winner)
    with own.work() as work:
        rate_all(work)
    board = board_of(own)
    # 2 of 24 comparisons of this judge.
    assert board.record["pairwise"]["missing_by_judge"][JUDGES[1]] == pytest.approx(2 / 24, abs=1e-6)
    assert {row["elo"] for row in board.record["rows"]} == {None}
    assert any(one.code == "verdicts_missing" for one in board.banners)
    assert all(row["rating"]["estimate"] for row in board.record["rows"])


def test_a_judge_that_follows_the_place_raises_an_alarm(tmp_path: Path) -> None:
    own = MadeRun(tmp_path).write().compare(lambda first, second, unit, judge: "A", judges=[JUDGES[1]])
    board = board_of(own)
    assert board.record["pairwise"]["position"][JUDGES[1]]["flips"].value == 1.0
    assert any(one.code == "position_alarm" and one.values["share"] == "100.0" for one in board.banners)


def test_the_same_records_give_the_same_bytes_whatever_their_order(rated: MadeRun, tmp_path: Path) -> None:
    def without_date(files: Mapping[str, str]) -> dict[str, Any]:
        record = json.loads(files["leaderboard.json"])
        assert set(record.pop("generated")) == {"at", "jatdae"}
        return {**files, "leaderboard.json": json.dumps(record)}

    before = without_date(written(rated))
    for file in sorted((rated.folder / "results").rglob("*.jsonl")):
        lines = file.read_text("utf-8").splitlines(keepends=True)
        file.write_text("".join(reversed(lines)), "utf-8")
    assert without_date(written(rated)) == before
