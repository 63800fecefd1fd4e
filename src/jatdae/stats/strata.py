"""Averages over groups of items, such as the 45 subjects of KMMLU: macro, micro, and what each claims."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from jatdae.stats.clusters import Floats, Values, finite, negligible, stderr
from jatdae.stats.intervals import UNIT, Z, around, t_quantile, wilson
from jatdae.types import Estimate

Groups = Mapping[str, Values]
Bounds = tuple[float, float] | None


def macro(groups: Groups, bounds: Bounds = UNIT) -> Estimate:
    """The unweighted mean of the groups' means, with the error of exactly that: sqrt(sum(se_k^2)) / K.

    The claim is about these very groups. The interval is normal, cut at `bounds`, the ends of the scale (None for no
    ends). A group of one item has no variance, and without it any total would be too small: then there is no stderr,
    as also where no group has any spread, and the interval is Wilson's at the effective number of items. Raises
    ValueError on no groups, an empty group, or values outside the bounds.
    """
    strata = checked_strata(groups, bounds)
    weights = [1 / len(strata)] * len(strata)
    return _weighted(strata, weights, bounds, "macro, fixed groups")


def micro(groups: Groups, bounds: Bounds = UNIT) -> Estimate:
    """The mean over all items, with the stratified error sqrt(sum((n_k / n)^2 se_k^2)); all else as in `macro`."""
    strata = checked_strata(groups, bounds)
    total = sum(stratum.size for stratum in strata)
    return _weighted(strata, [stratum.size / total for stratum in strata], bounds, "micro, stratified")


def macro_random_strata(groups: Groups, bounds: Bounds = UNIT) -> Estimate:
    """The macro average as a claim about groups like these: sd(p_k) / sqrt(K), t interval with K - 1 degrees.

    Give it as a second line: it contains the spread between the groups. `clusters` is K. One group, or groups that
    are all equal, have neither stderr nor interval. Raises ValueError as `macro` does.
    """
    strata = checked_strata(groups, bounds)
    means = np.array([stratum.mean() for stratum in strata])
    value, n, count = float(means.mean()), sum(stratum.size for stratum in strata), means.size
    error = stderr(means)
    if error is None or negligible(error, means):
        reason = "one group" if count == 1 else "no spread"
        return Estimate(value, None, None, None, n, count, f"macro, random groups; none: {reason}")
    low, high = around(value, t_quantile(count - 1) * error, bounds)
    return Estimate(value, error, low, high, n, count, "macro, random groups, t")


def checked_strata(groups: Groups, bounds: Bounds) -> list[Floats]:
    """The groups' values as arrays, in the mapping's order; a faulty group is named in the ValueError."""
    if not groups:
        raise ValueError("groups: empty; at least one group is needed")
    strata = [finite(values, f"group {name!r}") for name, values in groups.items()]
    for name, stratum in zip(groups, strata, strict=True):
        if bounds is not None and (stratum.min() < bounds[0] or stratum.max() > bounds[1]):
            raise ValueError(f"group {name!r}: values {stratum.min()} to {stratum.max()} outside {bounds}")
    return strata


def _weighted(strata: list[Floats], weights: list[float], bounds: Bounds, name: str) -> Estimate:
    value = math.fsum(weight * float(stratum.mean()) for weight, stratum in zip(weights, strata, strict=True))
    n, errors = sum(stratum.size for stratum in strata), [stderr(stratum) for stratum in strata]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        reason = f"{len(errors) - len(known)} of {len(errors)} groups have one item"
        return _without_variance(value, strata, weights, bounds, name, reason)
    error = math.sqrt(
        math.fsum((weight * known_error) ** 2 for weight, known_error in zip(weights, known, strict=True))
    )
    if all(negligible(own, stratum) for own, stratum in zip(known, strata, strict=True)):
        return _without_variance(value, strata, weights, bounds, name, "no spread")
    low, high = around(value, Z * error, bounds)
    return Estimate(value, error, low, high, n, None, f"{name}, normal")


def _without_variance(
    value: float, strata: list[Floats], weights: list[float], bounds: Bounds, name: str, reason: str
) -> Estimate:
    """No stderr where the groups' variances are unknown; on the unit scale an interval that holds whatever they are.

    It is Wilson's at the number of items that unstratified sampling with these weights is worth, 1 / sum(w_k^2 / n_k).
    """
    n = sum(stratum.size for stratum in strata)
    if bounds != UNIT:
        return Estimate(value, None, None, None, n, None, f"{name}; none: {reason}")
    worth = 1 / math.fsum(weight**2 / stratum.size for weight, stratum in zip(weights, strata, strict=True))
    low, high = wilson(value * worth, worth)
    return Estimate(value, None, low, high, n, None, f"{name}, Wilson at effective n ({reason})")
