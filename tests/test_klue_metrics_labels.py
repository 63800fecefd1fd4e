"""KLUE's metrics over one label an item: topics, inference, relations."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue.labels import RELATIONS, TOPICS
from jatdae.benchmarks.klue.metrics import Score, accuracy, relation_auprc, relation_micro_f1, topic_macro_f1
from jatdae.errors import JatdaeError, RequestError

EXACT = 1e-9
OUTPUTS = Path("klue") / "model_outputs"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- topics -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "predicted", "official"),
    [
        ([0, 0, 1, 1, 2, 3, 4, 5, 6, 6], [0, 1, 1, 1, 2, 3, 4, 5, 6, 2], 82.85714285714285),
        ([0, 0, 1, 1], [0, 2, 1, 1], 55.55555555555555),
    ],
)
def test_topic_macro_f1_equals_the_official_scorer(gold: list[int], predicted: list[int], official: float) -> None:
    assert topic_macro_f1(gold, predicted, range(7)).official == pytest.approx(official, abs=EXACT)


def test_the_class_list_of_a_macro_average_is_part_of_the_result() -> None:
    score = topic_macro_f1(["정치", "경제"], ["정치", "스포츠"])

    assert score.official == pytest.approx(100 / 3, abs=EXACT)
    assert score.clean == pytest.approx(50, abs=EXACT)
    assert score.detail["over_all_classes"] == pytest.approx(100 / 7, abs=EXACT)
    assert score.detail["classes"] == ("정치", "경제", "스포츠")
    assert score.detail["gold_classes"] == ("정치", "경제")


def test_a_missing_topic_is_an_error_in_accuracy_and_in_macro_f1() -> None:
    gold, predicted = ["정치", "정치", "경제", "경제"], ["정치", None, "경제", "경제"]

    assert accuracy(gold, predicted, TOPICS).official == 75
    score = topic_macro_f1(gold, predicted)
    assert score.official == pytest.approx(250 / 3, abs=EXACT)
    assert (score.n, score.missing, score.invalid) == (4, 1, 0)


def test_an_unknown_topic_is_counted_and_never_becomes_a_class() -> None:
    score = topic_macro_f1(["정치", "경제"], ["정치", "날씨"])

    assert (score.official, score.invalid) == (50, 1)


def test_real_topic_answers(upstream: Path) -> None:
    answers = rows(upstream / OUTPUTS / "ynat_dev_gemini25flash.csv")
    gold = [row["true_label_text"] for row in answers]
    predicted = [row["prediction_text"] or None for row in answers]

    share, score = accuracy(gold, predicted, TOPICS), topic_macro_f1(gold, predicted)

    assert share.official == pytest.approx(68.9360, abs=5e-5)
    assert score.official == pytest.approx(72.4500, abs=5e-5)
    assert (score.n, score.missing + score.invalid) == (9107, 693)


# --- inference --------------------------------------------------------------------------------------------------------


def test_accuracy_equals_the_official_scorer() -> None:
    score = accuracy([0, 1, 1, 2, 2], [0, 1, 2, 2, 0], range(3))

    assert score.official == score.clean == pytest.approx(60.0, abs=EXACT)
    assert score.items is not None
    assert score.items.tolist() == [1, 1, 0, 1, 0]


def test_real_inference_answers(upstream: Path) -> None:
    answers = rows(upstream / OUTPUTS / "nli_dev_gemini25flash.csv")
    release = json.loads((upstream / "klue" / "klue-nli-v1.1_dev.json").read_text(encoding="utf-8"))
    gold = {row["guid"]: row["gold_label"] for row in release}
    predicted = [row["prediction_text"] or None for row in answers]

    score = accuracy([gold[row["id"]] for row in answers], predicted)
    exchanged = accuracy([row["true_label_text_as_logged"] for row in answers], predicted)

    assert score.official == pytest.approx(86.5667, abs=5e-5)
    assert (score.n, score.missing, score.invalid) == (3000, 276, 1)
    assert exchanged.official == pytest.approx(32.1333, abs=5e-5)
    assert exchanged.detail["recall"]["entailment"] > 80 > 20 > exchanged.detail["recall"]["neutral"]


def test_gold_numbers_beside_predicted_names_are_refused() -> None:
    with pytest.raises(RequestError, match="gold label 10 at position 0 is not among the 30 labels"):
        relation_micro_f1([10], ["org:top_members/employees"])


@pytest.mark.parametrize("metric", [accuracy, topic_macro_f1, relation_micro_f1])
def test_nothing_valid_is_no_score(metric: object) -> None:
    assert callable(metric)
    labels = ["no_relation", "정치"]

    lost = metric(["정치"] * 10, [None] * 9 + ["?"], labels)
    empty = metric([], [], labels)

    assert (lost.official, lost.clean, lost.missing, lost.invalid) == (None, None, 9, 1)
    assert lost.reason == "no valid prediction: 0 of 10 valid"
    assert (empty.official, empty.reason) == (None, "no items")


def test_one_prediction_an_item_is_needed() -> None:
    with pytest.raises(RequestError, match="1 predictions for 2 items"):
        accuracy(["neutral", "neutral"], ["neutral"])


# --- relations --------------------------------------------------------------------------------------------------------


def test_relation_micro_f1_equals_the_official_scorer() -> None:
    score = relation_micro_f1([0, 0, 0, 3, 3, 12, 29, 29], [0, 3, 0, 3, 0, 12, 29, 18], range(30), no_relation=0)

    assert score.official == pytest.approx(60.0, abs=EXACT)


def test_a_relation_of_another_data_set_is_invalid_and_not_mapped() -> None:
    score = relation_micro_f1(
        ["per:place_of_residence", "per:place_of_residence", "no_relation"],
        ["per:cities_of_residence", "per:place_of_residence", "no_relation"],
    )

    assert score.official == pytest.approx(200 / 3, abs=EXACT)
    assert (score.detail["recall"], score.invalid, score.n) == (50, 1, 3)


def test_no_relation_anywhere_is_zero_for_the_official_scorer_and_undefined_otherwise() -> None:
    score = relation_micro_f1(["no_relation"], ["no_relation"])

    assert (score.official, score.clean, score.reason) == (0, None, "no relation in gold or prediction")


def test_auprc_is_the_trapezoid_area_of_the_spec() -> None:
    one = relation_auprc([1, 0, 1, 1, 0, 0], [[0, s] for s in (0.9, 0.8, 0.7, 0.4, 0.3, 0.2)], range(2))
    other = relation_auprc(
        [0, 1, 0, 1, 1, 0, 0, 1], [[0, s] for s in (0.1, 0.4, 0.35, 0.8, 0.7, 0.6, 0.2, 0.3)], range(2)
    )

    assert one.detail["area"][1] == pytest.approx(76.38888888888888, abs=EXACT)
    assert other.detail["area"][1] == pytest.approx(83.54166667, abs=1e-7)


def sixty_by_thirty() -> tuple[list[int], np.ndarray]:
    gold = [i % 30 for i in range(60)]
    table = [[1 / (1 + ((c - y + (i >= 30)) % 30)) for c in range(30)] for i, y in enumerate(gold)]
    return gold, np.array(table)


def test_auprc_over_all_thirty_relations() -> None:
    gold, table = sixty_by_thirty()

    assert relation_auprc(gold, table, range(30)).official == pytest.approx(62.5, abs=EXACT)
    assert relation_auprc(gold, np.eye(30)[gold], range(30)).official == pytest.approx(100.0, abs=EXACT)
    flat = relation_auprc(gold, np.full((60, 30), 1 / 30), range(30))
    assert flat.official == flat.clean == pytest.approx(51.66666666666669, abs=EXACT)


def test_classes_without_gold_are_named_and_left_out_of_the_clean_area() -> None:
    gold = [0, 0, 1, 2]
    score = relation_auprc(gold, np.eye(30)[gold], range(30))
    few = relation_auprc(["no_relation", "org:product", "org:product"], np.full((3, 30), 1 / 30))

    assert score.official == pytest.approx(55.0, abs=EXACT)
    assert score.clean == pytest.approx(100.0, abs=EXACT)
    assert score.detail["absent"] == tuple(range(3, 30))
    assert len(few.detail["absent"]) == 28


def test_an_item_without_probabilities_ranks_last_under_every_relation() -> None:
    full = relation_auprc([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]], range(2))
    part = relation_auprc([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], None], range(2))
    bottom = relation_auprc([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.0, 0.0]], range(2))

    assert full.official == 100
    assert (part.official, part.missing) == (bottom.official, 1)
    assert part.official is not None
    assert part.official < 100


def test_real_relation_outputs(upstream: Path) -> None:
    held_out = rows(upstream / OUTPUTS / "re_train-heldout_roberta-large.csv")
    gold, predicted = ([RELATIONS[int(row[name])] for row in held_out] for name in ("label", "pred_label"))
    table = np.array([[float(row[name]) for name in RELATIONS] for row in held_out])

    assert accuracy(gold, predicted, RELATIONS).official == pytest.approx(84.3240, abs=5e-5)
    assert relation_micro_f1(gold, predicted).official == pytest.approx(86.0155, abs=5e-5)
    assert relation_auprc(gold, table).official == pytest.approx(84.3768, abs=5e-5)


def test_real_relation_answers_with_invented_names(upstream: Path) -> None:
    answers = rows(upstream / OUTPUTS / "re_dev_gemini25flash.csv")
    gold = [RELATIONS[int(row["true_relation"])] for row in answers]
    score = accuracy(gold, [row["predicted_relation"] or None for row in answers], RELATIONS)

    assert score.official == pytest.approx(67.3921, abs=5e-5)
    assert (score.n, score.invalid) == (7765, 923)


# --- against scikit-learn ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_f1_equals_scikit_learn(seed: int) -> None:
    measure = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(seed)
    gold, predicted = random.integers(0, 7, 200).tolist(), random.integers(0, 7, 200).tolist()

    topic, relation = topic_macro_f1(gold, predicted, range(7)), relation_micro_f1(gold, predicted, range(7), 0)

    assert topic.official == pytest.approx(100 * measure.f1_score(gold, predicted, average="macro"), abs=EXACT)
    expected = measure.f1_score(gold, predicted, labels=[1, 2, 3, 4, 5, 6], average="micro")
    assert relation.official == pytest.approx(100 * expected, abs=EXACT)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore:No positive class:UserWarning")
def test_auprc_equals_scikit_learn_with_ties_and_absent_classes(seed: int) -> None:
    measure = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(seed)
    gold, table = random.integers(0, 25, 150), np.round(random.random((150, 30)), 1)

    areas = []
    for label in range(30):
        precision, recall, _ = measure.precision_recall_curve(gold == label, table[:, label])
        areas.append(measure.auc(recall, precision))

    score = relation_auprc(gold.tolist(), table, range(30))
    assert score.official == pytest.approx(100 * float(np.mean(areas)), abs=EXACT)
    assert score.clean == pytest.approx(100 * float(np.mean(areas[:25])), abs=EXACT)


# --- what must not matter ---------------------------------------------------------------------------------------------

PAIRS = st.lists(st.tuples(st.sampled_from(TOPICS), st.sampled_from([*TOPICS, None, "?"])), min_size=1, max_size=30)


@given(PAIRS, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_values_stay_in_range(pairs: list[tuple[str, str | None]], random: object) -> None:
    shuffled = pairs.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    for score, other in zip(label_scores(pairs), label_scores(shuffled), strict=True):
        assert score.official == pytest.approx(other.official, abs=EXACT)
        assert score.clean == pytest.approx(other.clean, abs=EXACT)
        assert score.official is None or 0 <= score.official <= 100


def label_scores(pairs: Sequence[tuple[str, str | None]]) -> list[Score]:
    gold, predicted = [a for a, _ in pairs], [b for _, b in pairs]
    return [
        accuracy(gold, predicted, TOPICS),
        topic_macro_f1(gold, predicted),
        relation_micro_f1(gold, predicted, TOPICS, "정치"),
    ]


@given(st.lists(st.sampled_from(TOPICS[1:]), min_size=1))
def test_gold_as_prediction_is_perfect(gold: list[str]) -> None:
    assert [score.official for score in label_scores([(label, label) for label in gold])] == [100, 100, 100]


@pytest.mark.parametrize("value", [100.1, -0.1, float("nan")])
def test_a_value_out_of_range_is_an_internal_error(value: float) -> None:
    with pytest.raises(JatdaeError, match="internal error"):
        Score(value, 50.0, 1)
