"""The detector on sentences: every case of the list, in composed and decomposed text, and what is known to mislead."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.korean.negation import Negation, analyse, analyse_all, detect, detect_all, negations_of
from jatdae.korean.negation.markers import may_negate
from jatdae.korean.negation.offsets import original_offsets
from jatdae.korean.negation.surface import surface_negations, surface_types

CASES = [
    ("동생은 아침에 우유를 안 마신다.", "안 단형"),
    ("동생은 아침에 우유를 마시지 않는다.", "안 장형"),
    ("감기에 걸려서 어제는 수영을 못 했다.", "못 단형"),
    ("감기에 걸려서 어제는 수영을 하지 못했다.", "못 장형"),
    ("젖은 손으로 플러그를 만지지 마세요.", "말다"),
    ("복도에서 뛰지 맙시다.", "말다"),
    ("저 건물은 도서관이 아니다.", "아니다"),
    ("냉장고에 남은 반찬이 없다.", "어휘적"),
    ("서랍 안 물건을 모두 꺼냈다.", ""),
    ("벽에 못 두 개를 박았다.", ""),
    ("연못 위로 오리가 지나간다.", ""),
    ("그 신인의 실력은 프로 못지않다.", ""),
    ("너 어제 영화관에 갔잖아.", ""),
    ("이 제안은 다시 검토하지 않을 수 없다.", "안 장형|어휘적"),
    ("그 결과에 실망하지 않은 것은 아니다.", "안 장형|아니다"),
    ("오늘은 바빠서 점심을 안먹었다.", "안 단형"),
    ("남은 시간이 많지않다.", "안 장형"),
    ("골목이 어두워서 집을 못찾겠어.", "못 단형"),
    ("떠들지말고 자리에 앉아라.", "말다"),
    ("저녁까지 말씀이 이어졌다.", ""),
    ("우산을 가져갈지 말지 고민했다.", "말다"),
    ("비가 올지 안 올지 내기를 했다.", "안 단형"),
    ("행사는 예정대로 열리지는 않았다.", "안 장형"),
    ("그는 편지를 읽지도 않았고 답장을 쓰지도 못했다.", "안 장형|못 장형"),
    ("서명하지 아니하면 계약은 성립되지 않는다.", "안 장형|안 장형"),
    ('그는 "나는 그곳에 안 갔다"라고 말했다.', "안 단형"),
    ("커피 말고 차를 주세요.", ""),
    ("안전모를 안 쓴 사람은 들어올 수 없다.", "안 단형|어휘적"),
    ("안내문을 읽은 사람은 모두 안도했다.", ""),
    ("나는 그 소문을 믿지 않는다.", "안 장형"),
]
"""The thirty sentences that the project's specification lists, with their types."""

