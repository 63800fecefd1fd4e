"""Declarative checks of an output."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.munbench.checks import run_checks
from jatdae.benchmarks.munbench.records import Check
from jatdae.errors import RequestError

POEM = "등 굽은 저녁\n\n  국이 식는다\n말 한마디 없이 식는다\n문이 닫힌다\n"


def passes(text: str, check: Check) -> bool:
    [result] = run_checks(text, [check])
    assert result.check is check
    return result.ok


@pytest.mark.parametrize(
    ("check", "ok"),
    [
        (Check("must_include", ("국이", "문이")), True),
        (Check("must_include", ("국이", "창이")), False),
        (Check("must_include", ("식", "닫히"), match="stem"), True),
        (Check("must_include", ("슬프",), match="stem"), False),
        (Check("must_include", (r"말 .{1,4}없이",), match="regex"), True),
        (Check("must_not_include", ("창이", "눈물")), True),
        (Check("must_not_include", ("창이", "저녁")), False),
        (Check("must_not_include", ("닫히",), match="stem"), False),
        (Check("must_not_include", ("열리", "슬프"), match="stem"), True),
        (Check("min_of", ("국", "문", "창"), low=2), True),
        (Check("min_of", ("국", "문", "창"), low=3), False),
        (Check("min_of", ("창", "문")), True),
        (Check("min_of", ("창",)), False),
        (Check("count_range", ("식는다",), low=2, high=2), True),
        (Check("count_range", ("식는다", "닫힌다"), low=None, high=2), False),
        (Check("count_range", ("식",), match="stem", low=3), False),
        (Check("count_range", ("창",), high=0), True),
        (Check("line_range", low=4, high=4), True),
        (Check("line_range", low=5), False),
        (Check("line_range", high=3), False),
        (Check("char_range", low=len(POEM), high=len(POEM)), True),
        (Check("char_range", low=len(POEM) + 1), False),
        (Check("char_range", high=len(POEM) - 1), False),
        (Check("first_or_last_line", ("저녁",)), True),
        (Check("first_or_last_line", ("닫히",), match="stem"), True),
        (Check("first_or_last_line", ("창", "문이")), True),
        (Check("first_or_last_line", ("국이", "한마디")), False),
    ],
)
def test_given_a_poem_when_checked_then_it_passes_as_the_check_says(check: Check, ok: bool) -> None:
    assert passes(POEM, check) == ok


def test_given_several_checks_when_run_then_each_has_a_result_in_order_with_what_was_found() -> None:
    checks = (
        Check("must_include", ("국이", "창이")),
        Check("count_range", ("식",), match="stem", low=1),
        Check("line_range", low=1),
        Check("first_or_last_line", ("닫히", "등"), match="stem"),
    )
    results = run_checks(POEM, checks)
    assert [result.check for result in results] == list(checks)
    assert [(result.ok, result.found, result.count) for result in results] == [
        (False, ("국이",), 1),
        (True, ("식는다", "식는다"), 2),
        (True, (), 4),
        (True, ("닫힌다",), 1),
    ]


def test_given_a_decomposed_text_with_broken_lines_when_checked_then_it_counts_as_composed_and_spaced() -> None:
    text = unicodedata.normalize("NFD", "소 잃고\n외양간 고친다")
    check = Check("must_include", ("소 잃고 외양간",))
    [result] = run_checks(text, [check])
    assert result.found == ("소 잃고\n외양간",)
    assert passes(text, Check("char_range", low=12, high=12))
    assert passes("소 잃고 외양간", Check("must_include", (unicodedata.normalize("NFD", "외양간"),)))


def test_given_one_line_when_its_first_or_last_is_checked_then_it_counts_once() -> None:
    [result] = run_checks("문이 닫힌다", [Check("first_or_last_line", ("문",))])
    assert result.found == ("문",)


@pytest.mark.parametrize("kind", ["must_include", "first_or_last_line", "min_of"])
def test_given_an_empty_text_when_a_word_is_asked_for_then_it_fails(kind: str) -> None:
    for text in ("", " \n "):
        assert not passes(text, Check(kind, ("문",)))  # type: ignore[arg-type]
        assert passes(text, Check("line_range", high=0))


@pytest.mark.parametrize(("match", "value"), [("regex", "(가+)+나"), ("regex", "(가"), ("stem", "wow")])
def test_given_a_value_that_cannot_be_used_when_run_then_the_error_names_it(match: str, value: str) -> None:
    with pytest.raises(RequestError, match=r"regular expression|stem"):
        run_checks("가", [Check("must_include", (value,), match=match)])  # type: ignore[arg-type]


@given(st.text(max_size=60), st.text(min_size=1, max_size=5))
def test_given_any_text_when_a_word_is_required_and_banned_then_exactly_one_check_passes(text: str, word: str) -> None:
    required, banned = run_checks(text, [Check("must_include", (word,)), Check("must_not_include", (word,))])
    assert required.ok != banned.ok


@pytest.mark.parametrize("text", ["\ud800문이 닫혔다\x00", "\u200b문이 닫혔다", "😀 문이 닫혔다"])
def test_given_broken_characters_when_checked_then_the_words_are_still_found(text: str) -> None:
    assert passes(text, Check("must_include", ("문이 닫히",), match="stem"))
