"""Many judge labels put right by a few human ones. Use it with 50 human labels or more."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.clusters import Floats, finite
from jatdae.stats.intervals import UNIT, Z, around
from jatdae.types import Estimate

Values = Sequence[float] | NDArray[np.generic]


def corrected_rate(
    rate: float, n: int, *, specificity: float, negatives: int, sensitivity: float, positives: int
) -> Estimate:
    """The true rate behind a binary judge's rate over `n` items, given how often it is right on labelled ones.

    `specificity` is the judge's share of right answers on `negatives` human negatives, `sensitivity` that on
    `positives`. theta = (p + q0 - 1) / (q0 + q1 - 1), brought into [0, 1]; the normal interval is cut there too.
    Raises ValueError on shares outside [0, 1], counts below 1, and a judge no better than chance (q0 + q1 <= 1).
    Source: Lee et al. 2025; Rogan and Gladen 1978.
    """
    shares = (rate, specificity, sensitivity)
    if not all(0 <= share <= 1 for share in shares) or min(n, negatives, positives) < 1:
        raise ValueError(f"corrected_rate: shares in [0, 1] and counts from 1 on are needed, got {shares}")
    informed = specificity + sensitivity - 1
    if informed <= 1e-12:
        raise ValueError("corrected_rate: the judge is no better than chance on the labelled items")
    theta = min(max((rate - 1 + specificity) / informed, 0.0), 1.0)
    variance = (
        rate * (1 - rate) / n
        + (1 - theta) ** 2 * specificity * (1 - specificity) / negatives
        + theta**2 * sensitivity * (1 - sensitivity) / positives
    )
    error = math.sqrt(variance) / informed
    if error == 0:
        return Estimate(theta, None, None, None, n, None, "judge-corrected rate; none: no spread")
    return Estimate(theta, error, *around(theta, Z * error, UNIT), n, None, "judge-corrected rate, normal")


def prediction_powered_mean(predictions: Values, labels: Values, labelled_predictions: Values) -> Estimate:
    """The human mean: that of the judge over all items, plus its mean error over the items that people scored.

    `predictions` are the judge's numbers on the unlabelled items, `labels` people's on others, and
    `labelled_predictions` the judge's on the latter. Variance: s^2 of the predictions / N + s^2 of the errors / n.
    Fewer than two of either: no interval. Raises ValueError on empty or unequal lists.
    Source: Angelopoulos et al. 2023.
    """
    judged, truth = finite(predictions, "predictions"), finite(labels, "labels")
    errors = truth - _as_long(finite(labelled_predictions, "labelled_predictions"), truth)
    value, n = float(judged.mean() + errors.mean()), errors.size
    if n < 2 or judged.size < 2:
        return Estimate(value, None, None, None, n, None, "prediction-powered mean; none: one item")
    error = math.sqrt(float(judged.var(ddof=1)) / judged.size + float(errors.var(ddof=1)) / n)
    if error == 0:
        return Estimate(value, None, None, None, n, None, "prediction-powered mean; none: no spread")
    return Estimate(value, error, *around(value, Z * error, None), n, None, "prediction-powered mean, normal")


def _as_long(predictions: Floats, labels: Floats) -> Floats:
    if predictions.size != labels.size:
        raise ValueError(f"{labels.size} labels and {predictions.size} predictions on them; one each is needed")
    return predictions
