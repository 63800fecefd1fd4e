"""Dialogue state tracking (WoS): joint goal accuracy and slot F1 over user turns.

A state is a list of `domain-slot-value`, compared as it is written. `dontcare` is a value; `none` never appears.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jatdae.benchmarks.klue.metrics.counting import f1, same_length
from jatdae.benchmarks.klue.metrics.score import Floats, Score, additive, mean_score, nothing_valid

State = Sequence[str]


def joint_goal_accuracy(gold: Sequence[State], predicted: Sequence[State | None]) -> Score:
    """Share of turns whose whole state is right, as sets; two empty states agree, a missing prediction is wrong."""
    same_length(gold, predicted, "turns")
    missing = sum(state is None for state in predicted)
    if nothing := nothing_valid(len(gold), missing):
        return nothing
    pairs = zip(gold, predicted, strict=True)
    return mean_score(np.array([float(b is not None and set(a) == set(b)) for a, b in pairs]), missing=missing)


def slot_f1(gold: Sequence[State], predicted: Sequence[State | None]) -> Score:
    """F1 of the state's entries.

    Official: the mean over turns of each turn's F1, in which repeated wrong entries count each and two empty states
    give 1, though the baseline calls it micro. Clean: one F1 over the entries of all turns, each once a turn; undefined
    where there are none. A missing prediction finds nothing and gives its turn 0, an empty gold state included.
    """
    same_length(gold, predicted, "turns")
    missing = sum(state is None for state in predicted)
    if nothing := nothing_valid(len(gold), missing):
        return nothing
    turns = np.array([_turn_f1(a, b) for a, b in zip(gold, predicted, strict=True)])
    entries = np.array([_entries(a, b) for a, b in zip(gold, predicted, strict=True)], dtype=np.float64)
    return additive(
        np.column_stack([turns, np.ones(len(turns)), entries]),
        _mean_of_turns,
        _micro,
        reason="no entry in gold or prediction",
        missing=missing,
        items=turns,
        detail={"official": "mean over turns", "clean": "micro over all entries"},
    )


def _turn_f1(gold: State, predicted: State | None) -> float:
    if predicted is None:
        return 0.0
    if not gold:
        return float(not predicted)
    tp = sum(entry in predicted for entry in gold)
    fn, fp = len(gold) - tp, sum(entry not in gold for entry in predicted)
    return 2 * tp / (2 * tp + fn + fp)


def _entries(gold: State, predicted: State | None) -> tuple[int, int, int]:
    """True positives, false positives and false negatives of a turn, each entry once."""
    truth, guess = set(gold), set(predicted or ())
    return len(truth & guess), len(guess - truth), len(truth - guess)


def _mean_of_turns(totals: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * totals[..., 0] / totals[..., 1]


def _micro(totals: Floats) -> Floats:
    return 100 * f1(totals[..., 2], totals[..., 3], totals[..., 4])
