"""Passages into sentences: by punctuation, by the analyser where punctuation does not decide, by lines."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.negation.corpus.splitting import check_splitter, punctuated, split

CUT = [
    ("비가 온다. 우산을 챙겨라! 안 갈래?", ["비가 온다.", "우산을 챙겨라!", "안 갈래?"]),
    ("작가는 조지 R. 마틴이다. 책은 두껍다.", ["작가는 조지 R. 마틴이다.", "책은 두껍다."]),
    ("2019. 3. 1. 문을 열었다. 손님이 왔다.", ["2019. 3. 1. 문을 열었다.", "손님이 왔다."]),
    ("원주율은 3.14이다. 끝.", ["원주율은 3.14이다.", "끝."]),
    ('그는 "안 간다. 못 간다."라고 했다. 나는 웃었다.', ['그는 "안 간다. 못 간다."라고 했다.', "나는 웃었다."]),
    ('"안 간다." 그는 말했다.', ['"안 간다."', "그는 말했다."]),
    ('"안 간다." 라고 그는 말했다.', ['"안 간다." 라고 그는 말했다.']),
    ("《왜 안 오나? 그 뒤》를 보았다. 졸렸다.", ["《왜 안 오나? 그 뒤》를 보았다.", "졸렸다."]),
    ("정말...? 그래. (아직. 안 왔다.) 끝났다.", ["정말...?", "그래.", "(아직. 안 왔다.)", "끝났다."]),
    ("첫 줄\n둘째 줄 ", ["첫 줄", "둘째 줄"]),
    ("", []),
    (" \n\t", []),
]


@pytest.mark.parametrize(("passage", "expected"), CUT)
def test_punctuation_ends_a_sentence_except_in_initials_numbers_quotations_and_titles(passage, expected):
    assert punctuated(passage) == expected


@pytest.mark.parametrize("splitter", ["kiwi", "rules"])
def test_an_edited_passage_is_cut_at_its_marks(splitter):
    assert split(splitter, ["비가 온다. 우산을 챙겨라!"]) == [["비가 온다.", "우산을 챙겨라!"]]


def test_without_marks_the_analyser_cuts_and_marks_do_not():
    given_passages = ["그는 안 왔어 나는 갔지", "나는 안 갔어요 그래서 못 봤어요."]

    by_kiwi, by_rules = split("kiwi", given_passages), split("rules", given_passages)

    assert by_kiwi == [["그는 안 왔어", "나는 갔지"], ["나는 안 갔어요", "그래서 못 봤어요."]]
    assert by_rules == [[given_passages[0]], [given_passages[1]]]


def test_a_line_is_a_sentence_where_that_is_asked_for():
    assert split("line", ["비가 온다. 춥다.\n\n끝"]) == [["비가 온다. 춥다.", "끝"]]


def test_decomposed_hangul_comes_out_composed():
    assert split("rules", ["\u110b\u1161\u11ab 간다."]) == [["안 간다."]]


ODD = st.text(alphabet="가안못다요.?!\"'“”《》() \n\0\ud800\u0301\u1100R3", max_size=60)


@given(passages=st.lists(ODD, max_size=4))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("splitter", ["kiwi", "rules", "line"])
def test_nothing_but_white_space_is_lost(splitter, passages):
    found = split(splitter, passages)

    assert len(found) == len(passages)
    for passage, sentences in zip(passages, found, strict=True):
        composed = "".join(split("line", [passage])[0])
        assert "".join("".join(sentences).split()) == "".join(composed.split())
        assert all(sentence == sentence.strip() and sentence for sentence in sentences)


@pytest.mark.parametrize("passage", ["." * 50_000, '"' * 50_000, "(" * 50_000, "가. " * 20_000, "“가" * 20_000])
def test_hostile_passages_take_linear_time(passage):
    start = time.perf_counter()

    punctuated(passage)

    assert time.perf_counter() - start < 4


def test_an_unknown_splitter_is_refused_with_the_nearest_one():
    with pytest.raises(RequestError, match="'kiwi'"):
        check_splitter("kiwii")
