"""Every KLUE task scored from a file: gold as prediction is perfect, and public outputs give their known figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from klue_gold import AS_PREDICTED, relations, written

from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.labels import RELATIONS
from jatdae.benchmarks.klue.scoring import KlueScore, score_predictions
from jatdae.benchmarks.sources import Source

OFFICIAL = {
    "ynat": {"macro_f1"},
    "sts": {"pearson", "f1"},
    "nli": {"accuracy"},
    "ner": {"entity_f1", "character_f1"},
    "re": {"micro_f1", "auprc"},
    "dp": {"uas_macro", "las_macro"},
    "mrc": {"exact_match", "rouge_w"},
    "wos": {"joint_goal_accuracy", "slot_f1"},
}


def gold_as_predicted(task: str, source: Source, folder: Path) -> Path:
    records = read_task(task, locate(source, task, "dev"))
    return written(folder / "pred.json", [row for record in records for row in AS_PREDICTED[task](record)])


def best(score: KlueScore, metric: str) -> float:
    """1, but for the area under curves: each relation without gold costs half of its thirtieth."""
    absent = score.metrics[metric].detail.get("absent", ()) if metric == "auprc" else ()
    return 1 - len(absent) / 60


@pytest.mark.parametrize("place", ["mini", "upstream"])
@pytest.mark.parametrize("task", TASKS)
def test_gold_as_prediction_gets_all_there_is(
    task: str, place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    source = Source.of("mini" if place == "mini" else request.getfixturevalue("upstream"))

    score = score_predictions(task, gold_as_predicted(task, source, tmp_path), source=source, draws=50)

    assert {name for name, measured in score.metrics.items() if measured.is_official} == OFFICIAL[task]
    for name, measured in score.metrics.items():
        assert measured.official is not None and measured.clean is not None
        assert measured.official.value == pytest.approx(best(score, name), abs=1e-12)
        assert measured.clean.value == pytest.approx(1, abs=1e-12)
    assert (score.missing, score.outside, score.duplicates, score.unknown) == (0, {}, (), ())


def test_items_are_drawn_with_what_they_share(upstream: Path, tmp_path: Path) -> None:
    source = Source.of(upstream)
    seen = {}
    for task in ("nli", "mrc", "wos", "sts"):
        score = score_predictions(task, gold_as_predicted(task, source, tmp_path), source=source, draws=2)
        seen[task] = (score.items, score.clusters, score.clustered_by)
    assert seen == {
        "nli": (3_000, 1_000, "premise"),
        "mrc": (60, 21, "passage"),
        "wos": (304, 40, "dialogue"),
        "sts": (519, 519, "pair"),
    }


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@pytest.fixture
def outputs(upstream: Path) -> Path:
    return upstream / "klue" / "model_outputs"


def test_a_finetuned_relation_model_scores_as_counted_elsewhere(outputs: Path, tmp_path: Path) -> None:
    """The origin's own columns: `label` is gold, `pred_label` the prediction, both as numbers; 30 probabilities."""
    path = outputs / "re_train-heldout_roberta-large.csv"
    logged = list(rows_of(path))
    gold = relations(tmp_path, [RELATIONS[int(row["label"])] for row in logged], [row["guid"] for row in logged])

    score = score_predictions("re", path, gold, label_order="official", draws=100)

    values = {name: measured.official and measured.official.value for name, measured in score.metrics.items()}
    assert values == {
        "micro_f1": pytest.approx(0.860155, abs=5e-7),
        "auprc": pytest.approx(0.843768, abs=5e-7),
        "accuracy": pytest.approx(0.843240, abs=5e-7),
    }
    assert score.column == "pred_label"
    micro = score.metrics["micro_f1"].official
    assert micro is not None and micro.low is not None and micro.high is not None
    assert micro.low < 0.860155 < micro.high


def test_a_prompted_model_on_inference_scores_as_counted_elsewhere(outputs: Path, upstream: Path) -> None:
    score = score_predictions("nli", outputs / "nli_dev_gemini25flash.csv", source=Source.of(upstream), draws=50)

    accuracy = score.metrics["accuracy"].official
    assert accuracy is not None and accuracy.value == pytest.approx(0.865667, abs=5e-7)
    assert (score.missing, score.outside) == (276, {"entail": 1})
    assert score.title == "klue/nli dev: 3,000 pairs in 1,000 premises, 276 without a prediction"


