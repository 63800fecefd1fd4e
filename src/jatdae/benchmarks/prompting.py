"""How solved examples and a question become one prompt: plain text, or turns for a chat template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.types import Message, Prompt, Protocol


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A solved example: the question block exactly as it will be asked, and its answer."""

    block: str
    answer: str


def compose(
    protocol: Protocol,
    demonstrations: Sequence[Demonstration],
    block: str,
    *,
    description: str = "",
    delimiter: str = " ",
    separator: str = "\n\n",
) -> Prompt:
    """The prompt for one question.

    As text: description, then each block, delimiter, answer and separator, then the question's block. Through a chat
    template the examples are turns (bare answers, no delimiter) or, with `shots_as="text"`, the whole text is one user
    message. The description opens the first user turn, since not every template has a system role.
    """
    if not protocol.chat_template or protocol.shots_as == "text":
        shots = "".join(f"{shot.block}{delimiter}{shot.answer}{separator}" for shot in demonstrations)
        text = f"{description}{shots}{block}"
        return (Message("user", text),) if protocol.chat_template else text
    turns: list[Message] = []
    for shot in demonstrations:
        turns += [Message("user", shot.block), Message("assistant", shot.answer)]
    turns.append(Message("user", block))
    turns[0] = Message("user", description + turns[0].content)
    return tuple(turns)


def continuation(protocol: Protocol, answer: str, delimiter: str = " ") -> str:
    """The text of an option as it follows the prompt: after a chat template's header it has no delimiter."""
    return answer if protocol.chat_template else f"{delimiter}{answer}"
