"""Self-written items in the benchmark's format, files made of them, and a model whose answers are scripted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jatdae.types import Completion, Generate, OptionScore, Score, Scores


def item(idx: str, **changes: Any) -> dict[str, Any]:
    """One item; the texts carry the id, so that every item differs."""
    return {
        "idx": idx,
        "raw_id": None if idx.startswith("G") else 1000.0 + int(idx),
        "original_sentence": f"{idx}번 가게는 아침에 열고 직원이 빵을 판다.",
        "standard_negation": f"{idx}번 가게는 아침에 열지 않거나 직원이 빵을 팔지 않는다.",
        "sn_절1": "안 장형",
        "sn_절2": "안 장형",
        "sn_절3": None,
        "local_negation_type": "대등절 일부",
        "local_negation": f"{idx}번 가게는 아침에 열지 않고 직원이 빵을 판다.",
        "local_부정요소": "아침에 열고",
        "ln_절1": "안 장형",
        "ln_절2": None,
        "contradiction": f"{idx}번 가게는 밤에만 열고 직원이 빵을 버린다.",
        "paraphrase": f"아침이면 여는 {idx}번 가게에서 직원이 빵을 판매한다.",
        "note": None,
        **changes,
    }


def item_of_three(idx: str) -> dict[str, Any]:
    """An item without a local negation."""
    return item(idx, local_negation=None, local_negation_type=None, local_부정요소=None, ln_절1=None)


def write_json(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


@dataclass
class Scripted:
    """Answers from a rule: log-likelihoods for a `Score`, text for a `Generate`. Keeps what it was asked."""

    values: Callable[[Score], Sequence[float]] | None = None
    text: str = ""
    finish: Any = "stop"
    asked: list[Score | Generate] = field(default_factory=list)

    async def score(self, request: Score) -> Scores:
        self.asked.append(request)
        assert self.values is not None
        return Scores(tuple(OptionScore(value, 3, False) for value in self.values(request)))

    async def generate(self, request: Generate) -> Completion:
        self.asked.append(request)
        return Completion(self.text, self.finish)
