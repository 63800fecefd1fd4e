"""Regular expressions from data files: which are taken, and what those can cost."""

from __future__ import annotations

import time

import pytest

from jatdae.errors import RequestError
from jatdae.korean.bounded_regex import OPEN_REPEAT, compile_bounded


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(가+)+나",
            "(?:가|가가)*나",
            "(?:가?){20}나",
            "((가{1,5}){1,5}){1,5}",
            ".*.*.*나",
            "가{1,2000}나",
            "(?:가{20}){30}",
        ),
        *(
            "(가",
            "[가",
            "가{9999999999999}",
            "(?i)가",
            "(?P<n>가)(?P=n)",
            r"(가)\1",
            "가?",
            "(?:)",
            "가" * 300,
            "가{,}{,}",
        ),
    ],
)
def test_given_a_pattern_that_could_take_long_or_is_none_when_compiled_then_it_is_refused(pattern: str) -> None:
    with pytest.raises(RequestError, match="regular expression"):
        compile_bounded(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"(?:눈물|울음)이 .{0,5}흐[르른를]", "울음이 또 흐르고", "울음이 또 흐르"),
        (r"마음\s*한[켠편]", "마음한편에", "마음한편"),
        ("[가-힣]+처럼", "꿈처럼", "꿈처럼"),
        ("가{,2}나", "가가가나", "가가나"),
        ("가{2,}나", "가가가나", "가가가나"),
        ("가{}나", "가{}나", "가{}나"),
        (r"[]\]^]+가", "]^가", "]^가"),
        (r"[^]]가", "나가", "나가"),
        (r"[\]]가", "]가", "]가"),
        (r"(?<!한)숨이 (?=멎)", "단숨이 멎", "숨이 "),
        ("(?:가나)+?다", "가나가나다", "가나가나다"),
        ("가*+나", "가가나", "가가나"),
        ("가+[나다]*라", "가가나다나라", "가가나다나라"),
    ],
)
def test_given_a_bounded_pattern_when_compiled_then_it_matches_as_written(pattern: str, text: str, found: str) -> None:
    matched = compile_bounded(pattern).search(text)
    assert matched is not None and matched.group() == found


@pytest.mark.parametrize("pattern", [".*.*나", "[가-힣]+ [가-힣]+ 나", "(?:.?.?.?.?.?.?.?.?.?.?)나", "가*가*나"])
def test_given_a_pattern_near_the_limits_when_a_hostile_text_is_searched_then_it_takes_a_short_time(
    pattern: str,
) -> None:
    expression = compile_bounded(pattern)
    start = time.perf_counter()
    assert not list(expression.finditer("가 가" * 3000))
    assert time.perf_counter() - start < 3


def test_given_an_open_repeat_when_compiled_then_it_ends_after_a_fixed_number() -> None:
    expression = compile_bounded("나가*다")
    assert expression.search("나" + "가" * OPEN_REPEAT + "다")
    assert not expression.search("나" + "가" * (OPEN_REPEAT + 1) + "다")
