"""What the model is asked to write, and how its reply is read: one sentence and nothing else.

Source text is untrusted: it stands between marks that it cannot close, after instructions to take none from it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jatdae.judging.fence import cleaned, fence_for
from jatdae.types import Generate, Message, Sampling

LONGEST_REPLY = 1_000
"""Characters; no sentence is as long."""
_LABEL = re.compile(r"^(?:합친 문장|만든 문장|문장|답변?|결과)\s{0,3}[:：]\s{0,3}")
_QUOTES = (("“", "”"), ('"', '"'), ("‘", "’"), ("'", "'"), ("「", "」"), ("`", "`"))
_PLACE = re.compile(r"\{(\w+)\}")


@cache
def template(name: str) -> str:
    """The wording of one purpose: merge, contradiction or paraphrase."""
    return (Path(__file__).parent / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def request(purpose: str, idx: str, texts: dict[str, str], max_tokens: int) -> Generate:
    """Ask for one sentence. `texts` go, fenced, into the places of the template that have their names."""
    fence = fence_for(idx, tuple(texts.values()), purpose)
    filled = {name: fence.around(text) for name, text in texts.items()}
    filled |= {"opening": fence.opening, "closing": fence.closing}
    # One pass over the template: a text that holds a place's name stays as it is.
    prompt = _PLACE.sub(lambda found: filled[found[1]], template(purpose))
    return Generate((Message("user", prompt),), Sampling(max_tokens=max_tokens))


def read_sentence(reply: str) -> str | None:
    """The sentence of a reply, without a label and quotation marks around it; None where it is not one line of text."""
    text = cleaned(reply).replace("```", "").strip()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) != 1 or len(lines[0]) > LONGEST_REPLY:
        return None
    sentence = _unquoted(_LABEL.sub("", lines[0]))
    return sentence if re.search("[가-힣]", sentence) and "<<" not in sentence else None


def _unquoted(text: str) -> str:
    """The text without quotation marks that enclose all of it and stand nowhere inside."""
    for opening, closing in _QUOTES:
        inside = text[1:-1]
        if text.startswith(opening) and text.endswith(closing) and not {opening, closing} & set(inside):
            return inside.strip()
    return text
