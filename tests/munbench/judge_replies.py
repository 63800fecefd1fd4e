"""What a well-behaved server answers: texts to contestants' prompts, scores and verdicts to judges', by a hash."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_CRITERION = re.compile(r"^- (.+?) \(가중치 ", re.MULTILINE)
_COMPARED = "[응답 B]"
"""Stands in the compatible comparison, whose reply no schema binds."""


def reply(body: dict[str, Any]) -> str:
    """A pure function of the request: bound to its schema where it has one, else scores, a verdict or sentences."""
    number = int(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest(), 16)
    wanted = body.get("response_format")
    if wanted is None:
        return _unbound(body["messages"][-1]["content"], number)
    properties = wanted["json_schema"]["schema"]["properties"]
    if "scores" not in properties:
        return json.dumps({"winner": ("A", "B", "tie", "A_much", "B_much")[number % 5], "reason": "장면이 또렷하다"})
    ids = list(properties["scores"]["properties"])
    return json.dumps({"scores": _scores(ids, number), "evidence": dict.fromkeys(ids, "멈췄다"), "na": [], "flags": []})


def _unbound(asked: str, number: int) -> str:
    if _COMPARED in asked:
        return json.dumps({"winner": ("A", "B", "draw")[number % 3], "reason": "장면이 또렷하다"})
    if criteria := _CRITERION.findall(asked):
        return json.dumps(_scores(criteria, number))
    return f"저녁 빛이 마루에 누웠다. {number % 1000}번째 걸음에서 그가 멈췄다. 아무도 묻지 않았다."


def _scores(names: list[str], number: int) -> dict[str, int]:
    return {name: (number >> (4 * place)) % 11 for place, name in enumerate(names)}
