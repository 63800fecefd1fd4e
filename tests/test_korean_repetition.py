"""Repetition within a text and between a model's texts."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.korean.repetition import (
    distinct_trigram_ratio,
    longest_repeat,
    repeated_line_ratio,
    repetition,
    windowed_trigram_ratio,
)

FEW_LETTERS = st.text(alphabet="가나 ", max_size=40)


@pytest.mark.parametrize(
    ("text", "ratio", "repeat", "flagged"),
    [
        ("가나다가나다", 0.75, 3, False),
        ("나는 간다. 나는 간다.", 0.6364, 6, False),
        ("ㅋㅋㅋㅋㅋㅋ", 0.25, 3, False),
        ("가나다" * 20, 0.0517, 30, True),
        ("네", None, 0, False),
    ],
)
def test_given_a_worked_text_when_measured_then_ratio_repeat_and_flag_are_as_required(
    text: str, ratio: float | None, repeat: int, flagged: bool
) -> None:
    measured = repetition(text)
    for found in (measured.distinct_trigrams, distinct_trigram_ratio(text)):
        assert found == (None if ratio is None else pytest.approx(ratio, abs=5e-5))
    assert (measured.longest_repeat, measured.flagged) == (repeat, flagged)


@pytest.mark.parametrize("text", ["", "  \n", "가나", " 가 "])
def test_given_fewer_than_three_characters_when_measured_then_there_is_no_ratio(text: str) -> None:
    assert distinct_trigram_ratio(text) is windowed_trigram_ratio(text) is None


def test_given_a_repeat_of_29_or_30_characters_when_measured_then_only_the_longer_is_flagged() -> None:
    letters = "".join(chr(0xAC00 + 29 * place) for place in range(30))
    assert not repetition(f"{letters[:29]}끝{letters[:29]}.").flagged
    assert repetition(f"{letters}끝{letters}.").flagged


def test_given_blanks_of_any_kind_and_decomposed_letters_when_measured_then_they_change_nothing() -> None:
    text = "나는 간다. 나는 간다. 너는 온다."
    spread = unicodedata.normalize("NFD", "  나는\n\n간다.\t나는  간다. 너는\u3000온다. ")
    assert repetition(spread).longest_repeat == repetition(text).longest_repeat
    assert repetition(spread).distinct_trigrams == repetition(text).distinct_trigrams


def test_given_words_when_measured_then_distinct_runs_of_one_two_and_three_words_are_counted() -> None:
    assert repetition("비가 온다 비가 온다 비가 간다").distinct_words == (3 / 6, 3 / 5, 3 / 4)
    assert repetition("비가 온다").distinct_words == (1.0, 1.0, None)
    assert repetition("").distinct_words == (None, None, None)


def test_given_lines_when_measured_then_those_that_repeat_an_earlier_one_are_shared_out() -> None:
    assert repeated_line_ratio("비가 온다\n\n  비가 온다 \n눈이 온다\n비가 온다") == 0.5
    assert repeated_line_ratio("비가 온다") == 0.0
    assert repeated_line_ratio("\n \n") is None


@given(FEW_LETTERS)
def test_given_any_text_when_the_longest_repeat_is_measured_then_it_is_what_a_plain_search_finds(text: str) -> None:
    plain = " ".join(text.split())
    repeats = [
        length
        for length in range(1, len(plain) // 2 + 1)
        if any(plain.find(plain[place : place + length], place + 1) >= 0 for place in range(len(plain) - length + 1))
    ]
    assert longest_repeat(text) == max(repeats, default=0)


@given(FEW_LETTERS, st.integers(3, 12))
def test_given_any_text_when_windows_slide_then_the_ratio_is_the_mean_over_them(text: str, window: int) -> None:
    plain = " ".join(text.split())
    cuts = [plain[start : start + window] for start in range(max(len(plain) - window, 0) + 1)]
    ratios = [ratio for cut in cuts if (ratio := whole_ratio(cut)) is not None]
    mean = sum(ratios) / len(ratios) if ratios else None
    assert windowed_trigram_ratio(text, window) == (None if mean is None else pytest.approx(mean))


def whole_ratio(text: str) -> float | None:
    """The trigram ratio with all blanks kept, as inside a window."""
    trigrams = [text[place : place + 3] for place in range(len(text) - 2)]
    return len(set(trigrams)) / len(trigrams) if trigrams else None


@given(st.text(max_size=80))
def test_given_any_text_when_measured_then_all_ratios_lie_between_0_and_1(text: str) -> None:
    measured = repetition(text)
    ratios = (measured.distinct_trigrams, measured.windowed_trigrams, *measured.distinct_words, measured.repeated_lines)
    assert all(ratio is None or 0 <= ratio <= 1 for ratio in ratios)
    assert 0 <= measured.longest_repeat <= measured.characters // 2


@given(st.text(alphabet="가나다라 ", min_size=1, max_size=40))
def test_given_a_text_when_it_is_written_twice_then_the_longest_repeat_is_half_of_it(text: str) -> None:
    plain = "".join(text.split())
    assert longest_repeat(plain * 2) == len(plain)


def test_given_a_long_text_when_windows_slide_then_length_alone_does_not_lower_the_ratio() -> None:
    letters = "".join(chr(0xAC00 + 7 * place) for place in range(600))
    assert distinct_trigram_ratio(letters * 4) == pytest.approx(0.25, abs=0.01)
    assert windowed_trigram_ratio(letters * 4) == 1.0


@pytest.mark.parametrize("unit", ["가", "".join(chr(0xAC00 + 11 * place % 11000) for place in range(997))])
def test_given_a_megabyte_of_repeats_when_measured_then_it_takes_less_than_five_seconds(unit: str) -> None:
    text = (unit * 350_000)[:350_000]
    start = time.perf_counter()
    measured = repetition(text)
    assert time.perf_counter() - start < 5
    assert measured.longest_repeat == 175_000


def test_given_broken_characters_when_measured_then_they_count_as_characters() -> None:
    assert repetition("\ud800\x00가\ud800\x00가").longest_repeat == 3
