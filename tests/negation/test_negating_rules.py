"""The negator by the rules of standard and local negation, on sentences written for these tests."""

from __future__ import annotations

import pytest

from jatdae.korean.negating import negate, negate_locally
from jatdae.korean.negation.kinds import ClauseType, NegationType

LONG_AN, LONG_MOT = NegationType.LONG_AN, NegationType.LONG_MOT
SHORT_AN, SHORT_MOT = NegationType.SHORT_AN, NegationType.SHORT_MOT


def negated(sentence: str, form: NegationType | None = None) -> str:
    result = negate(sentence, form)
    assert result is not None
    return result.text


@pytest.mark.parametrize(
    ("sentence", "expected", "kind"),
    [
        ("지수는 커피를 마신다.", "지수는 커피를 마시지 않는다.", LONG_AN),
        ("안개가 짙다.", "안개가 짙지 않다.", LONG_AN),
        ("밖이 추워요.", "밖이 춥지 않아요.", LONG_AN),
        ("할아버지께서 신문을 읽으셨다.", "할아버지께서 신문을 읽지 않으셨다.", LONG_AN),
        ("행사는 비 때문에 취소되었다.", "행사는 비 때문에 취소되지 않았다.", LONG_AN),
        ("창문은 열려 있다.", "창문은 열려 있지 않다.", LONG_AN),
        ("그 말투는 극단적이다.", "그 말투는 극단적이지 않다.", LONG_AN),
        ("집에 커피가 있습니다.", "집에 커피가 없습니다.", NegationType.LEXICAL),
        ("기차가 제시간에 도착할 수 있다.", "기차가 제시간에 도착할 수 없다.", NegationType.LEXICAL),
        ("나는 답을 안다.", "나는 답을 모른다.", NegationType.LEXICAL),
    ],
)
def test_an_atom_is_negated_by_one_marker_and_nothing_else_changes(
    sentence: str, expected: str, kind: NegationType
) -> None:
    result = negate(sentence)

    assert result is not None
    assert (result.text, result.types) == (expected, (kind,))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("지수는 의사다.", "지수는 의사가 아니다."),
        ("지수는 의사였다.", "지수는 의사가 아니었다."),
        ("지수는 선생님이었다.", "지수는 선생님이 아니었다."),
        ("지수는 선생님입니다.", "지수는 선생님이 아닙니다."),
        ("지수는 의사예요.", "지수는 의사가 아니에요."),
        ("그 탑의 높이는 300m이다.", "그 탑의 높이는 300m가 아니다."),
        ("짐의 무게는 20kg이다.", "짐의 무게는 20kg이 아니다."),
        ("역 번호는 K13이다.", "역 번호는 K13이 아니다."),
        ("그의 본관은 한샘(韓泉)이다.", "그의 본관은 한샘(韓泉)이 아니다."),
        ("그 노래는 ‘바다’이다.", "그 노래는 ‘바다’가 아니다."),
    ],
)
def test_the_copula_takes_the_particle_that_its_complement_sounds_like(sentence: str, expected: str) -> None:
    result = negate(sentence)

    assert result is not None
    assert (result.text, result.types) == (expected, (NegationType.COPULA,))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("민수는 학교에 가지 않았다.", "민수는 학교에 갔다."),
        ("민수는 학교에 안 갔다.", "민수는 학교에 갔다."),
        ("민수는 헤엄을 못 친다.", "민수는 헤엄을 친다."),
        ("민수는 문제를 풀지 못했다.", "민수는 문제를 풀었다."),
        ("그 방은 춥지는 않다.", "그 방은 춥다."),
        ("민수는 의사가 아니다.", "민수는 의사이다."),
        ("집에 커피가 없다.", "집에 커피가 있다."),
        ("나는 그 사람을 모른다.", "나는 그 사람을 안다."),
        ("문을 닫지 마세요.", "문을 닫으세요."),
        ("그 소식은 아이를 기쁘게 하지 않았다.", "그 소식은 아이를 기쁘게 했다."),
    ],
)
def test_a_negative_clause_loses_its_marker_and_has_no_type(sentence: str, expected: str) -> None:
    result = negate(sentence)

    assert result is not None
    assert (result.text, result.types) == (expected, (None,))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "가게는 아침에 열고 직원이 새로 구운 빵을 판다.",
            "가게는 아침에 열지 않거나 직원이 새로 구운 빵을 팔지 않는다.",
        ),
        ("형은 키가 크지만 동생은 작다.", "형은 키가 크지 않거나 동생은 작지 않다."),
        ("형은 떠났으나 동생은 남았다.", "형은 떠나지 않았거나 동생은 남지 않았다."),
        ("민수는 가수이며 영희는 화가이다.", "민수는 가수가 아니거나 영희는 화가가 아니다."),
        ("민수는 가수이자 배우이다.", "민수는 가수가 아니거나 배우가 아니다."),
        ("날씨가 추워졌고, 손님은 줄었다.", "날씨가 추워지지 않았거나, 손님은 줄지 않았다."),
        ("비가 오지 않았고, 손님은 늘었다.", "비가 왔거나, 손님은 늘지 않았다."),
    ],
)
def test_and_between_main_clauses_becomes_or_between_negated_ones(sentence: str, expected: str) -> None:
    assert negated(sentence) == expected


