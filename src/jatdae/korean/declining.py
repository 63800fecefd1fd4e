"""Does a generated text decline the whole request, as an assistant would, instead of doing what was asked?

Stricter than `refusal.is_refusal`, which reads replies to a question: in a role play "모르겠어요" is a line.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200
"""Characters: a longer text goes on to do the work."""

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:죄송|미안|유감|송구)[^.\n]{0,60}(?:작성|생성|제공|수행|응답|답변|도와|도움|이행|진행)[^.\n]{0,20}"
        r"(?:수 ?(?:는|가)? ?없|어렵|불가)",
        r"(?:요청|지시|주제|내용)[^.\n]{0,30}(?:따를|응할|들어드릴|다룰|도와드릴|처리할|써 ?드릴) ?수(?:는|가)? ?없",
        r"(?:AI|인공지능|언어 ?모델|챗봇)[^.\n]{0,60}(?:수 ?(?:는|가)? ?없|하지 않|어렵습니다)",
        r"\bI(?:'m| am)? ?(?:can ?not|can't|can’t|unable to|not able to|won't|won’t|will not)\b[^.\n]{0,40}"
        r"\b(?:help|assist|comply|write|fulfil|create|provide|continue|generate|engage)",
        r"\bas an? (?:AI|language model)\b",
    )
)


def declines(text: str) -> bool:
    """True for a short text, in Korean or English, that turns the request down."""
    if len(text) > LONGEST * 4:
        return False
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    return len(plain) < LONGEST and any(pattern.search(plain) for pattern in _PATTERNS)
