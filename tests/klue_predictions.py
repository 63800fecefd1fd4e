"""Predictions of every KLUE task in memory: what gold says, and the same with seeded mistakes in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from klue_gold import AS_PREDICTED

from jatdae.benchmarks.base import load_task
from jatdae.benchmarks.klue import KlueTask
from jatdae.benchmarks.klue.labels import LABELS, RELATIONS
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.types import Sample

FIELDS = {"label": "prediction", "probs": "probabilities"}
"""Names in files to names in memory."""


def klue(task: str, data: Any = "mini", **choices: Any) -> KlueTask:
    """A task on the bundled items, or in another folder."""
    made = load_task(f"klue/{task}", data=data, **choices)
    assert isinstance(made, KlueTask)
    return made


def gold_predictions(task: str, records: Sequence[Any]) -> dict[str, Prediction]:
    rows = [row for record in records for row in AS_PREDICTED[task](record)]
    return {row["guid"]: {FIELDS.get(key, key): value for key, value in row.items() if key != "guid"} for row in rows}


def _other_label(task: str) -> Callable[[dict[str, Any], random.Random], dict[str, Any]]:
    return lambda fields, chance: {**fields, "prediction": chance.choice(LABELS[task])}


def _with_probabilities(fields: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    return {"prediction": chance.choice(RELATIONS), "probabilities": [chance.random() for _ in RELATIONS]}


def _other_tree(fields: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    words = len(fields["heads"])
    return {"heads": [chance.randint(0, words) for _ in range(words)], "deprels": fields["deprels"][::-1]}


SPOIL: Mapping[str, Callable[[dict[str, Any], random.Random], dict[str, Any]]] = {
    "ynat": _other_label("ynat"),
    "nli": _other_label("nli"),
    "re": _with_probabilities,
    "sts": lambda fields, chance: {"prediction": 5 * chance.random()},
    "ner": lambda fields, chance: {"tags": [tag if chance.random() < 0.8 else "O" for tag in fields["tags"]]},
    "dp": _other_tree,
    "mrc": lambda fields, chance: {"prediction": fields["prediction"][:2] + "‘"},
    "wos": lambda fields, chance: {"prediction": [*fields["prediction"][1:], "식당-지역-서울 중앙"]},
}


def noisy_predictions(task: str, records: Sequence[Any], seed: int) -> dict[str, Prediction]:
    """Gold, with about 40 % of the predictions spoiled."""
    chance = random.Random(seed)
    spoil = SPOIL[task]
    gold = gold_predictions(task, records)
    return {item: spoil(dict(fields), chance) if chance.random() < 0.4 else fields for item, fields in gold.items()}


def samples_of(task: KlueTask, predictions: Mapping[str, Prediction | None], seed: int | None = None) -> list[Sample]:
    """A sample of every item; where there is no prediction, of none."""
    return [task.sample(item, predictions.get(item.id), seed=seed) for item in task.items()]
