"""From a chat completion's JSON to a Completion. Everything in it is untrusted.

NUL and lone surrogates in a reply are kept as they came: the store spells them as JSON escapes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from jatdae.korean.reasoning import visible_text
from jatdae.types import Completion

_FINISHES: Mapping[str, Literal["stop", "length", "filter"]] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
}
_LARGEST_COUNT = 10**12


class UnusableReply(ValueError):
    """A reply is no chat completion; says what is wrong with it."""


def completion_of(document: object, stop: Sequence[str], seconds: float) -> Completion:
    """The first choice of a chat completion. Raises UnusableReply for JSON of another shape.

    Where the server hands reasoning over apart, `content` is the visible text as it stands; otherwise a reasoning block
    at its beginning is taken out. `seconds` is how long the attempt took.
    """
    answer = _mapping(document, "the reply")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise UnusableReply("the reply holds no choices")
    choice = _mapping(choices[0], "the first choice")
    message = _mapping(choice.get("message"), "the message")
    text, reasoning = _text_and_reasoning(message)
    finish = _FINISHES.get(str(choice.get("finish_reason")), "stop")
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "filter"
    usage = answer.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return Completion(
        text=before_stop(text, stop),
        finish=finish,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        reasoning=reasoning,
        reasoning_tokens=_reasoning_tokens(usage),
        cost_usd=price(usage.get("cost")),
        served_by=_string(answer.get("model")),
        seconds=seconds,
    )


def split_reasoning(text: str) -> tuple[str, str]:
    """The visible text and the reasoning before it, whose marks it keeps; no visible text if it ends inside reasoning.

    A reply that is JSON as a whole holds no reasoning, whatever marks its strings quote.
    """
    if _is_json(text):
        return text, ""
    visible = visible_text(text)
    if visible is None:
        return "", text
    if visible == text:
        return text, ""
    return visible.lstrip(), text[: text.rfind(visible)] if visible else text


def before_stop(text: str, stop: Sequence[str]) -> str:
    """The text up to the first stop string; some servers are not told of them, and some do not heed them."""
    ends = [place for string in stop if string and (place := text.find(string)) >= 0]
    return text[: min(ends)] if ends else text


def price(value: object) -> float | None:
    """A price in US dollars; None for anything but a finite number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return float(value) if value < _LARGEST_COUNT and math.isfinite(value) else None


def _text_and_reasoning(message: Mapping[str, Any]) -> tuple[str, str]:
    text, thought = _content(message.get("content"))
    apart = next((found for name in ("reasoning_content", "reasoning") if (found := _string(message.get(name)))), "")
    apart = apart or thought
    return (text, apart) if apart else split_reasoning(text)


def _content(content: object) -> tuple[str, str]:
    """Text and reasoning of a message's content, which is text, a list of parts or nothing."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise UnusableReply("the message's content is neither text nor a list of parts")
    parts = [part for part in content if isinstance(part, Mapping)]
    text = "".join(_string(part.get("text")) for part in parts)
    return text, "".join(_thought(part) for part in parts)


def _thought(part: Mapping[str, Any]) -> str:
    """A part's reasoning: text, or a list of text parts of its own."""
    inner = part.get("thinking")
    if isinstance(inner, list):
        return "".join(_string(piece.get("text")) for piece in inner if isinstance(piece, Mapping))
    return _string(inner)


def _reasoning_tokens(usage: Mapping[str, Any]) -> int:
    details = usage.get("completion_tokens_details")
    return _count(details.get("reasoning_tokens")) if isinstance(details, Mapping) else 0


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UnusableReply(f"{what} is no JSON object")
    return value


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    """A number of tokens; 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= _LARGEST_COUNT else 0


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
