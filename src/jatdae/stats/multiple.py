"""Corrections of p-values for how many were looked at."""

from __future__ import annotations

import numpy as np

from jatdae.stats.clusters import Floats, Values, finite


def holm(p_values: Values) -> list[float]:
    """Adjusted p-values that keep the chance of any false claim below the level, in the given order (Holm 1979)."""
    sorted_, back = _sorted(p_values)
    count = sorted_.size
    adjusted = np.maximum.accumulate(sorted_ * (count - np.arange(count)))
    return np.minimum(adjusted, 1.0)[back].tolist()


def benjamini_hochberg(p_values: Values) -> list[float]:
    """Adjusted p-values that keep the expected share of false claims below the level (Benjamini & Hochberg 1995)."""
    sorted_, back = _sorted(p_values)
    count = sorted_.size
    scaled = sorted_ * count / np.arange(1, count + 1)
    adjusted = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)[back].tolist()


def _sorted(p_values: Values) -> tuple[Floats, np.ndarray]:
    """The p-values ascending, and the positions that put them back. Raises ValueError for one outside [0, 1]."""
    values = finite(p_values, "p-values")
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"p-values must lie in [0, 1], got {values.min()} to {values.max()}")
    order = np.argsort(values, kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(values.size)
    return values[order], back
