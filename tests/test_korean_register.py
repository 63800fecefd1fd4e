"""Speech levels: each level's endings, what may follow an ending, and texts whose levels mix."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import parts
from speech_level_sentences import SENTENCES

from jatdae.korean.register import SpeechLevel, speech_level, speech_levels

PAIRS = [(sentence, level) for level, sentences in SENTENCES.items() for sentence in sentences]
any_text = st.lists(
    st.one_of(parts, st.sampled_from(["\ud800", "\udfff", "\n", '"', "“", "*", "(", "?", "요"])), max_size=40
)


def level_name(sentence: str) -> str:
    return speech_level(sentence) or ""


def test_golden_sentences_are_levelled_with_few_mistakes():
    wrong = [(sentence, level, level_name(sentence)) for sentence, level in PAIRS if level_name(sentence) != level]
    assert len(PAIRS) >= 120
    assert 1 - len(wrong) / len(PAIRS) >= 0.97, wrong


@pytest.mark.parametrize("level", list(SENTENCES))
def test_no_level_is_the_weak_one(level):
    right = [level_name(sentence) == level for sentence in SENTENCES[level]]
    assert len(right) >= 12
    assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize(
    ("sentence", "level"),
    [
        ("가십니까?", "하십시오체"),
        ("가십시오.", "하십시오체"),
        ("가시오.", "하오체"),
        ("가게.", None),  # a shop, without anything around it
        ("이제 그만 가게.", "하게체"),
        ("가라.", "해라체"),
        ("가요.", "해요체"),
        ("집에 가.", "해체"),
        ("내가 갈게.", "해체"),
        ("같이 갑시다.", "하십시오체"),
        ("자네가 가네.", "하게체"),
        ("내가 가네.", "해체"),
        ("비가 오니까.", "해체"),
        ("어찌 가옵니까?", "하십시오체"),
        ("비가 와서", None),
        ("비가 와서요", "해요체"),
        ("비가 와서?", "해체"),
    ],
)
def test_endings_that_look_alike_are_told_apart(sentence, level):
    assert speech_level(sentence) == level


@pytest.mark.parametrize(
    "tail", ["", ".", "…", "!!!", " ㅋㅋㅋ", "ㅠㅠ", " 😊👍🏽", "~♡", '."', ".”", " (웃음)", ", 엄마", " ^^;", "\u200b"]
)
@pytest.mark.parametrize(("sentence", "level"), [("나 벌써 밥 먹었어", "해체"), ("저 벌써 밥 먹었어요", "해요체")])
def test_what_follows_the_ending_changes_nothing(sentence, tail, level):
    assert speech_level(sentence + tail) == level


def test_decomposed_text_has_the_level_of_composed_text():
    for sentence, _ in PAIRS[::7]:
        assert speech_level(unicodedata.normalize("NFD", sentence)) == speech_level(sentence)


def test_dialogue_in_a_story_is_kept_apart_from_the_narration():
    text = '문이 열렸다. "이제 오셨어요?" 그녀가 물었다.\n“응, 늦었어.” 나는 신발을 벗었다.'

    register = speech_levels(text)

    assert register.counts == {SpeechLevel.HAERA: 3}
    assert register.quoted_counts == {SpeechLevel.HAEYO: 1, SpeechLevel.HAE: 1}
    assert (register.dominant, register.mixture, register.politeness_mixture) == (SpeechLevel.HAERA, 0.0, 0.0)
    assert [text[one.start : one.end] for one in register.sentences if one.quoted] == ["이제 오셨어요?", "응, 늦었어."]


def test_a_text_of_speech_only_is_measured_by_its_speech():
    register = speech_levels('"어디 가세요?"\n"시장에 갑니다."\n"저도 같이 가요."')

    assert register.dominant is SpeechLevel.HAEYO
    assert register.mixture == pytest.approx(1 / 3)
    assert register.politeness_mixture == 0


def test_sliding_into_plain_speech_shows_in_both_mixtures():
    register = speech_levels("정말 죄송합니다. 제가 다 고치겠습니다. 근데 너도 너무했어. 알겠습니다.")

    assert register.mixture == pytest.approx(0.25)
    assert register.politeness_mixture == pytest.approx(0.25)


def test_stage_directions_are_no_speech():
    register = speech_levels("(고개를 숙인다. 운다.) 죄송해요. *눈물을 닦는다.* 제 잘못이에요. 그건 *정말* 아니에요.")

    assert register.counts == {SpeechLevel.HAEYO: 3}


def test_shared_endings_follow_the_clear_ones_around_them():
    among_elders = speech_levels("어서 오게. 눈이 많이 오네. 거기 앉게나.")
    among_friends = speech_levels("어서 와. 눈이 많이 오네. 거기 앉아.")
    in_an_essay = speech_levels("사람은 왜 사는가? 아무도 모른다. 나도 모른다.")

    assert among_elders.counts == {SpeechLevel.HAGE: 3}
    assert among_friends.counts == {SpeechLevel.HAE: 3}
    assert in_an_essay.counts == {SpeechLevel.HAERA: 3}


def test_nominal_endings_are_counted_but_do_not_mix():
    register = speech_levels("회의 있음.\n자료 준비할 것.\n늦지 마세요.")

    assert register.counts == {SpeechLevel.NOMINAL: 2, SpeechLevel.HAEYO: 1}
    assert (register.dominant, register.mixture) == (SpeechLevel.HAEYO, 0.0)


@pytest.mark.parametrize("text", ["", " \n ", "Hello.", "ㅋㅋㅋ", "봄의 노래", "\ud83d", "\0"])
def test_without_a_predicate_nothing_is_claimed(text):
    register = speech_levels(text)

    assert speech_level(text) is None
    assert (register.dominant, register.mixture, register.politeness_mixture) == (None, None, None)


@given(any_text.map("".join))
@settings(max_examples=80, deadline=None)
def test_any_text_is_measured_and_its_sentences_lie_in_it(text):
    register = speech_levels(text)

    speech_level(text)
    assert all(text[one.start : one.end] == one.text and one.text.strip() for one in register.sentences)
    assert register.mixture is None or 0 <= register.mixture <= 1
    assert register.politeness_mixture is None or 0 <= register.politeness_mixture <= 0.5


@pytest.mark.parametrize("unit", ["가나다라마바사", '"“(*', "어제는 비가 왔다. ", "ㅋ", "…", "😊 ", "\ud800"])
def test_a_megabyte_takes_bounded_time(unit):
    text = unit * (1_000_000 // len(unit.encode("utf-8", "surrogatepass")))

    begun = time.process_time()
    speech_levels(text)

    assert time.process_time() - begun < 6


def test_polite_requests_of_real_dialogues_are_polite(upstream):
    import json

    dialogues = json.loads((upstream / "klue" / "wos-v1.1_dev.sample.json").read_text("utf-8"))
    lines = [turn["text"] for one in dialogues for turn in one["dialogue"]]
    levels = [one.level for line in lines for one in speech_levels(line).sentences if one.level]

    polite = sum(level in (SpeechLevel.HAEYO, SpeechLevel.HASIPSIO) for level in levels)
    assert len(levels) > 900
    assert polite / len(levels) > 0.99