def test_what_is_only_caused_keeps_its_marker() -> None:
    assert negated("담장은 개가 나가지 못하게 한다.") == "담장은 개가 나가지 못하게 하지 않는다."


def test_or_between_main_clauses_becomes_and() -> None:
    assert negated("우리는 버스를 타거나 걸어간다.") == "우리는 버스를 타지 않고 걸어가지 않는다."


def test_an_untensed_clause_before_a_past_one_shows_its_tense_in_the_alternative() -> None:
    # Given a clause in -고 whose past tense stands in the last clause only
    # When it is negated, then -거나 bears the tense itself.
    assert negated("형은 그림을 그리고, 동생은 글을 썼다.") == "형은 그림을 그리지 않았거나, 동생은 글을 쓰지 않았다."


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("민수는 사과와 배를 먹었다.", "민수는 사과나 배를 먹지 않았다."),
        ("공원에 벚꽃과 목련이 피었다.", "공원에 벚꽃이나 목련이 피지 않았다."),
        ("민수와 영희가 결혼했다.", "민수와 영희가 결혼하지 않았다."),
        ("산과 바다가 보이는 방을 골랐다.", "산과 바다가 보이는 방을 고르지 않았다."),
    ],
)
def test_nouns_joined_by_and_become_alternatives_unless_meant_together_or_in_a_dependent_clause(
    sentence: str, expected: str
) -> None:
    assert negated(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("비가 오면 경기를 미룬다.", "비가 오지만 경기를 미루지 않는다."),
        ("비가 온다면 소풍을 취소하겠다.", "비가 오지만 소풍을 취소하지 않겠다."),
        ("약속을 지키지 않으면 벌을 받는다.", "약속을 지키지 않지만 벌을 받지 않는다."),
    ],
)
def test_a_conditional_asserts_the_antecedent_and_negates_the_consequent(sentence: str, expected: str) -> None:
    result = negate(sentence)

    assert result is not None
    assert (result.text, result.types, result.notes) == (expected, (LONG_AN,), ("조건문",))


def test_according_to_is_no_condition() -> None:
    result = negate("기록에 따르면 그 절은 산 위에 있었다.")

    assert result is not None
    assert (result.text, result.notes) == ("기록에 따르면 그 절은 산 위에 없었다.", ())


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("커피를 마시자.", "커피를 마시지 말자."),
        ("함께 걸읍시다.", "함께 걷지 맙시다."),
        ("우산을 챙기세요.", "우산을 챙기지 마세요."),
        ("창문을 닫으십시오.", "창문을 닫지 마십시오."),
        ("문을 열어라.", "문을 열지 마라."),
        ("책을 읽고 느낀 점을 적어 봅시다.", "책을 읽고 느낀 점을 적어 보지 맙시다."),
    ],
)
def test_orders_and_proposals_are_forbidden_by_malda_in_the_last_clause(sentence: str, expected: str) -> None:
    result = negate(sentence)

    assert result is not None
    assert (result.text, result.types) == (expected, (NegationType.MALDA,))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (SHORT_AN, "가게는 아침에 안 열었거나 직원이 빵을 안 준비했다."),
        (LONG_AN, "가게는 아침에 열지 않았거나 직원이 빵을 준비하지 않았다."),
        (SHORT_MOT, "가게는 아침에 못 열었거나 직원이 빵을 못 준비했다."),
        (LONG_MOT, "가게는 아침에 열지 못했거나 직원이 빵을 준비하지 못했다."),
    ],
)
def test_a_form_that_is_asked_for_is_taken_by_every_verb(form: NegationType, expected: str) -> None:
    result = negate("가게는 아침에 열었고 직원이 빵을 준비했다.", form)

    assert result is not None
    assert (result.text, result.types) == (expected, (form, form))


