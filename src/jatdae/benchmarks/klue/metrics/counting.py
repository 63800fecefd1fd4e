"""Labels as codes, and the counts that every F1 is made of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.klue.metrics.score import Codes, Floats
from jatdae.errors import RequestError

MISSING = -1
INVALID = -2


@dataclass(frozen=True, slots=True)
class Coded:
    """Predictions as positions in the label list: -1 where there is none, -2 where it is not in the list."""

    codes: Codes

    @property
    def missing(self) -> int:
        return int((self.codes == MISSING).sum())

    @property
    def invalid(self) -> int:
        return int((self.codes == INVALID).sum())


def same_length(gold: Sized, predicted: Sized, what: str = "items") -> None:
    """Raises RequestError where there is not exactly one prediction an item."""
    if len(gold) != len(predicted):
        raise RequestError(f"{len(predicted)} predictions for {len(gold)} {what}; give one each, None where missing")


def gold_codes(gold: Sequence[Hashable], labels: Sequence[Hashable]) -> Codes:
    """Positions of gold labels in the label list.

    Raises RequestError for a label that is not in it, as a number where names are expected: comparing the two would
    make every prediction wrong.
    """
    known = _positions(labels)
    codes = np.array([known.get(label, INVALID) for label in gold], dtype=np.intp)
    if (codes < 0).any():
        position = int(np.argmax(codes < 0))
        raise RequestError(
            f"gold label {gold[position]!r} at position {position} is not among the {len(labels)} labels"
            f" (the first is {next(iter(labels), None)!r}); map gold and predictions to the same names"
        )
    return codes


def predicted_codes(predicted: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Coded:
    """Positions of predicted labels in the label list; a label outside it is never mapped to a near one."""
    known = _positions(labels)
    codes = [MISSING if label is None else known.get(label, INVALID) for label in predicted]
    return Coded(np.array(codes, dtype=np.intp))


def _positions(labels: Sequence[Hashable]) -> Mapping[Hashable, int]:
    known = {label: position for position, label in enumerate(labels)}
    if len(known) != len(labels):
        raise RequestError(f"the label list names a label twice: {list(labels)!r}")
    return known


def confusion(item: Codes, gold: Codes, predicted: Codes, classes: int, items: int) -> Floats:
    """True positives, false positives and false negatives of every class in every item: (items, 3 * classes).

    Three flat arrays of one length: the item each decision belongs to, its gold class, its predicted class. A negative
    prediction is no class at all: it is a false negative of the gold class and a false positive of none.
    """
    right = gold == predicted
    wrong = ~right & (predicted >= 0)
    parts = [
        np.bincount(item[chosen] * classes + values[chosen], minlength=items * classes).reshape(items, classes)
        for chosen, values in ((right, gold), (wrong, predicted), (~right, gold))
    ]
    return np.concatenate(parts, axis=1).astype(np.float64)


def split_counts(totals: Floats) -> tuple[Floats, Floats, Floats]:
    """Undo the layout of `confusion`: three arrays (..., classes)."""
    classes = totals.shape[-1] // 3
    return totals[..., :classes], totals[..., classes : 2 * classes], totals[..., 2 * classes :]


def f1(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """2 TP / (2 TP + FP + FN), NaN where nothing is counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * tp / (2 * tp + fp + fn)


def masked_mean(values: Floats, mask: NDArray[np.bool_]) -> Floats:
    """The mean over the last axis of the values chosen by the mask, NaN where none is."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mask, values, 0.0).sum(axis=-1) / mask.sum(axis=-1)


def macro_over_union(totals: Floats) -> Floats:
    """Macro F1 over the classes that occur in gold or prediction, 0..100."""
    tp, fp, fn = split_counts(totals)
    return 100 * masked_mean(f1(tp, fp, fn), tp + fp + fn > 0)


def macro_over_gold(totals: Floats) -> Floats:
    """Macro F1 over the classes that occur in gold, 0..100."""
    tp, fp, fn = split_counts(totals)
    return 100 * masked_mean(f1(tp, fp, fn), tp + fn > 0)


def by_class(totals: Floats, names: Sequence[Hashable]) -> dict[str, Any]:
    """What a reader of a macro F1 needs: F1 of every class that occurs, and which classes occur where."""
    tp, fp, fn = split_counts(totals)
    values = f1(tp, fp, fn)
    union, gold = tp + fp + fn > 0, tp + fn > 0
    return {
        "f1": {name: 100 * float(value) for name, value, counted in zip(names, values, union, strict=True) if counted},
        "classes": tuple(name for name, counted in zip(names, union, strict=True) if counted),
        "gold_classes": tuple(name for name, counted in zip(names, gold, strict=True) if counted),
    }
