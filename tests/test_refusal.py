"""A reply without an answer is either a refusal or something that could not be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.korean.refusal import is_refusal


@pytest.mark.parametrize(
    "reply",
    [
        "잘 모르겠습니다.",
        "죄송하지만 답할 수 없습니다.",
        "죄송하지만 이 질문에는 답변드릴 수 없습니다.",
        "죄송합니다.",
        "정답을 확신할 수 없습니다.",
        "그림이 없어서 문제를 풀 수 없습니다.",
        "질문이 잘려 있어 어떤 보기도 고를 수 없습니다.",
        "자료가 부족하여 판단하기 어렵습니다.",
        "이 문제의 정답은 알 수 없습니다.",
        "<think>그림이 있어야 하는데</think>제공된 자료만으로는 선택할 수 없습니다.",
        "As an AI language model, I cannot determine the answer.",
        "I’m sorry, but I can’t help with that.",
        "I don't know.",
        "I do not have enough information to choose an option.",
    ],
)
def test_a_reply_that_declines_is_a_refusal(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "정답은 A와 B입니다.",
        "정답이 없습니다.",
        "형상기억합금",
        "미지수 x는 아직 알 수 없는 값이므로 식을 세우면",
        "이 반응은 일어날 수 없다. 그러므로 압력은",
        "죄송합니다. 계산을 다시 해 보면 전류는 3이고 전압은",
        "죄송하다는 말의 높임 표현을 고르는 문제이다. 먼저 보기를",
        "<think>잘 모르겠습니다. 다시 보면",
        "The load cannot exceed the limit, so we",
    ],
)
def test_a_reply_that_works_at_the_question_is_not(reply: str) -> None:
    assert not is_refusal(reply)


@given(st.text())
def test_any_text_gets_a_verdict(reply: str) -> None:
    assert is_refusal(reply) in (True, False)