def test_a_clause_that_does_not_allow_the_form_keeps_its_own() -> None:
    result = negate("지수는 의사이며, 매일 병원에 간다.", SHORT_MOT)

    assert result is not None
    assert (result.text, result.types) == (
        "지수는 의사가 아니거나, 매일 병원에 못 간다.",
        (NegationType.COPULA, SHORT_MOT),
    )


def test_spaces_quotes_and_spellings_outside_the_changed_stretch_stay() -> None:
    sentence = "지수는  “가겠다 ”라고 하였고 , 민수는 집에 갔다 ... "

    result = negated(sentence)

    assert result.startswith("지수는  “가겠다 ”라고 하")
    assert result.endswith(" , 민수는 집에 가지 않았다 ... ")


def test_the_ending_changes_alone_where_the_writer_spells_the_stem_otherwise() -> None:
    # Given 하였고, which the analyser would write 했고
    assert negated("지수는 노래를 시작하였고, 민수는 춤췄다.", SHORT_AN).startswith("지수는 노래를 안 시작하였거나,")


@pytest.mark.parametrize("sentence", ["", "   ", "!!!", "안녕", "푸른 하늘", "a\x00b"])
def test_what_does_not_end_in_a_predicate_is_not_negated(sentence: str) -> None:
    assert negate(sentence) is None
    assert negate_locally(sentence) == []


def test_lone_surrogates_are_read_as_replacement_characters() -> None:
    assert negated("\ud800 지수는 웃었다.") == "\ufffd 지수는 웃지 않았다."


@pytest.mark.parametrize(
    ("sentence", "clause", "expected", "element"),
    [
        ("비가 올 때 우산을 쓴다.", ClauseType.ADNOMINAL, "비가 오지 않을 때 우산을 쓴다.", "비가 올"),
        ("그가 문을 잠갔음을 알았다.", ClauseType.NOMINAL, "그가 문을 잠그지 않았음을 알았다.", "그가 문을 잠갔음"),
        ("민수는 비가 온다고 말했다.", ClauseType.QUOTATIVE, "민수는 비가 오지 않는다고 말했다.", "비가 온다고"),
        (
            "민수는 도서관에서 책을 빌려서 읽었다.",
            ClauseType.ADVERBIAL,
            "민수는 도서관에서 책을 빌리지 않아서 읽었다.",
            "빌려서",
        ),
        ("비가 오지 않자 관객이 모였다.", ClauseType.SUBORDINATE, "비가 오자 관객이 모였다.", "비가 오지 않자"),
        ("형은 떠났고 동생은 남았다.", ClauseType.COORDINATE, "형은 떠나지 않았고 동생은 남았다.", "형은 떠났고"),
        ("형은 떠났고 동생은 남았다.", ClauseType.COORDINATE, "형은 떠났고 동생은 남지 않았다.", "남았다"),
    ],
)
def test_local_negation_turns_one_clause_round(sentence: str, clause: ClauseType, expected: str, element: str) -> None:
    candidates = {candidate.text: candidate for candidate in negate_locally(sentence)}

    found = candidates[expected]

    assert found.clause is clause
    assert element in found.element
    assert found.element in sentence


def test_a_single_clause_has_no_local_negation() -> None:
    assert negate_locally("지수는 커피를 마신다.") == []


def test_verbs_that_have_become_particles_are_not_negated_locally() -> None:
    texts = [candidate.text for candidate in negate_locally("환경을 위해 만든 규칙에 대한 글을 읽었다.")]

    assert texts == ["환경을 위해 만들지 않은 규칙에 대한 글을 읽었다."]
