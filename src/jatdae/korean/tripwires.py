"""Signs in a text that need no judge: a role dropped, stage directions, emoji, a title, dashes and ellipses.

All are reported and none is scored. Source: MunBench specification, section 6.5.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from jatdae.korean.injection import Mark, MarkKind, injection_marks
from jatdae.korean.self_identification import mask_self_identification, self_identifications

__all__ = ["Mark", "MarkKind", "Tripwires", "injection_marks", "mask_self_identification", "tripwires"]

DIRECTIONS_OVERUSED = 0.25
"""Share of the text's letters in stage directions from which on they are overused."""

_ASSISTANT = re.compile(
    r"(?:무엇을|어떻게|더|언제든(?:지)?) ?(?:도와 ?드릴|도움을? 드릴)|도움이 (?:되셨|되었|됐)(?:으면|기를|길)"
    r"|도움이 필요하(?:시면|신)"
    r"|(?:추가로|더) (?:궁금|필요|수정)[^.!?\n]{0,20}(?:말씀|알려|있으시면)|언제든(?:지)? (?:말씀|질문|문의)"
    r"|요청하신[^.!?\n]{0,40}(?:작성|준비|써|정리)[^.!?\n]{0,10}(?:습니다|드립니다|드릴게요|겠습니다)"
    r"|(?:작성|정리|답변|설명)해 ?드리겠습니다|(?:\A|\n)\s{0,9}(?:물론(?:이죠|입니다|이에요)|알겠습니다|네)[,.!]? ?"
    r"[^.!?\n]{0,20}(?:드릴게요|드리겠습니다)|(?:\A|\n)\s{0,9}다음은 [^.!?\n]{0,60}(?:입니다|이에요)"
    r"|\b(?:certainly|sure|of course)!|\bhere(?: is|'s) (?:the|your|an?)\b|\bI hope this helps\b|\blet me know if\b",
    re.IGNORECASE,
)
_DIRECTION = re.compile(
    r"(?<![*\w])\*(?=[^*\n]{0,298}\s)[^*\s][^*\n]{0,298}[^*\s]\*(?![*\w])"
    r"|[(（\[](?=[^()（）\[\]\n]{0,200}(?:[며고서채듯게]|[음숨]|[다임]\.?)\s?[)）\]])[^()（）\[\]\n]{1,200}[)）\]]"
)
_EMOJI = re.compile(
    "[\u231a\u231b\u23e9-\u23f3\u2600-\u2604\u2607-\u27bf\u2b50\u2b55\U0001f000-\U0001faff]"
    "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]{0,2}"
    "(?:\u200d[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]{0,2}){0,6}"
)
_DASH = re.compile(r"[–—―⸺]{1,9}|(?<=[^\s-])\s?--\s?(?=[^\s-])")
_ELLIPSIS = re.compile(r"(?:…|‥|\.{2,99}|⋯){1,9}")
_RULE = re.compile(r"[-*_=\s]{1,200}\Z")
_MARKED_TITLE = re.compile(
    r"#{1,6}\s{0,9}\S|\*\*[^*\n]{1,80}\*\*\s{0,9}\Z|[<〈《「『\[【][^\n]{1,80}[>〉》」』\]】]\s{0,9}\Z|제목\s?[:：]"
)
_SENTENCE_END = re.compile(r"[.!?。…\"”'’,:]\s{0,9}\Z")
_TITLE_LENGTH = 30


@dataclass(frozen=True, slots=True)
class Tripwires:
    """What one text shows. Densities are per 1,000 characters of NFC text and None for an empty one.

    `disclosures` are the sentences in which the writer says that it is a language model, `assistant_phrases` those of a
    service desk. `directions` counts stage directions (starred, or in parentheses and ending as one),
    `direction_share` is their share of the letters.
    """

    characters: int
    disclosures: tuple[str, ...]
    assistant_phrases: tuple[str, ...]
    directions: int
    direction_share: float
    emoji_per_1000: float | None
    dashes_per_1000: float | None
    ellipses_per_1000: float | None
    titled: bool

    @property
    def directions_overused(self) -> bool:
        return self.direction_share >= DIRECTIONS_OVERUSED


def tripwires(text: str) -> Tripwires:
    """Measure `text`; any characters will do."""
    text = unicodedata.normalize("NFC", text)
    directions = [found[0] for found in _DIRECTION.finditer(text)]
    return Tripwires(
        characters=len(text),
        disclosures=tuple(self_identifications(text, names=False)),
        assistant_phrases=tuple(found[0].strip() for found in _ASSISTANT.finditer(text)),
        directions=len(directions),
        direction_share=_letters("".join(directions)) / max(1, _letters(text)),
        emoji_per_1000=_density(_EMOJI, text),
        dashes_per_1000=_density(_DASH, text),
        ellipses_per_1000=_density(_ELLIPSIS, text),
        titled=_titled(text),
    )


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _density(pattern: re.Pattern[str], text: str) -> float | None:
    return 1000 * sum(1 for _ in pattern.finditer(text)) / len(text) if text else None


def _titled(text: str) -> bool:
    """A first line marked as a title, or a short one that is no sentence, with a blank line after it."""
    lines = [line.strip() for line in text.strip().split("\n", 12)[:12]]
    while lines and (not lines[0] or _RULE.match(lines[0])):
        lines.pop(0)
    if not lines:
        return False
    if _MARKED_TITLE.match(lines[0]):
        return True
    stands_alone = len(lines) > 2 and not lines[1]
    return stands_alone and len(lines[0]) <= _TITLE_LENGTH and not _SENTENCE_END.search(lines[0])
