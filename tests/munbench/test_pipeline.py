"""The MunBench pipeline from end to end: what it records, what it asks, and what it never asks again."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from mun_runs import (
    CALLS,
    FIRST,
    JUDGES,
    ROLE_PLAYS,
    SECOND,
    THIRD,
    UNITS,
    MunRun,
    asked_by,
    by_sample,
    forget,
)

MODELS = (FIRST, SECOND, THIRD)
FOURTH = "openai:라온-7B"


def test_every_contestant_has_a_whole_record_of_every_prompt(finished: MunRun) -> None:
    rows = finished.rows("generations")
    assert len(rows) == len(by_sample(rows)) == UNITS * len(MODELS)
    assert Counter(row["model"] for row in rows) == dict.fromkeys(MODELS, UNITS)
    for row in rows:
        calls = 4 if row["track"] == 1 else 1
        assert row["status"] == "ok"
        assert row["error"] is None
        assert row["finishes"] == ["stop"] * calls
        assert len(row["outputs"]) == len(row["requests"]) == len(row["seconds"]) == calls
        assert row["usage"]["completion"] == sum(map(len, row["outputs"]))
        said = [message["content"] for message in row["transcript"] if message["role"] == "assistant"]
        assert said == row["outputs"]
        assert (row["variant"] in ("specified", "neutral")) == (row["track"] == 3)
    assert sum(row["track"] == 1 for row in rows) == ROLE_PLAYS * len(MODELS)


def test_every_judge_has_scored_every_text_as_often_as_asked(finished: MunRun) -> None:
    rows = finished.rows("judgments/rubric")
    keys = {(r["model"], r["item_id"], r["variant"], r["index"], r["judge"], r["iteration"]) for r in rows}
    assert len(rows) == len(keys) == UNITS * len(MODELS) * len(JUDGES) * 2
    for row in rows:
        assert row["status"] == "ok"
        assert all(0 <= score <= 10 for score in row["scores"].values())
        assert min(row["scores"].values()) <= row["weighted"] <= max(row["scores"].values())
        assert len(row["raw"]) == (0 if row["judge"] == "rule" else 1)
    derived = finished.rows("rubric")
    assert len(derived) == UNITS * len(MODELS)
    for row in derived:
        means = [judge["mean"] for judge in row["judges"]]
        assert [judge["judge"] for judge in row["judges"]] == list(JUDGES)
        assert row["final_mean"] == pytest.approx(math.fsum(means) / len(means))
        assert (row["judges_failed"], row["human_score"]) == ([], None)


def test_every_pair_was_compared_by_every_judge_in_both_orders(finished: MunRun) -> None:
    verdicts = finished.rows("judgments/pairwise")
    orders = Counter((r["item_id"], r["variant"], *sorted((r["first"], r["second"])), r["judge"]) for r in verdicts)
    assert set(orders.values()) == {2}
    assert all(row["status"] == "ok" and row["winner"] for row in verdicts)
    assert {row["variant"] for row in verdicts} == {None, "specified"}, "contrast variants are not compared by default"

    compared = finished.rows("pairwise/comparisons")
    assert len(compared) == len(orders)
    worth = {("A", "B"): 1.0, ("B", "A"): 0.0, ("A", "draw"): 0.75, ("draw", "B"): 0.75}
    for row in compared:
        assert row["error"] is None
        score = worth.get((row["order1_winner"], row["order2_winner"]))
        assert row["score_a"] in ((score,) if score is not None else (0.25, 0.5))
    ratings = json.loads((finished.results / "ratings.json").read_text("utf-8"))
    assert ratings["n_games"] == len(compared)
    assert {row["rating"]["model"] for row in ratings["ratings"]} == set(MODELS)
    assert json.loads((finished.results / "elo.json").read_text("utf-8")) == ratings["headline"]


def test_the_same_run_again_asks_nothing_and_changes_no_byte(run: MunRun) -> None:
    before = run.files()
    assert run.stages() == ([], [])
    assert run.server.requests == []
    assert run.files() == before


def test_lost_record_files_are_made_again_from_the_store(run: MunRun) -> None:
    before = run.files()
    run.file_of("generations", SECOND).unlink()
    run.file_of("judgments/rubric", SECOND).unlink()
    (run.results / "judgments" / "pairwise.jsonl").unlink()
    assert run.stages() == ([], [])
    assert run.server.requests == []
    assert run.files() == before


def test_a_track_alone_leaves_the_records_of_others_as_they_are(run: MunRun) -> None:
    before = {kind: run.rows(kind) for kind in ("generations", "judgments/rubric", "judgments/pairwise")}
    more = run.changed(samples_per_item=2)
    assert more.stages("generate", "rubric", tracks=[2]) == ([], [])

    assert all(body["model"] for body in run.server.requests)
    for kind, rows in before.items():
        others = [row for row in more.rows(kind) if row["track"] != 2]
        assert others == [row for row in rows if row["track"] != 2]
    added = [row for row in more.rows("generations") if row["index"] == 1]
    assert {row["track"] for row in added} == {2}


def test_one_model_alone_leaves_the_records_of_others_as_they_are(run: MunRun) -> None:
    before = by_sample(run.rows("generations"))
    more = run.changed(samples_per_item=2)
    assert more.stages("generate", models=[SECOND]) == ([], [])
    assert asked_by(run.server) == {SECOND.removeprefix("openai:")}
    after = by_sample(more.rows("generations"))
    assert {key: after[key] for key in before} == before
    assert {key[0] for key in set(after) - set(before)} == {SECOND}


@pytest.mark.parametrize(("tracks", "models"), [((2,), ()), ((1, 2, 3), (SECOND,)), ((3,), (THIRD,))])
def test_a_part_run_again_leaves_derived_files_and_ratings_of_the_whole(
    run: MunRun, tracks: tuple[int, ...], models: tuple[str, ...]
) -> None:
    before = run.files()
    assert run.stages(tracks=tracks, models=models) == ([], [])
    assert run.server.requests == []
    assert run.files() == before


def test_samples_of_one_prompt_are_asked_with_seeds_of_their_own(run: MunRun) -> None:
    more = run.changed(samples_per_item=2)
    assert more.stages("generate", "rubric", tracks=[3]) == ([], [])
    samples = by_sample([row for row in more.rows("generations") if row["track"] == 3])
    twins = [(row, samples[*key[:3], 1]) for key, row in samples.items() if key[3] == 0]
    assert len(samples) == 2 * len(twins)
    assert all(first["outputs"] != second["outputs"] for first, second in twins)
    assert max(run.server.answered.values()) == 1
    seeds = {body["seed"] for body in run.server.requests if "seed" in body}
    assert seeds == {1}, "a server that heeds seeds would write the same text twice"
    scores = [row for row in more.rows("judgments/rubric") if row["track"] == 3]
    assert len(scores) == len(samples) * len(JUDGES) * 2


def test_a_model_that_joins_is_asked_alone_and_earlier_records_stay(mun_server: FaultyServer, tmp_path: Path) -> None:
    forget(mun_server)
    limits = {"anchors": [FIRST], "max_anchor_items": 6, "max_comparisons_per_model": 7}
    settings = {"judges": ["openai:판관-1"], "rubric_iterations": 1, "pairwise": limits}
    three = MunRun(tmp_path, mun_server, settings)
    assert three.stages() == ([], [])
    before = {kind: three.rows(kind) for kind in ("generations", "judgments/rubric", "judgments/pairwise")}
    pairings = _pairings(three)
    forget(mun_server)

    four = three.changed(models=[*MODELS, FOURTH])
    assert four.stages() == ([], [])
    for kind, rows in before.items():
        after = [json.dumps(row, sort_keys=True) for row in four.rows(kind)]
        assert {json.dumps(row, sort_keys=True) for row in rows} <= set(after), kind
    assert pairings <= _pairings(four)
    new = [row for row in four.rows("judgments/pairwise") if row not in before["judgments/pairwise"]]
    assert all(FOURTH in (row["first"], row["second"]) for row in new)
    assert asked_by(mun_server) == {FOURTH.removeprefix("openai:"), "판관-1"}
    assert len(mun_server.requests) == CALLS + UNITS + len(new)
    ratings = json.loads((four.results / "ratings.json").read_text("utf-8"))
    assert ratings["mode"] == "locked"
    assert any("joined since" in note for note in ratings["notes"])


def _pairings(run: MunRun) -> set[tuple[str, ...]]:
    stored = json.loads((run.results / "pairwise" / "schedule.json").read_text("utf-8"))
    return {tuple(pairing) for pairing in stored["pairings"]}


def test_other_sampling_asks_anew(run: MunRun) -> None:
    longer = run.changed(max_tokens=300)
    assert longer.stages("generate") == ([], [])
    assert len(run.server.requests) == CALLS * len(MODELS)
    assert {body["max_tokens"] for body in run.server.requests} == {300}

    forget(run.server)
    assert longer.stages("generate") == ([], [])
    assert run.server.requests == []
    assert run.stages("generate") == ([], []), "and back again comes from the store"
    assert run.server.requests == []
