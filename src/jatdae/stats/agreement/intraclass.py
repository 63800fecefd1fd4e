"""Intraclass correlation of a complete items x raters table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.agreement.resampling import DRAWS, resampled
from jatdae.stats.clusters import Clusters, Floats, finite
from jatdae.types import Estimate

ICCKind = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
_KINDS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def intraclass_correlation(
    table: Sequence[Sequence[float]] | NDArray[np.generic],
    kind: ICCKind = "2,1",
    *,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate | None:
    """ICC of one rating (`,1`) or of the mean of all raters (`,k`).

    `1`: raters differ from item to item; `2`: the same raters, and it matters how severe they are; `3`: the same
    raters, order and distances alone matter. A 2,1 far under the 3,1 says that severity differs, not order. None where
    nothing varies, for one item, and for one rater. Raises ValueError on an unknown kind or a table with gaps.
    Source: Shrout and Fleiss 1979.
    """
    if kind not in _KINDS:
        raise ValueError(f"kind {kind!r}: one of {', '.join(_KINDS)} is needed")
    cells = finite(table, "intraclass_correlation", dimensions=2)
    return resampled(cells, partial(icc_value, kind=kind), f"ICC({kind})", clusters, draws, seed)


def icc_value(cells: Floats, kind: ICCKind) -> float:
    """The coefficient of items x raters, NaN where undefined."""
    n, k = cells.shape
    if n < 2 or k < 2:
        return float("nan")
    items, raters, mean = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    between = k * float(np.square(items - mean).sum()) / (n - 1)
    severity = n * float(np.square(raters - mean).sum()) / (k - 1)
    within = float(np.square(cells - items[:, None]).sum()) / (n * (k - 1))
    rest = float(np.square(cells - items[:, None] - raters[None, :] + mean).sum()) / ((n - 1) * (k - 1))
    error, extra = (within, 0.0) if kind[0] == "1" else (rest, severity - rest if kind[0] == "2" else 0.0)
    others = (k - 1) * (error + extra / n) if kind[2] == "1" else 0.0
    bottom = between + extra / n + others
    negligible = 1e-12 * max(float(np.square(cells).mean()), 1e-300)
    return (between - error) / bottom if bottom > negligible else float("nan")
