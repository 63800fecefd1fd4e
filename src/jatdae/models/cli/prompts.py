"""From a conversation to the one prompt that a command-line client takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jatdae.types import Generate, Message

USER_LABEL = "[사용자]"
ASSISTANT_LABEL = "[어시스턴트]"
HISTORY_HEAD = "아래는 지금까지 나눈 대화의 기록입니다."
HISTORY_TASK = (
    "위 대화에 이어질 어시스턴트의 다음 말 하나만 쓰세요. 이름표나 설명을 붙이지 말고, 사용자의 말을 대신 쓰지 마세요."
)
JSON_TASK = "아래 JSON 스키마에 맞는 JSON 하나만 출력하세요. 코드 블록이나 다른 말을 덧붙이지 마세요."

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Question:
    """What a client is asked: the system text, empty for none, and the prompt."""

    system: str
    prompt: str


def question_of(request: Generate) -> Question:
    """A plain prompt or a single user message as it stands; a longer history as a labelled log.

    A schema is appended as an instruction, because the client cannot be bound to one. Lone surrogates, which no pipe
    can carry, become U+FFFD.
    """
    messages = (Message("user", request.prompt),) if isinstance(request.prompt, str) else request.prompt
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    turns = [message for message in messages if message.role != "system"]
    prompt = turns[0].content if len(turns) == 1 and turns[0].role == "user" else _log(turns)
    if request.schema is not None:
        prompt = f"{prompt}\n\n{JSON_TASK}\n{request.schema}"
    return Question(_sendable(system), _sendable(prompt))


def _log(turns: list[Message]) -> str:
    labels = {"user": USER_LABEL, "assistant": ASSISTANT_LABEL}
    said = [f"{labels[turn.role]}\n{turn.content}" for turn in turns]
    return "\n\n".join([HISTORY_HEAD, *said, HISTORY_TASK])


def _sendable(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text)
