"""A judge's reply to the standard pairwise prompt, as one of five verdicts by place.

Source: MunBench specification, section 4.4; judging specification, section 3.5.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jatdae.judging.cases import Winner
from jatdae.judging.fence import cleaned
from jatdae.judging.marks import read_mark
from jatdae.judging.replies import Unusable, sole

_LONGEST_REASON = 1000
_FILLER = re.compile(r"응답|답변|텍스트|RESPONSE|TEXT|[\s_\-\"'`*.]")
_SPELLINGS: Mapping[str, Winner] = {
    **dict.fromkeys(("AMUCH", "A>>B", "A≫B", "B<<A", "B≪A"), "A_much"),
    **dict.fromkeys(("A", "A>B", "B<A"), "A"),
    **dict.fromkeys(("TIE", "DRAW", "무승부", "비김", "동점", "A=B", "B=A"), "tie"),
    **dict.fromkeys(("B", "B>A", "A<B"), "B"),
    **dict.fromkeys(("BMUCH", "B>>A", "B≫A", "A<<B", "A≪B"), "B_much"),
}


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """Who won, by place. Two readings are the same when the winner is; the reason given may differ."""

    winner: Winner
    reason: str = field(default="", compare=False)


def winner_named(word: object) -> Winner | None:
    """The verdict that a word such as `A`, "응답 B", 무승부 or `A>>B` stands for; None for anything else."""
    if not isinstance(word, str) or len(word) > 40:
        return None
    return _SPELLINGS.get(_FILLER.sub("", unicodedata.normalize("NFKC", word).upper()))


def read_verdict(reply: str, texts: Sequence[str] = ()) -> VerdictReading | Unusable:
    """The reply's verdict: its one JSON object, or, where it holds none, the mark `[[...]]` that concludes it.

    `texts` are what the contestants wrote; an object or a mark out of them never counts.
    """
    read = sole(reply, _reading, texts)
    if isinstance(read, Unusable) and read.reason == "none":
        winner = winner_named(read_mark(reply, texts))
        return VerdictReading(winner) if winner else read
    return read


def _reading(value: Mapping[str, Any]) -> VerdictReading | Unusable:
    if "winner" not in value:
        return Unusable("none")
    winner = winner_named(value["winner"])
    if winner is None:
        return Unusable("not_a_verdict")
    reason = value.get("reason")
    return VerdictReading(winner, cleaned(reason)[:_LONGEST_REASON] if isinstance(reason, str) else "")
