"""Sentences written for the tests of the corpus study, as many as are asked for, no two alike."""

from __future__ import annotations

import random

_WHO = ("지수", "민호", "할머니", "옆집 아이", "새로 온 직원", "우리 팀", "그 요리사", "막내")
_PLAIN = ("빵을 굽는다.", "창문을 닦았다.", "버스를 기다린다.", "노래를 부르고 춤을 추었다.", "일찍 잠들었다.")
_NEGATED = (
    "커피를 안 마신다.",
    "약속을 지키지 않았다.",
    "문을 못 열었다.",
    "비가 오지 않는 날에도 우산을 챙긴다.",
    "길을 찾지 못해 돌아갔다.",
    "떠들지 말라고 말했다.",
    "숙제를 미루지 않을 수 없었다.",
    "의사가 아니다.",
)


def sentences(count: int, seed: int = 1) -> list[str]:
    """Numbered sentences, about one in three with a negation."""
    drawn = random.Random(seed)
    return [
        f"{number}번 손님과 함께 {drawn.choice(_WHO)}는 {drawn.choice(_NEGATED if drawn.random() < 0.33 else _PLAIN)}"
        for number in range(1, count + 1)
    ]
