"""KLUE's metrics of answers (reading comprehension) and of dialogue states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue.metrics import exact_match, joint_goal_accuracy, normalized, rouge_w, slot_f1

EXACT = 1e-9
MONTH = ["한 달가량", "한 달"]


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "references", "exact", "overlap"),
    [
        ("한 달가량", MONTH, 100, 100),
        ("약 한 달", MONTH, 0, 74.99999999999999),
        ("'한 달.'", ["한 달"], 100, 100),
        ("《설국》", ["설국"], 0, 66.66666666666666),
        ("‘설국’", ["설국"], 0, 66.66666666666666),
        ("", [], 100, 100),
        ("", [""], 100, 100),
        ("설국", [], 0, 0),
        ("", ["설국"], 0, 0),
        ("LG전자", ["lg전자"], 100, 100),
        ("박 근혜  대통령", ["박근혜 대통령"], 0, 80.0),
        ("가나다라마", ["가x나x다x라x마"], 0, 14.285714285714285),
        ("!", ["?"], 100, 100),
        ("뉴 74 에디션", ["뉴 74 에디션"], 100, 100),
        ("뉴 74", ["뉴 74 에디션"], 0, 66.66666666666666),
        ("서울은 수도다", ["서울은 수도다"], 100, 100),
    ],
)
def test_both_metrics_equal_the_official_scorer(
    prediction: str, references: list[str], exact: float, overlap: float
) -> None:
    assert exact_match([prediction], [references]).official == pytest.approx(exact, abs=EXACT)
    assert rouge_w([prediction], [references]).official == pytest.approx(overlap, abs=EXACT)


def test_a_set_of_four_questions() -> None:
    predicted, references = ["한 달가량", "약 한 달", "", "설국"], [MONTH, MONTH, [], []]

    score = rouge_w(predicted, references)

    assert exact_match(predicted, references).official == pytest.approx(50.0, abs=EXACT)
    assert score.official == pytest.approx(68.75, abs=EXACT)
    assert score.items is not None
    assert score.items.tolist() == pytest.approx([1, 0.75, 1, 0], abs=EXACT)


def test_the_clean_variants_read_past_quotes_and_angle_brackets() -> None:
    for metric in (exact_match, rouge_w):
        assert metric(["《설국》"], [["설국"]]).clean == 100
        assert metric(["‘설국’을"], [["“설국”을"]]).clean == 100


def test_a_decoy_is_no_answer_and_a_missing_prediction_is_no_empty_one() -> None:
    decoy = exact_match(["인수합병(M&A) 자문"], [[]])
    lost = exact_match([None, "", "설국"], [[], [], ["설국"]])

    assert decoy.official == 0
    assert (lost.official, lost.missing, lost.n) == (pytest.approx(200 / 3, abs=EXACT), 1, 3)
    assert lost.detail["over_answered"] == 100
    assert rouge_w([None, None], [[], ["설국"]]).reason == "no valid prediction: 0 of 2 valid"


def test_text_is_compared_as_it_is_written() -> None:
    decomposed = "\u1106\u1161\u1109\u1175\u11af\u1101\u1161\u1112\u1162\u110b\u116d"

    assert exact_match([decomposed, "ㅋㅋ", "３．５％"], [["마실까해요"], ["\u110f\u110f"], ["3.5%"]]).official == 0
    assert normalized("3.25%") == "325"


def test_the_official_matcher_skips_frequent_characters_of_long_references() -> None:
    """The official matcher treats what fills over 1 % of a long reference as noise: the two variants part there."""
    reference = "가나다라마바사아자차" * 20
    prediction = "나다라마"

    score = rouge_w([prediction, prediction], [[reference], [reference[:199]]])

    assert score.detail["long_references"] == 1
    assert score.items is not None
    assert score.items.tolist() == pytest.approx([0, 2 * 4 / 203], abs=EXACT)
    assert score.clean == pytest.approx(50 * (2 * 4 / 203 + 2 * 4 / 204), abs=EXACT)


def test_real_answers_stay_in_range(upstream: Path) -> None:
    path = upstream / "klue" / "model_outputs" / "mrc_dev_gemini25flash.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    predicted = [row["raw_response"] for row in rows]
    references = [[] if row["is_impossible"] else row["ground_truth_answers"]["text"] for row in rows]

    exact, overlap = exact_match(predicted, references), rouge_w(predicted, references)

    assert exact.items is not None
    assert overlap.items is not None
    assert (exact.n, float(overlap.items.min()), float(overlap.items.max())) == (1350, 0, 1)
    assert (exact.items <= overlap.items).all()


def longest_piece(first: str, second: str) -> int:
    """Another way to the same length: try every piece."""
    pieces = (first[i:j] for i in range(len(first)) for j in range(i + 1, len(first) + 1))
    return max((len(piece) for piece in pieces if piece in second), default=0)


WORDS = st.text("가나다 x", max_size=8)


@given(WORDS, WORDS)
def test_the_overlap_is_the_f1_of_the_longest_piece(prediction: str, reference: str) -> None:
    first, second = normalized(prediction), normalized(reference)
    expected = 2 * longest_piece(first, second) / (len(first) + len(second)) if first or second else 1.0

    score = rouge_w([prediction], [[reference]])

    assert score.official == score.clean == pytest.approx(100 * expected, abs=EXACT)


# --- dialogue states --------------------------------------------------------------------------------------------------

A, B, C, D = "관광-종류-공원", "관광-지역-서울 중앙", "식당-예약 시간-18:00", "식당-예약 시간-18:30"


@pytest.mark.parametrize(
    ("gold", "predicted", "joint", "slots"),
    [
        ([[A, B], [A, B, C], []], [[A, B], [A, D], []], 66.66666666666666, 80.0),
        ([[A, B], [A, B, C], []], [[A, B], [C, B, A], [A]], 66.66666666666666, 66.66666666666666),
        ([["관광-지역-서울 중앙"]], [["관광-지역-서울중앙"]], 0, 0),
        ([["a-b-c"]], [["a-b-c", "a-b-c", "a-b-d"]], 0, 66.66666666666666),
        ([["a-b-c"]], [[]], 0, 0),
    ],
)
def test_both_state_metrics_equal_the_official_scorer(
    gold: list[list[str]], predicted: list[list[str]], joint: float, slots: float
) -> None:
    assert joint_goal_accuracy(gold, predicted).official == pytest.approx(joint, abs=EXACT)
    assert slot_f1(gold, predicted).official == pytest.approx(slots, abs=EXACT)


def test_dontcare_is_a_value() -> None:
    gold = [["식당-가격대-dontcare", "식당-지역-서울 동쪽"], ["식당-지역-서울 동쪽", "식당-종류-일식당"]]
    predicted = [["식당-지역-서울 동쪽"], gold[1]]

    assert joint_goal_accuracy(gold, predicted).official == 50


def test_the_clean_slot_score_is_one_f1_over_all_turns() -> None:
    gold, predicted = [[A, B], [A, B, C], []], [[A, B], [A, D], []]

    assert slot_f1(gold, predicted).clean == pytest.approx(100 * 2 * 3 / (2 * 3 + 1 + 2), abs=EXACT)
    empty = slot_f1([[]], [[]])
    assert (empty.official, empty.clean, empty.reason) == (100, None, "no entry in gold or prediction")


def test_a_missing_state_is_wrong_even_where_nothing_was_asked_for() -> None:
    for metric in (joint_goal_accuracy, slot_f1):
        score = metric([[], [A]], [None, [A]])
        assert (score.official, score.missing, score.n) == (50, 1, 2)
        assert metric([[], [A]], [None, None]).official is None


STATES = st.lists(st.sampled_from([A, B, C, D]), max_size=4, unique=True)


@given(st.lists(st.tuples(STATES, STATES), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_turns_does_not_matter(turns: list[tuple[list[str], list[str]]], random: object) -> None:
    shuffled = turns.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for metric in (joint_goal_accuracy, slot_f1):
        before, after = (metric([a for a, _ in order], [b for _, b in order]) for order in (turns, shuffled))
        assert before.official == pytest.approx(after.official, abs=EXACT)
        assert before.clean == pytest.approx(after.clean, abs=EXACT)
        assert metric([a for a, _ in turns], [a for a, _ in turns]).official == 100
