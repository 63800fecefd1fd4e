"""Cohen's kappa of two raters, plain or weighted by distance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.resampling import DRAWS, paired_columns, resampled
from jatdae.stats.clusters import Clusters, Floats
from jatdae.types import Estimate

Weights = Literal["quadratic", "linear", "plain"]
Ratings = Sequence[float] | NDArray[np.generic]


def weighted_kappa(
    a: Ratings,
    b: Ratings,
    weights: Weights = "quadratic",
    *,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate | None:
    """1 - observed / expected disagreement of two raters on the same items; 1 is perfect, 0 chance.

    Disagreement is 0 or 1 (`plain`), the distance of the two numbers (`linear`) or its square (`quadratic`), so that
    numbers between the steps of a scale need no rounding. None where neither rater varies from one common value.
    Raises ValueError on another word for `weights` or lists that do not match. Source: Cohen 1968.

    >>> estimate = weighted_kappa([1, 2, 3, 4, 5, 3, 2, 4], [1, 3, 3, 4, 4, 2, 2, 5])
    >>> round(estimate.value, 4)
    0.8333
    """
    if weights not in ("quadratic", "linear", "plain"):
        raise ValueError(f"weights {weights!r}: quadratic, linear or plain is needed")
    columns = paired_columns(a, b, "weighted_kappa")
    return resampled(columns, partial(kappa_value, weights=weights), f"{weights} kappa", clusters, draws, seed)


def kappa_value(columns: Floats, weights: Weights) -> float:
    """The coefficient of n x 2 ratings; NaN where no disagreement is to be expected."""
    first, second = columns[:, 0], columns[:, 1]
    observed = _distance(first, second, weights).mean()
    if weights == "quadratic":
        expected = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    else:
        steps_a, share_a = _shares(first)
        steps_b, share_b = _shares(second)
        expected = share_a @ _distance(steps_a[:, None], steps_b[None, :], weights) @ share_b
    return float(1 - observed / expected) if expected > 1e-12 else float("nan")


def _shares(values: Floats) -> tuple[Floats, Floats]:
    steps, counts = np.unique(values, return_counts=True)
    return steps, counts / values.size


def _distance(a: Floats, b: Floats, weights: Weights) -> Floats:
    if weights == "plain":
        return (a != b).astype(np.float64)
    return np.abs(a - b) if weights == "linear" else np.square(a - b)