PITFALLS = [
    ("회의를 더 미루지 않을 수 없다.", "안 장형|어휘적"),
    ("늦게라도 가지 않으면 안 된다.", "안 장형|안 단형"),
    ("그 사정을 모르지 않는다.", "어휘적|안 장형"),
    ("안 과장은 상자 안에서 세 가지 안을 꺼냈다.", ""),
    ("목수가 못을 박다가 연못에 빠졌다.", ""),
    ("마지못해 점잖게 앉아 귀찮은 일을 괜찮다고 했다.", ""),
    ("시작은 순탄치 않았고 끝은 예상치 못했다.", "안 장형|못 장형"),
    ("무늬가 참 곱지 않니?", ""),
    ("너는 왜 오지 않니?", "안 장형"),
    ("언제까지 말만 할래?", ""),
    ("네가 오든지 아니면 내가 갈게.", ""),
    ("아니, 벌써 봄이구나.", ""),
    ("너무 걱정 마.", "말다"),
    ("그런 말은 하지 마라.", "말다"),
    ("문을 세게 닫지 마십시오.", "말다"),
    ("별로 많지를 않다.", "안 장형"),
    ("소리가 들리질 않는다.", "안 장형"),
    ("맛이 나쁘지만은 않다.", "안 장형"),
    ("쓰지조차 않는 방이 있다.", "안 장형"),
    ("나는 수학을 못한다.", ""),
    ("한 번만 쓰지만 오래 간다.", ""),
    ("어제는 자지 않고 일했다.", "안 장형"),
    ("오늘은 방을 안 청소한다.", "안 단형"),
    ("아이는 말을 안 잘 듣는다.", "안 단형"),
    ("이 문은 지금 사용이 불가능하다.", "어휘적"),
    ("그는 끊임없이 말없이 걷는다.", ""),
    ("이것은 책이 아니라 공책이다.", "아니다"),
    ("벽에 못 박힌 그림이 있다.", ""),
    ("복도에서 뛰지 좀 마.", "말다"),
    ("길을 잃지 마렴.", "말다"),
    ("너무 많이 먹진 마세요.", "말다"),
    ("남의 말을 다 믿질 마라.", "말다"),
    ("큰 문제라고 생각치 마라.", "말다"),
    ("문을  닫지  마세요.", "말다"),
    ("말을 하지 안는다.", "안 장형"),
    ("모둠에는 병안하목에 드는 동물이 있다.", ""),
    ("제일 큰 걱정은 치안입니다.", ""),
    ("이 일은 우리 탓이 아녜요.", "아니다"),
    ("그게 아냐.", "아니다"),
    ("네가 그 답을 아냐?", ""),
    ("재현불가능한 실험이다.", "어휘적"),
    ("내가 안 사실을 모두에게 알렸다.", ""),
    ("깃발이 집회에서 미사용되었다.", "어휘적"),
    ("미공군이 공격했다.", ""),
    ("질문이 끊임없다.", ""),
    ("바깥이 많이 춥잖니.", ""),
    ("수준이 높잖은 물건이다.", "안 장형"),
]


def types(sentence: str) -> Sequence[str]:
    return sorted(found.type.value for found in detect(sentence) if not found.confirmation)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("sentence", "expected"), CASES + PITFALLS, ids=[sentence for sentence, _ in CASES + PITFALLS])
def test_the_types_of_a_sentence_are_all_found_and_no_other(sentence: str, expected: str, form: str) -> None:
    assert types(unicodedata.normalize(form, sentence)) == sorted(filter(None, expected.split("|")))  # type: ignore[arg-type]


@pytest.mark.parametrize("sentence", [sentence for sentence, _ in CASES + PITFALLS])
def test_a_sentence_that_is_passed_over_without_analysis_has_no_negation(sentence: str) -> None:
    assert detect(sentence) == negations_of(analyse(sentence))


def only(sentence: str) -> Negation:
    [found] = detect(sentence)
    return found


def test_a_negation_is_told_with_its_place_what_it_denies_and_its_clause() -> None:
    sentence = "비가 오지 않은 날을 골랐다."

    found = only(sentence)

    assert sentence[found.start : found.end] == found.marker == "않"
    assert sentence[found.predicate_start : found.predicate_end] == "오"
    assert (found.predicate, found.clause) == ("오다", "관형절")
    assert not found.double
    assert not found.in_quote


@pytest.mark.parametrize(
    ("sentence", "predicate"),
    [
        ("나는 커피를 안 마신다.", "마시다"),
        ("그는 어제 못 왔다.", "오다"),
        ("값이 별로 안 비싸다.", "비싸다"),
        ("회의가 시작되지 않았다.", "시작되다"),
        ("누나는 의사가 아니다.", "의사이다"),
        ("방이 조용하지 못했다.", "조용하다"),
        ("떡을 먹어 보지 않았다.", "먹다"),
        ("길을 모른다.", "모르다"),
        ("빵을 굽지 않았다.", "굽다"),
        ("사실이 밝혀지지 않았다.", "밝혀지다"),
        ("방이 안 따뜻해졌다.", "따뜻해지다"),
        ("갈지 안 먹을지 묻는다.", "먹다"),
        ("넓이가 19㎢이 아니다.", "19㎢이다"),
        ("범인은 제가 아닙니다.", "저이다"),
        ("그것은 “거짓”이 아니다.", "거짓이다"),
        ("배가 고파서가 아니다.", "고파서이다"),
        ("이건 정말 아니다.", ""),
    ],
)
def test_what_is_denied_stands_in_dictionary_form(sentence: str, predicate: str) -> None:
    assert only(sentence).predicate == predicate


