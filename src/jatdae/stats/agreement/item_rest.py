"""How well an item tells strong models from weak ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.correlation import pearson_value
from jatdae.stats.clusters import finite
from jatdae.stats.intervals import Z
from jatdae.types import Estimate

FEWEST_MODELS = 8


def item_rest_correlations(
    table: Sequence[Sequence[float]] | NDArray[np.generic],
) -> tuple[Estimate | None, ...]:
    """Pearson's r of each item's scores with the sum of the other items, over models (rows); point-biserial for 0/1.

    None where the item or the rest does not vary. From 8 models on with stderr (1 - r^2) / sqrt(M - 2) and Fisher's
    interval. It proposes items to look at; never drop items by the models that are ranked. Raises ValueError on
    gaps or fewer than two items.
    """
    cells = finite(table, "item_rest_correlations", dimensions=2)
    if cells.shape[1] < 2:
        raise ValueError("item_rest_correlations: at least two items are needed")
    total = cells.sum(axis=1)
    return tuple(_estimate(pearson_value(column, total - column), len(cells)) for column in cells.T)


def _estimate(r: float, models: int) -> Estimate | None:
    if math.isnan(r):
        return None
    if models < FEWEST_MODELS:
        return Estimate(r, None, None, None, models, None, f"item-rest r; none: under {FEWEST_MODELS} models")
    stderr = (1 - r * r) / math.sqrt(models - 2)
    if abs(r) >= 1 - 1e-12:
        return Estimate(r, None, None, None, models, None, "item-rest r; none: no spread")
    middle, reach = math.atanh(r), Z / math.sqrt(models - 3)
    return Estimate(
        r, stderr, math.tanh(middle - reach), math.tanh(middle + reach), models, None, "item-rest r, Fisher"
    )
