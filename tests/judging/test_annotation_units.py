"""Blind units: no name in them, balanced orders, sides that are drawn for each rater and told apart afterwards."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.judging.annotation.ordering import balanced_order, left_side
from jatdae.judging.annotation.shown import pair_answer, rater_name, rubric_answer, rubric_body
from jatdae.judging.annotation.units import Pair, compared, pair_units, rated, rubric_units, without_names
from jatdae.judging.cases import Case, Criterion, Response, Section

CRITERIA = (Criterion("자연스러움", "한국어답게 이어지는지 본다.", 0.6), Criterion("절제", "넘치지 않는지 본다.", 0.4))
MODELS = ("openai:가람-7B", "hf:models/Solar-10.7B.gguf")


def case(number: int) -> Case:
    context = (Section("과제", f"{number}번 편지를 쓰세요."), Section("상대의 1번째 말", "오랜만이야."))
    return Case(f"T{number}", "", 1 + number % 2, "편지", context, "심사 메모", CRITERIA)


def response(model: str, number: int) -> Response:
    own = (
        f"저는 {model.split(':')[1]}입니다. 저는 AI 언어 모델입니다. ChatGPT와 가람-7b, Solar-10.7B도 압니다. {number}"
    )
    return Response(model, (Section("상대", "오랜만이야.", fixed=True), Section("응답", own)))


SAMPLES = [(case(number), response(model, number)) for number in range(6) for model in MODELS]


def test_no_unit_names_a_model_and_the_secret_tells_all() -> None:
    units = rubric_units(SAMPLES, seed="씨앗", size=None)

    shown = json.dumps([unit.body for unit in units], ensure_ascii=False)
    for name in ("가람", "Solar", "ChatGPT", "언어 모델", "openai", "gguf", "심사 메모", "0.6"):
        assert name.lower() not in shown.lower(), name
    # The scripted line stands in the response, so the prompt does not say it again.
    assert shown.count("오랜만이야.") == len(units) == 12
    assert {rated(unit.secret).sample.model for unit in units} == set(MODELS)
    assert rated(units[0].secret).criteria == {"자연스러움": 0.6, "절제": 0.4}


def test_pairs_hide_both_authors_and_their_order_is_drawn() -> None:
    pairs = [Pair(case(number), *(response(model, number) for model in MODELS), number < 2) for number in range(40)]

    units = pair_units(pairs, seed="씨앗", size=40)

    assert "가람" not in json.dumps([unit.body for unit in units], ensure_ascii=False)
    firsts = Counter(compared(unit.secret).first for unit in units)
    assert min(firsts.values()) > 8
    # Those that judges have compared come first.
    assert {compared(unit.secret).item for unit in units[:2]} == {"T0", "T1"}
    assert pair_units(pairs[::-1], seed="씨앗", size=40) == units


def test_criteria_can_be_narrowed_and_an_unknown_one_is_told() -> None:
    [unit, *_] = rubric_units(SAMPLES, seed="s", size=1, criteria=["절제"])

    assert [one.name for one in rubric_body(unit.body).criteria] == ["절제"]
    with pytest.raises(RequestError, match="known: 자연스러움, 절제"):
        rubric_units(SAMPLES, seed="s", size=1, criteria=["절재"])
    with pytest.raises(RequestError, match="no prompt that two"):
        pair_units([], seed="s", size=1)


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("openai:naru-7b", "나는 NARU-7B다.", "나는 [가림]다."),
        ("hf:org/tiny-model@main", "tiny-model@main", "[가림]"),
        ("file:written", "It was written.", "It was written."),
    ],
)
def test_only_telling_names_are_masked(model: str, text: str, expected: str) -> None:
    assert without_names(text, [model]) == expected


CELLS = st.dictionaries(
    st.text(min_size=1, max_size=6),
    st.tuples(st.sampled_from("가나다"), st.sampled_from("12")),
    min_size=1,
    max_size=30,
)


@given(CELLS, st.text(max_size=5))
def test_an_order_holds_every_unit_once_and_depends_on_the_seed_alone(
    cells: dict[str, tuple[str, str]], seed: str
) -> None:
    order = balanced_order(cells, seed)

    assert sorted(order) == sorted(cells)
    assert balanced_order(dict(reversed(cells.items())), seed) == order


def test_every_beginning_of_an_order_is_balanced_and_raters_get_orders_of_their_own() -> None:
    cells = {f"{model}{number}": (model, str(number % 2)) for model in "가나다" for number in range(10)}

    one, other = balanced_order(cells, "s/김"), balanced_order(cells, "s/이")

    assert one != other
    for length in range(1, 31):
        for label in (0, 1):
            counts = Counter(cells[unit][label] for unit in one[:length])
            assert max(counts.values()) - min(counts.get(name, 0) for name in ("가나다", "01")[label]) <= 1


def test_sides_differ_between_raters_and_are_about_even() -> None:
    units = [f"p{number}" for number in range(200)]
    left = {rater: [left_side("s", unit, rater) for unit in units] for rater in ("김", "이")}

    assert left["김"] != left["이"]
    assert all(70 < sides.count("first") < 130 for sides in left.values())


def test_a_choice_is_recorded_by_text_and_not_by_side() -> None:
    assert pair_answer("left", "second", " 좋다 ") == {"preferred": "second", "left": "second", "comment": "좋다"}
    assert pair_answer("right", "second", "")["preferred"] == "first"
    assert pair_answer("tie", "first", "")["preferred"] == "tie"
    for wrong in (None, "first", 1, ["left"]):
        with pytest.raises(RequestError, match="is no choice"):
            pair_answer(wrong, "first", "")


@pytest.mark.parametrize("scores", [None, [], [5], [5, 11], [5, -1], [5, 7.5], [5, True], [5, "7"], [5, float("nan")]])
def test_a_score_that_is_none_is_refused(scores: object) -> None:
    body = rubric_body(rubric_units(SAMPLES, seed="s", size=1)[0].body)

    with pytest.raises(RequestError):
        rubric_answer(body, scores, "")
    assert rubric_answer(body, [0, 10], "")["scores"] == {"자연스러움": 0, "절제": 10}


@pytest.mark.parametrize("name", ["", "  ", "가" * 41, "\u200b"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(RequestError):
        rater_name(name)
    assert rater_name("  김\t서연\n") == "김 서연"
