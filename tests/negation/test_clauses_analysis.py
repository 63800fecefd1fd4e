"""Clauses of self-written sentences: which one holds a negation, where they lie, which are main ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.korean.clauses import clause_of, clauses, local_clause, main_predicates
from jatdae.korean.clauses.change import changes, is_marker
from jatdae.korean.negation.analysis import analyse
from jatdae.korean.negation.kinds import ClauseType

A, V, N, Q = ClauseType.ADNOMINAL, ClauseType.ADVERBIAL, ClauseType.NOMINAL, ClauseType.QUOTATIVE
S, C, M, K = ClauseType.SUBORDINATE, ClauseType.COORDINATE, ClauseType.MAIN, ClauseType.CONFIRMATION

HOLDING = [
    ("눈이 내리지 않은 마을을 지났다.", [A]),
    ("이모가 안 쓰던 자전거를 팔았다.", [A]),
    ("회의에 오지 못할 사람은 미리 알려 주세요.", [A]),
    ("그는 장갑을 끼지 않아 손을 데었다.", [V]),
    ("창문이 덜컹거리지 않도록 끈으로 묶었다.", [V]),
    ("열쇠를 찾지 못했음을 털어놓았다.", [N]),
    ("표를 못 구했기 때문에 돌아갔다.", [N]),
    ("버스를 탈지 말지 망설였다.", [N]),
    ("누나는 배가 고프지 않다고 말했다.", [Q]),
    ('형은 "나는 거기에 안 갔다"라고 외쳤다.', [Q]),
    ("기차가 오지 않자 승객들이 웅성거렸다.", [S]),
    ("소금이 녹지 않으면 불을 더 올린다.", [S]),
    ("형은 피아노를 치고 동생은 노래하지 않는다.", [C]),
    ("이 방은 넓지 않지만 저 방은 밝다.", [C]),
    ("지우는 화가가 아니며 민수는 작가이다.", [C]),
    ("나는 오늘 산에 오르지 않았다.", [M]),
    ("그 문을 열지 마세요.", [M]),
    ("왜 대답하지 않니?", [M]),
    ("하늘이 맑지 않니?", [K]),
]


def held(sentence: str) -> list[ClauseType]:
    analysis = analyse(sentence)
    return [clause_of(analysis, at) for at, morpheme in enumerate(analysis.morphemes) if is_marker(morpheme)]


@pytest.mark.parametrize(("sentence", "expected"), HOLDING)
def test_the_clause_of_a_negation_is_told(sentence, expected):
    assert held(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "비밀을 지키고 있지 않다.",
        "문을 열지 못하게 되었다.",
        "그 책을 읽지 않을 수 없다.",
        "일찍 떠나지 않으면 안 된다.",
        "비가 오지 않을 것이다.",
        "그리 놀라지 않은 것은 아니다.",
        "눈이 오지 않을 것 같다.",
    ],
)
def test_an_auxiliary_chain_stays_in_the_main_clause(sentence):
    assert set(held(sentence)) == {M}


def test_a_contracted_confirmation_denies_nothing():
    analysis = analyse("어제 벌써 먹었잖아.")
    at = next(index for index, morpheme in enumerate(analysis.morphemes) if "잖" in morpheme.form)
    assert clause_of(analysis, at) is K


@pytest.mark.parametrize(
    ("original", "local", "expected"),
    [
        ("눈이 쌓인 길을 걸었다.", "눈이 안 쌓인 길을 걸었다.", A),
        ("형은 굽고 동생은 씻는다.", "형은 굽고 동생은 씻지 않는다.", C),
        ("그는 못 간다고 했고 나는 믿었다.", "그는 간다고 했고 나는 믿었다.", Q),
        ("젖지 않은 옷을 골라 입었다.", "젖은 옷을 골라 입었다.", A),
        ("힘을 아끼기 위해 천천히 걷자.", "힘을 아끼지 않기 위해 천천히 걷지 말자.", N),
        ("값이 싸고 튼튼한 의자를 샀다.", "값이 싸지 않거나 튼튼하지 않은 의자를 샀다.", A),
        ("짐을 싸서 떠난 사람을 보았다.", "짐을 안 싸서 떠나지 않은 사람을 보았다.", A),
        ("재활용이 가능한 상자를 썼다.", "재활용이 불가능한 상자를 썼다.", A),
    ],
)
def test_the_clause_of_a_local_negation_is_told_from_the_pair(original, local, expected):
    assert local_clause(original, local) is expected


def test_a_sentence_that_is_not_changed_has_no_local_clause():
    assert local_clause("눈이 쌓인 길을 걸었다.", "눈이 쌓인 길을 걸었다.") is None


def test_a_word_that_changes_and_keeps_its_marker_is_no_change_of_negation():
    given, local = map(analyse, ("주인이 없는 배를 강에서 찾았다.", "주인이 없던 배를 강에서 못 찾았다."))
    assert [local.morphemes[change.at].form for change in changes(given, local)] == ["못"]


def test_an_old_negation_does_not_count_as_a_change():
    given, local = map(analyse, ("안 매운 국과 식은 밥을 먹었다.", "안 매운 국과 식지 않은 밥을 먹었다."))
    (change,) = changes(given, local)
    assert change.analysis is local
    assert local.morphemes[change.at].form == "않"


@pytest.mark.parametrize(
    ("sentence", "predicates", "connectives"),
    [
        ("물이 맑다.", ["맑"], [""]),
        ("봄이 갔고, 여름이 왔다.", ["가", "오"], ["고", ""]),
        ("그는 배우이자 감독이다.", ["이", "이"], ["자", ""]),
        ("산은 높으나 길은 넓다.", ["높", "넓"], ["나", ""]),
        ("바람이 불어서 배가 떠나지 못했다.", ["떠나"], [""]),
        ("할머니가 만든 떡이 맛있다고 들었다.", ["듣"], [""]),
        ("이 섬은 작은 섬이며, 주민이 많고, 배로 갈 수 있다.", ["이", "많", "가"], ["며", "고", ""]),
    ],
)
def test_main_predicates_are_the_last_one_and_those_coordinate_with_it(sentence, predicates, connectives):
    analysis = analyse(sentence)
    found = main_predicates(analysis)
    assert [analysis.morphemes[each.predicate].form for each in found] == predicates
    assert [each.connective for each in found] == connectives


def test_clauses_nest_in_the_clause_that_hosts_them():
    analysis = analyse("나는 비가 오지 않은 날에 떠났고, 그는 시간이 없다고 말했다.")
    found = [(clause.type, analysis.text[clause.start : clause.end]) for clause in clauses(analysis)]
    assert found == [
        (A, "비가 오지 않은"),
        (C, "나는 비가 오지 않은 날에 떠났고"),
        (Q, "시간이 없다고"),
        (C, "그는 시간이 없다고 말했다"),
    ]


odd = st.sampled_from(
    [
        "안 ",
        "못 ",
        "지 않",
        "고 ",
        "며",
        "은",
        "다",
        ".",
        '"',
        "\x00",
        "\ud800",
        "없",
        "지",
        "면 안 되",
        "가",
        " ",
        "?",
        "\n",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(odd, max_size=25).map("".join))
def test_no_text_crashes_the_analyser_and_every_clause_lies_in_it(text):
    analysis = analyse(text)
    for at in range(len(analysis.morphemes)):
        clause_of(analysis, at)
    found = clauses(analysis)
    assert all(0 <= clause.start <= clause.end <= len(analysis.text) for clause in found)
    assert [clause.predicate for clause in found] == sorted({clause.predicate for clause in found})
    stems = {clause.predicate for clause in found}
    assert {each.predicate for each in main_predicates(analysis)} <= stems


def test_a_long_text_takes_time_in_proportion():
    short, long = (analyse("눈이 오지 않고 바람이 불며 " * count + "길이 얼었다.") for count in (20, 200))
    spent = []
    for analysis in (short, long):
        begin = time.perf_counter()
        for _ in range(3):
            clause_of(analysis, 3)
        spent.append(time.perf_counter() - begin)
    assert spent[1] < 40 * spent[0] + 0.05
