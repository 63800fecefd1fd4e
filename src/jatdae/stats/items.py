"""What single items tell across models: how hard they are, whether they tell good models from bad, which to look at.

Source: judging specification, section 3.4. Items are never dropped by results of the models that are being ranked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from jatdae.stats.agreement.item_rest import item_rest_correlations
from jatdae.stats.clusters import Values
from jatdae.types import Estimate

EASY, HARD = 0.95, 0.05
NEAR_TOP, MOST = 0.05, 0.9
"""Saturated is an item on which `MOST` of the models lie within `NEAR_TOP` of the best."""

Flag = Literal["saturated", "floor", "negative"]


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """Mean score of an item over models, its correlation with the rest of the items, and flags.

    `correlation` is None where either side does not vary; under eight models it has no interval. A `negative` item, one
    whose whole interval lies below 0, may have a wrong key: read it.
    """

    difficulty: float
    correlation: Estimate | None
    flags: tuple[Flag, ...]


def analyse_items(scores: list[list[float]] | Values) -> list[ItemFigures]:
    """Figures of every item from a table of models by items, each score in [0, 1].

    Raises ValueError for a table that is no rectangle, holds values outside the range, or has fewer than two items.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all() or table.min() < 0 or table.max() > 1:
        raise ValueError("analyse_items: a table of models by items with scores in [0, 1] is needed")
    correlations = item_rest_correlations(table)
    return [_figures(column, correlation) for column, correlation in zip(table.T, correlations, strict=True)]


def _figures(column: np.ndarray, correlation: Estimate | None) -> ItemFigures:
    difficulty = float(column.mean())
    near_top = float((column >= column.max() - NEAR_TOP).mean())
    flags: list[Flag] = []
    if difficulty > EASY or (near_top >= MOST and difficulty > HARD):
        flags.append("saturated")
    if difficulty < HARD:
        flags.append("floor")
    if correlation is not None and correlation.high is not None and correlation.high < 0:
        flags.append("negative")
    return ItemFigures(difficulty, correlation, tuple(flags))
