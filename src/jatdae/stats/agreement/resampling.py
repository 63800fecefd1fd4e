"""Any statistic of items x raters with its interval, or None where the data leave it undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jatdae.stats.bootstrap import Statistic, cluster_bootstrap
from jatdae.stats.clusters import Clusters, Floats
from jatdae.types import Estimate

DRAWS = 2000


def resampled(
    rows: NDArray[Any], statistic: Statistic, name: str, clusters: Clusters | None, draws: int, seed: int
) -> Estimate | None:
    """`statistic` of the rows with a percentile interval; None where it is NaN on the rows themselves.

    The method is `name` and how the interval was drawn. Raises ValueError on fewer than 2 draws or wrong labels.
    """
    if len(rows) == 0 or not np.isfinite(statistic(rows)):
        return None
    drawn = cluster_bootstrap(rows, clusters, statistic, draws, seed=seed)
    method = f"{name}, {drawn.method}"
    return Estimate(drawn.value, drawn.stderr, drawn.low, drawn.high, drawn.n, drawn.clusters, method)


def paired_columns(a: ArrayLike, b: ArrayLike, what: str) -> Floats:
    """Two raters' values as an n x 2 array. Raises ValueError when lengths differ or a value is not finite."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"{what}: shapes {first.shape} and {second.shape}; two lists of one length are needed")
    columns = np.stack([first, second], axis=1)
    if not np.isfinite(columns).all():
        place = int(np.argwhere(~np.isfinite(columns))[0, 0])
        raise ValueError(f"{what}: not a finite number at position {place}; leave items without a rating out")
    return columns
