"""Figures as the hub's `model-index` metadata, alone or in the front matter of a model's README.

The form is that of huggingface_hub's model cards: a list of models, each with results of task, dataset and metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from jatdae.errors import DataError, RequestError
from jatdae.store import StoredResult
from jatdae.types import Result

FENCE = "---"
KINDS = {"klue": "text-classification", "munbench": "text-generation"}


def model_index(results: Sequence[StoredResult]) -> list[dict[str, Any]]:
    """The value of `model-index`. Raises RequestError where results are of several models, or of none."""
    finished = [stored for stored in results if stored.result]
    models = sorted({stored.model_reference for stored in finished})
    if len(models) != 1:
        told = ", ".join(models) or "none"
        raise RequestError(f"a model card is about one model, not {len(models)} ({told}); choose one with --model")
    latest = {stored.fingerprint: stored for stored in sorted(finished, key=lambda one: one.id)}
    return [{"name": _name(models[0]), "results": [_entry(stored) for stored in latest.values()]}]


def _name(model: str) -> str:
    return model.partition(":")[2].rstrip("/").rpartition("/")[2] or model


def _entry(stored: StoredResult) -> dict[str, Any]:
    result = stored.result
    assert result is not None  # noqa: S101 - only finished ones are taken
    shots = result.protocol.shots
    return {
        "task": {"type": KINDS.get(stored.task.partition("/")[0], "text-generation")},
        "dataset": {
            "name": f"{result.title} ({stored.mode}, {shots}-shot)",
            "type": stored.task,
            "split": result.protocol.split,
            "args": {"mode": stored.mode, "num_few_shot": shots, "fingerprint": stored.fingerprint},
        },
        "metrics": [_metric(result, name) for name in result.estimates],
    }


def _metric(result: Result, name: str) -> dict[str, Any]:
    estimate = result.estimates[name]
    told: dict[str, Any] = {"type": name, "name": name, "value": round(estimate.value, 6)}
    if estimate.low is not None and estimate.high is not None:
        told["args"] = {"low": round(estimate.low, 6), "high": round(estimate.high, 6), "n": estimate.n}
    return told


def card_text(index: list[dict[str, Any]]) -> str:
    """The metadata alone, as YAML between fences."""
    return f"{FENCE}\n{_yaml({'model-index': index})}{FENCE}\n"


def into_readme(path: Path, index: list[dict[str, Any]]) -> str:
    """The README's text with the metadata in its front matter; all else stays as it is.

    Raises DataError where the front matter is no YAML mapping or is never closed.
    """
    text = path.read_text(encoding="utf-8")
    if not text.startswith(f"{FENCE}\n"):
        return f"{card_text(index)}\n{text}"
    front, closed, rest = text[len(FENCE) + 1 :].partition(f"\n{FENCE}\n")
    if not closed:
        raise DataError(
            "the front matter is never closed", path=path, line=1, mend="end it with a line of three dashes"
        )
    try:
        known = yaml.safe_load(front)
    except yaml.YAMLError as error:
        raise DataError(f"the front matter is no YAML ({' '.join(str(error).split())})", path=path, line=1) from None
    if not isinstance(known, dict | None):
        raise DataError("the front matter is no mapping", path=path, line=1)
    return f"{FENCE}\n{_replaced(front, known or {}, index)}{FENCE}\n{rest}"


def _replaced(front: str, known: dict[str, Any], index: list[dict[str, Any]]) -> str:
    """Without metadata yet, what is there stays to the letter; else the mapping is written anew in its order."""
    if "model-index" not in known:
        return f"{front.rstrip()}\n{_yaml({'model-index': index})}".lstrip("\n")
    return _yaml({**known, "model-index": index})


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100)