def test_names_in_exchanged_order_are_warned_about(outputs: Path, upstream: Path, tmp_path: Path) -> None:
    exchanged = {"neutral": "contradiction", "contradiction": "neutral"}
    rows = rows_of(outputs / "nli_dev_gemini25flash.csv")
    pred = [{"guid": r["id"], "pred": exchanged.get(r["prediction_text"], r["prediction_text"])} for r in rows]

    score = score_predictions("nli", written(tmp_path / "pred.json", pred), source=Source.of(upstream), draws=10)

    accuracy = score.metrics["accuracy"].official
    assert accuracy is not None and accuracy.value < 0.4
    assert any(note.startswith("WARNING") and "would be 86.57" in note for note in score.notes)


def test_missing_topics_are_errors_in_every_figure(outputs: Path, tmp_path: Path) -> None:
    path = outputs / "ynat_dev_gemini25flash.csv"
    logged = list(rows_of(path))
    gold = [{"guid": row["id"], "title": row["id"], "label": row["true_label_text"]} for row in logged]

    score = score_predictions("ynat", path, written(tmp_path / "ynat-v1.1_dev.json", gold), draws=50)

    macro, accuracy = score.metrics["macro_f1"].official, score.metrics["accuracy"].official
    assert macro is not None and macro.value == pytest.approx(0.724500, abs=5e-7)
    assert accuracy is not None and accuracy.value == pytest.approx(0.689360, abs=5e-7)
    assert score.missing + sum(score.outside.values()) == 693


def test_numbers_against_names_are_no_zero_and_unknown_names_are_counted(outputs: Path, tmp_path: Path) -> None:
    logged = list(rows_of(outputs / "re_dev_gemini25flash.csv"))
    gold = relations(tmp_path, [RELATIONS[int(row["true_relation"])] for row in logged], [row["id"] for row in logged])
    pred = [{"id": row["id"], "predicted": row["predicted_relation"]} for row in logged]

    score = score_predictions("re", written(tmp_path / "pred.json", pred), gold, draws=20)

    accuracy, auprc = score.metrics["accuracy"].official, score.metrics["auprc"]
    assert accuracy is not None and accuracy.value == pytest.approx(0.673921, abs=5e-7)
    assert sum(score.outside.values()) == 923
    assert (auprc.official, auprc.reason) == (None, "no probabilities of the 30 relations are given")


def test_tagging_nothing_gives_the_known_floor(upstream: Path, tmp_path: Path) -> None:
    source = Source.of(upstream)
    sentences = read_task("ner", locate(source, "ner", "dev"))
    pred = [{"guid": sentence.guid, "tags": ["O"] * len(sentence.tags)} for sentence in sentences]

    score = score_predictions("ner", written(tmp_path / "pred.json", pred), source=source, draws=2)

    entity, character = score.metrics["entity_f1"], score.metrics["character_f1"]
    assert entity.official is not None and entity.official.value == 0
    assert character.official is not None and character.official.value == pytest.approx(0.06770459534404052)
    assert character.detail["characters"] == 235_550


@pytest.mark.parametrize("task", ["ner", "dp"])
def test_the_releases_own_layout_is_a_form_of_prediction(task: str, upstream: Path) -> None:
    path = locate(Source.of(upstream), task, "dev")

    score = score_predictions(task, path, path, draws=2)

    assert all(measured.official and measured.official.value == 1 for measured in score.metrics.values())


def test_reading_answers_by_a_prompted_model(outputs: Path, upstream: Path, tmp_path: Path) -> None:
    """Only half of the sample's questions have a reply; the others count as wrong, and both figures are told."""
    given = json.loads((outputs / "mrc_dev_gemini25flash.json").read_text(encoding="utf-8"))
    replies = {row["guid"]: row["raw_response"] for row in given}
    pred = {guid: "" if "찾을 수 없" in text else text for guid, text in replies.items()}

    score = score_predictions("mrc", written(tmp_path / "pred.json", pred), source=Source.of(upstream), draws=20)

    questions = read_task("mrc", locate(Source.of(upstream), "mrc", "dev"))
    assert score.missing == sum(question.guid not in pred for question in questions)
    assert len(score.unknown) == len(set(pred) - {question.guid for question in questions})
    match, overlap = score.metrics["exact_match"].official, score.metrics["rouge_w"].official
    assert match is not None and overlap is not None
    assert 0 < match.value <= overlap.value <= 1
