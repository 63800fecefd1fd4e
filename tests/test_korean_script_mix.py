"""Foreign script: the published flag row by row, and leaks with what excuses them."""

from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import parts

from jatdae.korean.script_mix import Excuse, code_switch, code_switch_compat
from jatdae.korean.scripts import Script

ORDINARY = "저녁에 집에 와보니 TV가 켜져 있고 동생은 잠들어 있었다. 나는 또 솜이불을 잘 덮어주고 불을 껐다."


def leaked(text: str, prompt: str = "", allowed: tuple[str, ...] = ()) -> list[str]:
    return [word.text for word in code_switch(text, prompt, allowed).leaked]


@pytest.mark.parametrize(
    ("text", "letters", "latin", "fraction", "flagged"),
    [
        ("가" * 98 + "ab", 100, 2, 0.02, False),
        ("가" * 97 + "ab", 99, 2, 0.0202, True),
        ("나는 오늘 CCTV를 봤다", 11, 4, 0.3636, True),
        (ORDINARY, 40, 2, 0.05, True),
        ("ㅋㅋㅋ OK", 5, 2, 0.4, True),
        ("é è café 커피", 8, 3, 0.375, True),
        ("ＡＢＣ 한국", 5, 0, 0.0, False),
        ("Привет 한국어", 9, 0, 0.0, False),
        ("漢字 한국", 4, 0, 0.0, False),
        ("나는 TV를 봤다", 7, 2, 0.2857, True),
        (unicodedata.normalize("NFD", "나는 TV를 봤다"), 15, 2, 0.1333, True),
        ("", 0, 0, 0.0, False),
        ("123 😊!?", 0, 0, 0.0, False),
    ],
)
def test_the_compatible_flag_counts_as_published(text, letters, latin, fraction, flagged):
    measured = code_switch_compat(text)

    assert (measured.letters, measured.latin, measured.flagged) == (letters, latin, flagged)
    assert measured.fraction == pytest.approx(fraction, abs=5e-5)


@pytest.mark.parametrize(
    ("text", "words", "script"),
    [
        ("정말 disappointment 했어요", ["disappointment"], Script.LATIN),
        ("정말 ｄｉｓａｐｐｏｉｎｔ 했어요", ["ｄｉｓａｐｐｏｉｎｔ"], Script.LATIN),
        ("그 déjà 느낌이 들었다", ["déjà"], Script.LATIN),
        (unicodedata.normalize("NFD", "그 déjà 느낌이 들었다"), [unicodedata.normalize("NFD", "déjà")], Script.LATIN),
        ("그는 我觉得 이상했다", ["我觉得"], Script.HAN),
        ("오늘도 ありがとう 했다", ["ありがとう"], Script.KANA),
        ("그저 カタカナ 한 마디", ["カタカナ"], Script.KANA),
        ("그가 привет 하고 말했다", ["привет"], Script.CYRILLIC),
        ("그가 สวัสดี 하고 말했다", ["สว", "สด"], Script.OTHER),
        ("그가 γεια 하고 말했다", ["γεια"], Script.OTHER),
    ],
)
def test_a_word_of_any_script_is_a_leak(text, words, script):
    found = code_switch(text)

    assert [word.text for word in found.leaked] == words
    assert found.by_script == {script: len(words)}
    assert all(text[word.start : word.end] == word.text for word in found.words)


@pytest.mark.parametrize(
    ("text", "excuse"),
    [
        ("나는 TV를 봤다", Excuse.ALLOWED),
        ("두 사람은 10km를 걸었다", Excuse.ALLOWED),
        ("그는 KTX를 탔다", Excuse.ACRONYM),
        ("그녀는 Netflix를 켰다", Excuse.NAME),
        ("새 iPhone이 나왔다", Excuse.NAME),
        ("인공지능(artificial)이라는 말", Excuse.GLOSS),
        ("그 마음은 상선약수(上善若水)였다", Excuse.GLOSS),
    ],
)
def test_what_korean_writers_use_is_listed_with_its_excuse(text, excuse):
    found = code_switch(text)

    assert [word.excuse for word in found.words] == [excuse]
    assert not found.flagged


@pytest.mark.parametrize(
    "text",
    [
        "A씨와 B씨",
        "https://example.com/some/page 참고",
        "`print(value)`라고 쳤다",
        "<b>굵게</b>",
        "me@example.org로 주세요",
        "@handle #tag 봐",
    ],
)
def test_labels_addresses_code_and_markup_are_no_words(text):
    assert code_switch(text).words == ()


