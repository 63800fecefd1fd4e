"""Sentence similarity (STS): Pearson's r and F1 of the binary decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jatdae.benchmarks.klue.metrics.counting import f1, same_length
from jatdae.benchmarks.klue.metrics.score import (
    Additive,
    Floats,
    Resample,
    Score,
    additive,
    nothing_valid,
    undefined,
)
from jatdae.errors import RequestError

THRESHOLD = 3.0
"""From this mean score on two sentences are paraphrases."""


def pearson(gold: Sequence[float], predicted: Sequence[float | None]) -> Score:
    """Pearson's correlation, -100..100, of raw predictions and the unrounded gold means.

    Undefined where either side is constant, and where a prediction is missing or not finite, since no number in its
    place would be wrong in a neutral way; `detail["over_answered"]` then has the value over the rest.
    """
    truth, guess, missing, invalid = _numbers(gold, predicted)
    if nothing := nothing_valid(len(truth), missing, invalid):
        return nothing
    answered = np.isfinite(guess)
    truth, guess = truth[answered], guess[answered]
    for name, values in (("gold", truth), ("prediction", guess)):
        if np.ptp(values) == 0:
            return undefined(f"every {name} is {values[0]:g}: no correlation", len(gold), missing, invalid)
    value = 100 * _correlation(truth, guess)
    if missing + invalid:
        reason = f"{missing + invalid} of {len(gold)} predictions are missing; a correlation needs all of them"
        return undefined(reason, len(gold), missing, invalid, over_answered=value)
    moments = Additive(_moments(truth, guess), _from_moments)
    return Score(value, value, len(gold), resample=Resample(moments, moments), lowest=-100.0)


def f1_at_threshold(gold: Sequence[float], predicted: Sequence[float | None], threshold: float = THRESHOLD) -> Score:
    """F1 of the positive class after both sides are cut at `>= threshold`.

    A missing prediction is no positive: it is a miss where gold is positive. With no positive on either side the
    official value is 0 and the clean one undefined.
    """
    truth, guess, missing, invalid = _numbers(gold, predicted)
    if nothing := nothing_valid(len(truth), missing, invalid):
        return nothing
    positive, chosen = truth >= threshold, guess >= threshold
    counts = np.stack([positive & chosen, ~positive & chosen, positive & ~chosen], axis=1).astype(np.float64)
    return additive(
        counts,
        lambda totals: np.nan_to_num(_f1(totals)),
        _f1,
        reason=f"no gold and no prediction reaches {threshold:g}",
        missing=missing,
        invalid=invalid,
        detail={"threshold": threshold, "gold_positive": int(positive.sum()), "predicted_positive": int(chosen.sum())},
    )


def _numbers(gold: Sequence[float], predicted: Sequence[float | None]) -> tuple[Floats, Floats, int, int]:
    """Both sides as arrays, NaN for a prediction that is missing or not finite, and how many are of either kind."""
    same_length(gold, predicted)
    truth = np.asarray(gold, dtype=np.float64)
    if not np.isfinite(truth).all():
        position = int(np.argmax(~np.isfinite(truth)))
        raise RequestError(f"gold score {gold[position]!r} at position {position} is not a finite number")
    missing = sum(value is None for value in predicted)
    guess = np.array([np.nan if value is None else value for value in predicted], dtype=np.float64)
    guess[~np.isfinite(guess)] = np.nan
    return truth, guess, missing, int(np.isnan(guess).sum()) - missing


def _f1(totals: Floats) -> Floats:
    return 100 * f1(totals[..., 0], totals[..., 1], totals[..., 2])


def _correlation(first: Floats, second: Floats) -> float:
    first, second = (_unit(values - values.mean()) for values in (first, second))
    return float(np.clip(first @ second, -1.0, 1.0))


def _unit(values: Floats) -> Floats:
    """Scaled to length 1, by way of the largest value, so that squares neither overflow nor vanish."""
    values = values / np.abs(values).max()
    return values / np.linalg.norm(values)


def _moments(truth: Floats, guess: Floats) -> Floats:
    """Sums that a correlation needs, from standardised values, so that little is lost to rounding."""
    x, y = ((values - values.mean()) / values.std() for values in (truth, guess))
    return np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)


def _from_moments(totals: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
        value = (xy / n - x * y / n**2) / np.sqrt(spread_x * spread_y)
    flat = (spread_x <= 1e-12) | (spread_y <= 1e-12)
    return np.where(flat, np.nan, 100 * np.clip(value, -1.0, 1.0))
