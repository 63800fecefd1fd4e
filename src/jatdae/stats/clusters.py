"""The standard error of a mean, with and without clusters: plain numbers and arrays in and out."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = Sequence[float] | NDArray[np.generic]
Table = Sequence[Sequence[float]] | NDArray[np.generic]
Clusters = Sequence[Hashable] | NDArray[np.generic]
Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

FEW_CLUSTERS = 30
"""Below this many clusters the cluster variance is itself badly known: take the larger error and a t quantile."""


def finite(values: ArrayLike, what: str = "values", *, dimensions: int = 1) -> Floats:
    """The values as an array of floats.

    Raises ValueError when there are none, when one is not finite, or when the shape is wrong; `what` names them.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{what}: empty; at least one item is needed")
    if array.ndim != dimensions:
        raise ValueError(f"{what}: expected {dimensions} dimension(s), got shape {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(index) for index in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{what}: not a finite number at position {where}; leave missing items out before averaging")
    return array


def is_binary(values: Floats) -> bool:
    """Whether every value is 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def cluster_codes(clusters: Clusters, n: int) -> Codes:
    """Number the clusters 0..G-1 in order of appearance; one code an item.

    An item whose label is None, an empty string or NaN belongs to no cluster and becomes a cluster of its own.
    Raises ValueError when the number of labels is not `n`.
    """
    if len(clusters) != n:
        raise ValueError(f"clusters: {len(clusters)} labels for {n} items; one label an item is needed")
    numbers: dict[Hashable, int] = {}
    codes = np.empty(n, dtype=np.intp)
    for position, label in enumerate(clusters):
        alone = label is None or label == "" or (isinstance(label, float | np.floating) and math.isnan(label))
        codes[position] = numbers.setdefault(("alone", position) if alone else ("shared", label), len(numbers))
    return codes


def shared_codes(clusters: Clusters | None, n: int) -> tuple[Codes | None, int | None]:
    """Codes and number of the clusters; no codes where no two items share one, as then the plain formulas hold."""
    if clusters is None:
        return None, None
    codes = cluster_codes(clusters, n)
    count = int(codes.max()) + 1
    return (None if count == n else codes), count


def stderr(values: Floats) -> float | None:
    """Standard error of the mean of independent items, sqrt(sum((x - mean)^2) / (n (n - 1))); None for one item."""
    n = values.size
    if n < 2:
        return None
    return math.sqrt(float(np.square(values - values.mean()).sum()) / (n * (n - 1)))


def cluster_stderr(values: Floats, codes: Codes) -> float | None:
    """Standard error of the item mean when items share clusters, with the G / (G - 1) correction; None for one cluster.

    Miller 2024 (arXiv 2411.00640), without the cross terms written out: residuals are summed within a cluster, squared,
    and summed over clusters.
    """
    count = int(codes.max()) + 1
    if count < 2:
        return None
    sums = np.bincount(codes, weights=values - values.mean())
    return math.sqrt(count / (count - 1) * float(np.square(sums).sum())) / values.size


def displayed_stderr(values: Floats, codes: Codes | None) -> float | None:
    """The standard error that is shown: the plain one without clusters, else the cluster one.

    Under 30 clusters it is the larger of the two: so few clusters can look more alike than they are.
    """
    plain = stderr(values)
    if codes is None or plain is None:
        return plain
    clustered = cluster_stderr(values, codes)
    if clustered is None:
        return None
    return max(plain, clustered) if int(codes.max()) + 1 < FEW_CLUSTERS else clustered


def negligible(error: float | None, values: Floats) -> bool:
    """Whether an error is missing or only rounding: the values, or their sums by cluster, do not differ."""
    return error is None or error <= 1e-12 * float(np.abs(values).max())


def fewest_independent(codes: Codes) -> float:
    """How many independent items there are if all items of a cluster agree: n^2 / sum(size^2)."""
    return codes.size**2 / float(np.square(np.bincount(codes)).sum())
