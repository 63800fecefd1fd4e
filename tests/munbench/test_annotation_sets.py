"""Sets of a MunBench run's texts: made, rated, exported, applied to the records, and held against the judges."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mun_runs import FIRST, SECOND, THIRD, MunRun

from jatdae.app.annotation.creating import Wanted, create_from_munbench
from jatdae.app.annotation.exporting import apply_set, export_set
from jatdae.app.annotation.loading import LoadedSet
from jatdae.app.annotation.measuring import agreement_record, choices_of, judge_report
from jatdae.app.annotation.rating import Rating
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.believing import human_scores
from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.pipeline import workspace
from jatdae.evaluate.munbench.reading_only import evidence_of
from jatdae.judging.validation import judge_agreement
from jatdae.store import Store
from jatdae.store.annotations import Annotations, AnnotationSet, SetKind

RATERS = ("김서연", "이도윤")
Answer = Callable[[Rating, str, int], dict[str, object]]


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "annotations") as opened:
        yield opened


def scores(rating: Rating, unit: str, place: int) -> dict[str, object]:
    count = len(rating.shown(unit)["body"].criteria)
    return {"scores": [(place + number) % 11 for number in range(count)], "comment": "=1+1 좋다"}


def choice(rating: Rating, unit: str, place: int) -> dict[str, object]:
    return {"choice": ("left", "right", "tie")[place % 3], "comment": ""}


def make(store: Store, run: MunRun, kind: SetKind, size: int = 12, **wanted: object) -> AnnotationSet:
    return create_from_munbench(store, Wanted("묶음", kind, size, 7, **wanted), run.write())  # type: ignore[arg-type]


def rate(store: Store, made: AnnotationSet, answer: Answer, raters: tuple[str, ...] = RATERS) -> None:
    for shift, rater in enumerate(raters):
        rating = Rating(Annotations(store), made, rater)
        for unit in rating.order:
            # By the unit, so that raters agree in part whatever order each meets the units in.
            rating.say(unit, answer(rating, unit, int(unit[1:5], 16) + shift))


def test_a_rubric_set_is_rated_and_applied_to_generations_and_rubric_records(run: MunRun, store: Store) -> None:
    made = make(store, run, "rubric")
    rate(store, made, scores)

    placed = apply_set(store, "묶음")

    assert (placed.taken, placed.changed, placed.absent, placed.unsigned) == (12, 0, 0, 0)
    marked = [row for row in run.rows("generations") if row["human_score"] is not None]
    assert len(marked) == 12 and {row["model"] for row in marked} == {FIRST, SECOND, THIRD}
    assert {rating["rater_id"] for row in marked for rating in row["human_score"]["ratings"]} == set(RATERS)
    # A rubric record has the same word on the same text.
    rubric = {
        (row["model"], row["item_id"], row["variant"]): row["human_score"]
        for row in run.rows("rubric")
        if row["human_score"]
    }
    assert rubric == {(row["model"], row["item_id"], row["variant"]): row["human_score"] for row in marked}
    # And keeps it when the derived files are made again.
    run.stages("rubric", "elo")
    assert sum(row["human_score"] is not None for row in run.rows("rubric")) == 12


def test_ratings_of_others_stay_and_a_score_without_names_is_left_alone(run: MunRun, store: Store) -> None:
    made = make(store, run, "rubric")
    rate(store, made, scores, ("김서연",))
    apply_set(store, "묶음")
    config = read_config(run.config)
    with workspace(config, "test") as work:
        marked = [one for one in work.folder.generations(FIRST) if one.human_score is not None]
        work.folder.save_generations(FIRST, [replace(marked[0], human_score=7)])
    with Store.open(store.file.parent.parent / "other") as other:
        again = create_from_munbench(other, Wanted("묶음", "rubric", 12, 7), run.config)
        rate(other, again, scores, ("이도윤",))

        placed = apply_set(other, "묶음")

    assert (placed.taken, placed.unsigned) == (11, 1)
    with workspace(config, "test") as work:
        found = human_scores(Evidence(work))
    named = [sorted(rating.rater for rating in score.ratings) for score in found.values() if score.ratings]
    assert named == [["김서연", "이도윤"]] * 11
    assert [score.score for score in found.values() if not score.ratings] == [7]


def test_preferences_land_in_the_comparison_records_of_every_judge(run: MunRun, store: Store) -> None:
    made = make(store, run, "pairs")
    rate(store, made, choice)

    placed = apply_set(store, "묶음")

    assert (placed.taken, placed.changed, placed.absent) == (12, 0, 0)
    rows = [row for row in run.rows("pairwise/comparisons") if row["human_score"]]
    assert len({(row["item_id"], row["variant"], row["model_a"], row["model_b"]) for row in rows}) == 12
    assert len(rows) == 36  # three judges
    # A vote for the text that stood on the left is a vote for its model.
    loaded = LoadedSet.open(store, "묶음")
    answer = next(one for one in loaded.answers if one.value["preferred"] != "tie")
    unit = loaded.compared[answer.unit]
    chosen = unit.first if answer.value["preferred"] == "first" else unit.second
    row = next(
        row
        for row in rows
        if row["item_id"] == unit.item
        and (row["variant"] or "") == unit.variant
        and {row["model_a"], row["model_b"]} == {unit.first, unit.second}
    )
    assert row["human_score"]["votes"]["A" if row["model_a"] == chosen else "B"] >= 1
    assert row["human_score"]["n_raters"] == 2
    # They stay when the file is made again.
    run.stages("elo")
    assert sum(row["human_score"] is not None for row in run.rows("pairwise/comparisons")) == 36


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_an_export_is_a_sheet_that_human_import_takes(
    run: MunRun, store: Store, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make(store, run, "rubric")
    rate(store, made, scores)
    out = tmp_path / f"답{suffix}"

    assert export_set(store, "묶음", out) == 24
    assert "\n=" not in out.read_text("utf-8-sig") and ",=" not in out.read_text("utf-8-sig")
    assert run_app(["munbench", "human", "import", str(out), "-c", str(run.config)]) == 0

    assert "12 texts have people's scores" in capsys.readouterr().out
    with workspace(read_config(run.config), "test") as work:
        imported = human_scores(Evidence(work))
    apply_set(store, "묶음")
    with workspace(read_config(run.config), "test") as work:
        applied = human_scores(Evidence(work))
    assert {key: score.score for key, score in imported.items()} == pytest.approx(
        {key: score.score for key, score in applied.items()}
    )
    assert {len(score.ratings) for score in imported.values()} == {2}
    with pytest.raises(RequestError, match="is there already"):
        export_set(store, "묶음", out)


def test_texts_that_changed_since_are_left_out(run: MunRun, store: Store) -> None:
    rate(store, make(store, run, "rubric", size=153), scores, ("김서연",))
    with workspace(read_config(run.config), "test") as work:
        one = next(one for one in work.folder.generations(FIRST) if one.track == 2)
        work.folder.save_generations(FIRST, [replace(one, outputs=("다른 글",))])

    placed = apply_set(store, "묶음")

    assert placed.changed == 1
    assert placed.taken == len(LoadedSet.open(store, "묶음").answers) - 1


def test_judges_are_held_against_the_raters_as_the_run_itself_does(run: MunRun, store: Store) -> None:
    rate(store, make(store, run, "rubric", size=40), scores)
    apply_set(store, "묶음")
    evidence = evidence_of(read_config(run.config))
    judged = [one for records in evidence.scores.values() for one in records]
    expected = {
        one.judge: one for one in judge_agreement(judged, human_scores(evidence), draws=30) if one.track is None
    }

    report = judge_report(LoadedSet.open(store, "묶음"), draws=30)

    overall = {row.judge: row for row in report.rows if row.is_whole}
    assert set(overall) == set(expected) == {"openai:판관-1", "openai:판관-2", "rule", "ensemble"}
    for judge, row in overall.items():
        same = expected[judge]
        for mine, theirs in (
            (row.spearman, same.spearman),
            (row.kappa, same.kappa),
            (row.alpha, same.alpha),
            (row.accuracy, same.pair_accuracy),
        ):
            assert mine is not None and theirs is not None
            assert mine.value == pytest.approx(theirs.value)
            assert (mine.n, mine.clusters) == (theirs.n, theirs.clusters)


def test_a_judge_of_pairs_is_read_by_text_over_both_orders(run: MunRun, store: Store) -> None:
    make(store, run, "pairs", size=30)
    loaded = LoadedSet.open(store, "묶음")
    verdicts = [one for one in evidence_of(read_config(run.config)).verdicts if one.judge == "openai:판관-1"]

    choices = choices_of(verdicts, loaded.compared)

    assert len(choices) == 30
    unit, value = next((unit, value) for unit, value in choices.items() if value)
    shown = loaded.compared[unit]
    winner = shown.first if value > 0 else shown.second
    both = [
        one
        for one in verdicts
        if (one.item, one.variant, {one.first, one.second}) == (shown.item, shown.variant, {shown.first, shown.second})
    ]
    wins = [one.winner is not None and one.winner.startswith("A" if one.first == winner else "B") for one in both]
    losses = [one.winner is not None and one.winner.startswith("B" if one.first == winner else "A") for one in both]
    assert len(both) == 2
    assert sum(wins) > sum(losses)


def test_the_commands_make_list_and_measure(run: MunRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "s")
    config = str(run.write())
    create = ["annotate", "create", "묶음", "--munbench", config, "--size", "10", "--store", folder]

    assert run_app([*create, "--kind", "rubric", "--criteria", "여운과 구조적 완결성"]) == 0
    with Store.open(Path(folder)) as store:
        rate(store, Annotations(store).set("묶음"), scores)
    capsys.readouterr()
    assert run_app(["annotate", "list", "--store", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sets"][0]["raters"] == {"김서연": 10, "이도윤": 10}
    assert run_app(["annotate", "agreement", "묶음", "--store", folder, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    with Store.open(Path(folder)) as store:
        assert record == json.loads(json.dumps(agreement_record(LoadedSet.open(store, "묶음"))))
    assert "under 50" in record["warnings"][0]
    assert run_app(["annotate", "agreement", "묶음", "--store", folder]) == 0
    assert "not tested" in capsys.readouterr().out
    assert run_app(["annotate", "apply", "묶음", "--store", folder]) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a/b", "--kind", "rubric"], "is no name for a set"),
        (["가람-7B", "--kind", "rubric"], "holds a model's name"),
        (["x", "--kind", "stars"], "--kind 'stars' is not known"),
        (["x", "--kind", "pairs", "--criteria", "절제"], "--criteria is for --kind rubric"),
        (["x", "--kind", "rubric", "--criteria", "절제력"], "is not in the rubric"),
        (["x", "--kind", "rubric", "--model", "a"], "--model and --run go with --task"),
        (["x", "--kind", "rubric", "--task", "kmmlu"], "say where the texts come from"),
    ],
)
def test_a_set_that_cannot_be_is_refused_in_one_line(
    finished: MunRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    config = str(finished.config)

    assert run_app(["annotate", "create", *words, "--munbench", config, "--store", str(tmp_path / "s")]) == 2
    assert told in capsys.readouterr().err