def test_words_of_the_prompt_and_of_the_item_are_no_leaks():
    text = "그는 goodbye 라고 적었다. 그리고 ｓｏｒｒｙ 라고."

    assert leaked(text) == ["goodbye", "ｓｏｒｒｙ"]
    assert leaked(text, prompt="편지에 Goodbye를 넣으세요") == ["ｓｏｒｒｙ"]
    assert leaked(text, allowed=("Sorry",)) == ["goodbye"]


def test_hanja_is_a_leak_unless_the_item_allows_it():
    assert leaked("그의 號는 靑山이다") == ["靑山"]
    assert code_switch("그의 號는 靑山이다", hanja_allowed=True).leaked == ()


def test_consecutive_words_are_a_run_and_capitals_do_not_hide_a_sentence():
    pair = code_switch("저는 그 상황이 so embarrassing 하다고 생각했어요.")
    shouting = code_switch("그는 DO NOT LEAVE ME 하고 외쳤다.")
    chinese = code_switch("나는 你为什么不告诉我 하고 물었다.")

    assert (pair.longest_run, pair.foreign_word_run) == (2, True)
    assert (shouting.longest_run, shouting.foreign_word_run) == (4, True)
    assert (chinese.longest_run, chinese.flagged) == (4, True)
    assert not code_switch("정말 sorry 했고 또 really 했다").foreign_word_run


def test_a_sentence_that_is_not_korean_is_found():
    text = "오늘은 날씨가 좋다. I really wanted to tell you that earlier. 그래서 나갔다."

    (span,) = code_switch(text).sentences_not_korean

    assert text[slice(*span)].strip() == "I really wanted to tell you that earlier"


def test_the_rate_is_per_thousand_syllables_and_none_without_any():
    assert code_switch("가" * 498 + " sorry " + "나나").per_1000 == pytest.approx(2.0)
    assert code_switch("sorry about this").per_1000 is None
    assert code_switch("sorry about this").flagged
    assert code_switch(unicodedata.normalize("NFD", "가나 sorry 다라")).hangul_syllables == 4


def test_one_stray_word_in_a_long_text_is_listed_but_raises_no_alarm():
    found = code_switch("가" * 300 + " sorry 라고 했다")

    assert (len(found.leaked), found.flagged) == (1, False)


def news_and_reviews(path: Path, length: int) -> dict[str, list[str]]:
    """Windows of at least `length` characters of a tagged file's sentences, by source."""
    windows: dict[str, list[str]] = {}
    waiting: dict[str, str] = {}
    for block in path.read_text("utf-8").split("\n\n"):
        rows = block.split("\n")
        names = [row for row in rows if row.startswith("## klue")]
        if not names:
            continue
        source = names[0].split("\t")[0].rsplit("-", 1)[1]
        sentence = "".join(row.split("\t")[0] for row in rows if not row.startswith("## "))
        waiting[source] = (waiting.get(source, "") + " " + sentence).strip()
        if len(waiting[source]) >= length:
            windows.setdefault(source, []).append(waiting.pop(source))
    return windows


@pytest.mark.parametrize("length", [150, 300, 600])
def test_human_text_raises_the_alarm_in_one_window_of_a_hundred_at_most(upstream, length):
    sources = news_and_reviews(upstream / "klue" / "klue-ner-v1.1_dev.tsv", length)
    rates = {source: sum(code_switch(text).flagged for text in texts) / len(texts) for source, texts in sources.items()}
    compatible = {
        source: sum(code_switch_compat(text).flagged for text in texts) / len(texts)
        for source, texts in sources.items()
    }
    everything = [text for texts in sources.values() for text in texts]

    assert sum(code_switch(text).flagged for text in everything) / len(everything) <= 0.01
    assert rates["wikitree"] <= 0.002
    assert rates["nsmc"] <= 0.02
    assert 0.15 <= compatible["wikitree"] <= 0.28
    assert 0.05 <= compatible["nsmc"] <= 0.09


@given(
    st.lists(st.one_of(parts, st.sampled_from(["\ud800", "ab ", "我", "か", "`", "<", "("])), max_size=40).map("".join)
)
@settings(max_examples=100, deadline=None)
def test_any_text_is_measured_and_its_words_lie_in_it(text):
    found = code_switch(text, text[::2])

    assert code_switch(text, text).leaked == ()
    assert all(text[word.start : word.end] == word.text and len(word.text) >= 2 for word in found.words)
    assert 0 <= code_switch_compat(text).fraction <= 1


@pytest.mark.parametrize("unit", ["a ", "漢字 ", "```", "<a ", "가(", "@a"])
def test_a_megabyte_takes_bounded_time(unit):
    text = unit * (1_000_000 // len(unit.encode()))

    begun = time.process_time()
    code_switch(text)

    assert time.process_time() - begun < 5
