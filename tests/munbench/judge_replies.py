"""What a well-behaved server answers: texts to contestants' prompts, scores and verdicts to judges', by a hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def reply(body: dict[str, Any]) -> str:
    """A pure function of the request: bound to its schema where it has one, else a few sentences."""
    number = int(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest(), 16)
    wanted = body.get("response_format")
    if wanted is None:
        return f"저녁 빛이 마루에 누웠다. {number % 1000}번째 걸음에서 그가 멈췄다. 아무도 묻지 않았다."
    properties = wanted["json_schema"]["schema"]["properties"]
    if "scores" not in properties:
        return json.dumps({"winner": ("A", "B", "tie", "A_much", "B_much")[number % 5], "reason": "장면이 또렷하다"})
    ids = list(properties["scores"]["properties"])
    scores = {name: (number >> (4 * place)) % 11 for place, name in enumerate(ids)}
    return json.dumps({"scores": scores, "evidence": dict.fromkeys(ids, "멈췄다"), "na": [], "flags": []})
