"""A contestant's text as a judge may see it: cleaned, and between marks that the text itself cannot close.

The mark carries a nonce. It has to be the same for the same question, so that an answer in the store is found again,
and out of a contestant's reach: it is a hash over the contestant's whole text, which no text can foresee.
Source: MunBench specification, section 3.2; nonce fences as in section 3.6 of the judging specification.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.types import digest

REPLACEMENT = "\ufffd"
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
# What takes no room and can hide an order or reverse the reading: zero-width signs, bidi marks, tag characters,
# Hangul fillers, and variation selectors other than the one that makes an emoji colourful.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BRACKET = "<＜﹤〈‹"
# Starts only where a run of brackets starts, so that a text of nothing but brackets is read once.
_LOOKALIKE = re.compile(
    rf"(?:(?<![{_BRACKET}])(?<![{_BRACKET}][ \t])(?:[{_BRACKET}][ \t]?){{2,}}+|[≪⟪《«])(?=[ \t/／\\]{{0,4}}응[ \t]?답)"
)
# Signs by which chat templates part the roles, which some servers read as such inside a message, and tags of
# reasoning, which would hide the front of a reply that quotes them.
_ROLE_MARK = re.compile(
    r"<(\|[^<>\n|]{1,40}\|)>|<(/?(?:start|end)_of_turn)>|\[(/?INST)\]|<<(/?SYS)>>"
    r"|<\s?(/?\s?(?:seed:)?(?:think|thinking|thoughts?|reason|reasoning))\s?>|\[(/?THINK)\]|◁(/?think)▷",
    re.IGNORECASE,
)


def without_surrogates(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be encoded."""
    return _SURROGATES.sub(REPLACEMENT, text)


def cleaned(text: str) -> str:
    """NFC without zero-width and bidi characters; control characters and lone surrogates become U+FFFD.

    All line ends become a newline. Emoji joined by U+200D come apart, which changes their look and not the reading.
    """
    text = _LINE_ENDS.sub("\n", without_surrogates(text))
    text = _CONTROLS.sub(REPLACEMENT, _UNSEEN.sub("", text))
    return unicodedata.normalize("NFC", text)


def _role_mark(found: re.Match[str]) -> str:
    return f"‹{next(part for part in found.groups() if part is not None)}›"


@dataclass(frozen=True, slots=True)
class Fence:
    """The two marks around each piece of a contestant's text."""

    nonce: str

    @property
    def opening(self) -> str:
        return f"<<응답:{self.nonce}>>"

    @property
    def closing(self) -> str:
        return f"<</응답:{self.nonce}>>"

    def around(self, text: str) -> str:
        """The cleaned text between the marks, with everything inside that looks like a mark made harmless."""
        return f"{self.opening}\n{self.neutralised(cleaned(text))}\n{self.closing}"

    def neutralised(self, text: str) -> str:
        """The text without look-alikes of a fence, role marks of chat templates, and this fence's nonce."""
        text = _ROLE_MARK.sub(_role_mark, text)
        text = _LOOKALIKE.sub("‹", text)
        return text.replace(self.nonce, "…")


def fence_for(case_key: str, texts: Sequence[str], purpose: str) -> Fence:
    """The fence of one question: the same for the same case, texts (in order) and purpose."""
    return Fence(digest("fence", purpose, case_key, *texts)[:16])


def masked(text: str) -> tuple[str, int]:
    """The text with what tells who wrote it made unreadable, and how many places that were."""
    from jatdae.korean.tripwires import mask_self_identification

    return mask_self_identification(text)
