"""Negative forms that ask for agreement and deny nothing: 갔잖아, 곱지 않니?"""

from __future__ import annotations

import re

from jatdae.korean.clauses.closing import Morphemes, is_final

_ASKING = re.compile(r"(?:니|냐|나|어|아|어요|아요|나요|지|지요|죠|[는은ᆫ]가요?|[ᆯ을]까요?|[ᆸ습]니까)\Z")
_QUESTION_WORDS = frozenset(
    {"왜", "언제", "어디", "누구", "누", "무엇", "뭐", "무슨", "어느", "어떤", "어떻", "어찌", "얼마", "몇"}
)


def is_confirmation(morphemes: Morphemes, at: int) -> bool:
    """Whether the marker `at` stands in a confirmation form: -잖- anywhere, or -지 않- in a question without 왜 etc.

    A question that only its tone tells from a denial (가지 않니?) counts as one, as in the corpus study.
    """
    if "잖" in morphemes[at].form:
        return True
    if morphemes[at].form != "않" or at == 0 or morphemes[at - 1].form != "지":
        return False
    ending = at + 2 if at + 1 < len(morphemes) and morphemes[at + 1].tag == "EP" else at + 1
    return _asks(morphemes, ending) and not any(m.form in _QUESTION_WORDS for m in morphemes[:at])


def _asks(morphemes: Morphemes, ending: int) -> bool:
    if ending >= len(morphemes) or morphemes[ending].tag not in ("EF", "EC") or not is_final(morphemes, ending):
        return False
    rest = morphemes[ending + 1 : ending + 3]
    return bool(_ASKING.search(morphemes[ending].form)) and any(morpheme.form.startswith("?") for morpheme in rest)
