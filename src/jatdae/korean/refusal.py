"""Does a reply decline to answer? Asked only of replies in which no answer was found."""

from __future__ import annotations

import re
import unicodedata

from jatdae.korean.reasoning import visible_text

_CANNOT = (
    r" ?(?:(?:해 ?)?드릴|할|될|내릴|줄|를|을)? ?"
    r"(?:수(?:는|가|도)? ?없(?:습니다|다|어요|네요|음|을 것|으므로|어서)"
    r"|(?:하|드리)?기(?:가|는)? ?(?:어렵|힘들|곤란)|지 ?못하겠)"
)
_SHORT = 120
"""Characters: a longer reply that opens with an apology goes on to work at the question."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Each row is a way to decline. Only the end of a clause counts, so that "알 수 없는 값" in a calculation does not.
_REFUSALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "it cannot answer, choose or judge",
        _compiled(rf"(?:답변?|대답|응답|선택|판단|결정|특정|확신|제공|풀이)(?:을|를|은|도)?{_CANNOT}"),
    ),
    (
        "it cannot pick or solve",
        _compiled(r"(?:고를|택할|정할|풀|도와드릴|찾을) ?수(?:는|가|도)? ?없(?:습니다|다|어요|네요|음)"),
    ),
    ("it cannot know the answer", _compiled(r"답[을은이]? [^.\n]{0,15}알 ?수(?:는|가|도)? ?없(?:습니다|다|어요)")),
    ("it does not know", _compiled(r"(?:모르겠(?:습니다|어요|네요|다|음)|모릅니다|알지 못합니다)")),
    (
        "English: it cannot",
        _compiled(
            r"\b(?:can ?not|can't|could not|couldn't|unable to|not able to)\b[^.\n]{0,30}"
            r"\b(?:answer|determine|help|assist|choose|select|solve|decide)"
        ),
    ),
    (
        "English: it does not know",
        _compiled(r"\bI (?:do not|don't) (?:know\b|have (?:enough|sufficient) information)"),
    ),
    ("English: it declines", _compiled(r"\bI (?:must |have to )?decline\b|\bI (?:won't|will not) (?:answer|help)")),
)
_APOLOGY = _compiled(
    r"^\W*(?:정말 ?|대단히 ?)?(?:죄송|미안|송구)(?:합니다|하지만|해요|스럽)"
    r"|^\W*(?:I'm sorry|I am sorry|sorry\b|I apologi[sz]e)"
)
_ANOTHER_TRY = _compiled(r"다시|정정|again|correct")


def is_refusal(text: str) -> bool:
    """True if a reply without an extracted answer declines to answer, in Korean or English.

    Ask only when no answer was found: an apology in an answered reply is no refusal. A reply that ends inside its
    reasoning is cut off, not a refusal; a reply that says that no option is right is an answer, though a wrong one.
    """
    visible = visible_text(text)
    if visible is None:
        return False
    plain = " ".join(unicodedata.normalize("NFKC", visible).replace("’", "'").split())
    if any(pattern.search(plain) for _, pattern in _REFUSALS):
        return True
    return len(plain) <= _SHORT and bool(_APOLOGY.match(plain)) and not _ANOTHER_TRY.search(plain)
