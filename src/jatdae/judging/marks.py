"""Marks and words that stand for a verdict where a judge writes prose: `[[A]]`, `[[8]]`, 정답, INCORRECT.

Reasoning mentions marks before it decides, so the first mark says nothing; and a word is compared whole, because
"incorrect" holds "correct" and "부정확" holds "정확".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from jatdae.korean.reasoning import visible_text

_MARK = re.compile(r"\[\[[ \t]{0,3}([^\[\]\n]{1,20}?)[ \t]{0,3}\]\]")
_CONCLUDES = re.compile(r"최종|결론|판정|final|verdict|conclusion", re.IGNORECASE)
_LABEL = re.compile(r"^[^\w]*(?:최종|결론|판정|채점|final|verdict|result)[^:：\n]{0,12}[:：]", re.IGNORECASE)
_EDGE = " \t\"'`*_.,!()[]{}<>~。·"
_RIGHT = frozenset({"정답", "정답이다", "정답입니다", "정확", "정확함", "맞음", "옳음", "correct", "right", "true"})
_WRONG = frozenset(
    {
        "오답",
        "오답이다",
        "오답입니다",
        "부정확",
        "부정확함",
        "틀림",
        "맞지 않음",
        "정답이 아님",
        "incorrect",
        "not correct",
    }
    | {"wrong", "false"}
)


def read_mark(reply: str, texts: Sequence[str] = ()) -> str | None:
    """What stands in the mark `[[...]]` that concludes the reply; None where there is none or where two differ.

    The conclusion is what follows the last word such as 최종, 결론 or "final"; without such a word it is a last line
    that is nothing but a mark; without one, all marks have to agree. Marks in contestants' `texts` make it None: the
    judge may be quoting.
    """
    visible = visible_text(reply)
    if visible is None or any(_MARK.search(text) for text in texts):
        return None
    for part in _conclusions(visible):
        marks = {found.strip() for found in _MARK.findall(part)}
        if marks:
            return marks.pop() if len(marks) == 1 else None
    return None


def _conclusions(text: str) -> list[str]:
    """The pieces of a reply in which its decision may stand, the most explicit first."""
    pieces = [text[found.end() :] for found in _CONCLUDES.finditer(text)][-1:]
    last_line = text.rstrip().rpartition("\n")[2].strip(_EDGE.replace("[", "").replace("]", ""))
    if _MARK.fullmatch(last_line):
        pieces.append(last_line)
    return [*pieces, text]


def read_correctness(reply: str) -> bool | None:
    """True for a reply whose last line says right, False for wrong, None for anything else."""
    visible = visible_text(reply)
    if visible is None:
        return None
    last_line = unicodedata.normalize("NFKC", visible).strip().rpartition("\n")[2]
    word = " ".join(_LABEL.sub("", last_line).strip(_EDGE).casefold().split())
    if word in _RIGHT:
        return True
    return False if word in _WRONG else None
