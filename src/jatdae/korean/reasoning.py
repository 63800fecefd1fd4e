"""What a reader sees of a reply: the text after the model's reasoning block.

Reasoning is not an answer. A letter named while thinking must not be scored, and a reply that was cut off while
thinking has no answer at all.
"""

from __future__ import annotations

import re

_NAMES = r"(?:seed:)?(?:think|thinking|thoughts?|reason|reasoning)"
_OPENING = re.compile(rf"<\s?{_NAMES}\s?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>", re.IGNORECASE)
_CLOSING = re.compile(rf"<\s?/\s?{_NAMES}\s?>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>", re.IGNORECASE)

# Channel formats name each message: `analysis` is thinking, `final` is the reply.
_CHANNEL = re.compile(r"<\|channel\|>\s?(\w{1,20})[^<\n]{0,60}<\|message\|>")
_MESSAGE_END = re.compile(r"<\|(?:end|return|start|call)\|>")
# The same format after a tokenizer has dropped its special tokens: the words run together.
_BARE_ANALYSIS = re.compile(r"\s*analysis(?=[A-Z가-힣])")
_BARE_FINAL = "assistantfinal"


def visible_text(text: str) -> str | None:
    """The part of `text` after its reasoning, or None when the reply ends inside the reasoning.

    Only what follows the last closing tag is kept. A closing tag without an opening one is normal: the chat template
    supplied the opening tag. Text without any reasoning mark comes back unchanged.
    """
    channels = list(_CHANNEL.finditer(text))
    if channels:
        return _final_channel(text, channels)
    ends = [closing.end() for closing in _CLOSING.finditer(text)]
    rest = text[ends[-1] :] if ends else text
    if _BARE_ANALYSIS.match(rest):
        _, found, final = rest.rpartition(_BARE_FINAL)
        return final if found else None
    return None if _OPENING.search(rest) else rest


def _final_channel(text: str, channels: list[re.Match[str]]) -> str | None:
    last = channels[-1]
    if last[1] != "final":
        return None
    end = _MESSAGE_END.search(text, last.end())
    return text[last.end() : end.start() if end else len(text)]
