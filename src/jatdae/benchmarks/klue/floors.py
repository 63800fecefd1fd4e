"""What strategies that never read the text reach. Their constants are taken from the very items that are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jatdae.benchmarks.klue.estimates import Measured, Scope
from jatdae.benchmarks.klue.labels import LABELS, NO_RELATION, RELATIONS
from jatdae.benchmarks.klue.metrics.entity_spreading import OUTSIDE
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Unit
from jatdae.types import Estimate

Blind = Callable[[Any], Prediction]
"""What is predicted for an item, whose text is not looked at."""

LAST, OTHER = "VP", "NP"
"""The most frequent labels of a sentence's last word and of the others."""


def blind_floors(scope: Scope, units: Sequence[Unit]) -> dict[str, Estimate]:
    """Official values by strategy; that of another metric than the first is named `<strategy>, <metric>`."""
    if not units:
        return {}
    names = JUDGING[scope.task].official
    floors: dict[str, Estimate] = {}
    for strategy, blind in STRATEGIES[scope.task](units).items():
        found = Measured.of(scope, units, {None: {unit.id: blind(unit.gold) for unit in units}}).estimates(names)
        for name, (official, _) in found.items():
            if official is not None:
                floors[strategy if name == names[0] else f"{strategy}, {name}"] = official
    return floors


def _most_frequent(task: str, units: Sequence[Unit], left_out: str = "") -> str:
    """The most frequent label of the items, of equals the first in the list."""
    counts = Counter(unit.gold.label for unit in units)
    return max((label for label in LABELS[task] if label != left_out), key=lambda label: counts[label])


def _constant(prediction: Prediction) -> Blind:
    return lambda _: prediction


def _labels(task: str) -> Callable[[Sequence[Unit]], Mapping[str, Blind]]:
    def strategies(units: Sequence[Unit]) -> Mapping[str, Blind]:
        label = _most_frequent(task, units)
        return {f"always {label}": _constant({"prediction": label})}

    return strategies


def _relations(units: Sequence[Unit]) -> Mapping[str, Blind]:
    """The most frequent label with equal probabilities, and the most frequent that is a relation: only it earns F1."""
    equal = [1 / len(RELATIONS)] * len(RELATIONS)
    label, relation = _most_frequent("re", units), _most_frequent("re", units, NO_RELATION)
    constant = {f"always {label}": _constant({"prediction": label, "probabilities": equal})}
    return constant if label == relation else {**constant, f"always {relation}": _constant({"prediction": relation})}


def _tree(gold: Any) -> Prediction:
    """Every word depends on the next, the last is the root."""
    count = len(gold.words)
    return {"heads": [*range(2, count + 1), 0], "deprels": [*[OTHER] * (count - 1), LAST]}


STRATEGIES: Mapping[str, Callable[[Sequence[Unit]], Mapping[str, Blind]]] = {
    "ynat": _labels("ynat"),
    "nli": _labels("nli"),
    "re": _relations,
    "sts": lambda _: {"always 5": _constant({"prediction": 5.0})},
    "ner": lambda _: {f"always {OUTSIDE}": lambda gold: {"tags": [OUTSIDE] * len(gold.characters)}},
    "dp": lambda _: {"always the next word": _tree},
    "mrc": lambda _: {"never an answer": _constant({"prediction": ""})},
    "wos": lambda _: {"always the empty state": _constant({"prediction": []})},
}
"""Task to its strategies by name."""