def test_markers_of_one_chain_are_double_and_those_of_two_clauses_are_not() -> None:
    obliged = detect("이 일은 하지 않을 수 없다.")
    apart = detect("형은 오지 않았고 돈도 없다.")

    assert [found.chain for found in obliged] == [0, 0]
    assert all(found.double for found in obliged)
    assert [found.chain for found in apart] == [0, 1]
    assert not any(found.double for found in apart)


def test_a_form_that_asks_for_agreement_is_listed_as_one() -> None:
    assert only("벌써 밥을 먹었잖아.").confirmation
    assert only("정말 예쁘지 않니?").clause == "확인형"


def test_inside_quotation_marks_it_is_counted_and_marked() -> None:
    said = only("형은 “나는 안 간다”라고 했다.")

    assert said.in_quote
    assert not only("형은 “간다”라고 말하지 않았다.").in_quote


def test_places_are_those_of_the_text_as_it_was_given() -> None:
    composed = "한국의 봄은 길지 않다."
    given_text = unicodedata.normalize("NFD", composed)

    found = only(given_text)

    assert unicodedata.normalize("NFC", given_text[found.start : found.end]) == "않"
    assert unicodedata.normalize("NFC", given_text[found.predicate_start : found.predicate_end]) == "길"


@given(st.text(alphabet=st.sampled_from("가각안못 지않다é́'\"각a\ud800\U0001f600"), max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_and_every_place_lies_in_it(text: str) -> None:
    offsets = original_offsets(text)

    assert offsets == sorted(offsets)
    assert offsets[0] == 0
    assert offsets[-1] == len(text)
    for found in detect(text):
        assert 0 <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.marker


@given(st.lists(st.sampled_from([sentence for sentence, _ in CASES]), max_size=8))
@settings(max_examples=20, deadline=None)
def test_many_at_once_are_found_as_one_by_one(sentences: list[str]) -> None:
    assert list(detect_all(sentences)) == [detect(sentence) for sentence in sentences]


@given(st.lists(st.sampled_from("안못않없말마맙지 모르아니걱정불가능하다미완성이었잖고."), max_size=14).map("".join))
@settings(max_examples=150, deadline=None)
def test_what_is_passed_over_unread_holds_no_negation(text: str) -> None:
    assert detect(text) == negations_of(analyse(text))


def test_real_sentences_that_are_passed_over_unread_hold_no_negation(upstream: Path) -> None:
    texts = [
        str(row["original_sentence"]) for row in json.loads((upstream / "konubench" / "val.json").read_text("utf-8"))
    ]
    unread = [text for text in texts if not may_negate(text)]

    assert len(unread) > len(texts) / 2
    assert not any(map(negations_of, analyse_all(unread)))


def test_the_published_strings_find_what_they_contain_with_its_place() -> None:
    sentence = "나는 안 가지 않고 뛰지 말라는 말을 못 들었다."

    found = surface_negations(sentence)

    assert [one.type.value for one in found] == ["안 단형", "안 장형", "말다", "못 단형"]
    assert [sentence[one.start : one.end] for one in found] == ["안", "지 않", "지 말", "못"]
    assert set(surface_types(sentence)) == {one.type for one in found}
    assert surface_types("복도에서 뛰지 맙시다.") == ()
