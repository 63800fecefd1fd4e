"""From strengths in nat to ratings in Elo points."""

from __future__ import annotations

import numpy as np

from jatdae.errors import RequestError
from jatdae.stats.clusters import Floats
from jatdae.stats.ratings.anchors import Scale
from jatdae.stats.ratings.newton import ELO, ORIGIN
from jatdae.stats.ratings.separation import Mask


def place(placing: Scale, strengths: Floats, estimated: Mask) -> tuple[Floats, Floats]:
    """Elo ratings of strengths (nat), and their derivatives by them; both only where `estimated`."""
    size = len(strengths)
    if placing.is_held or not estimated.any():
        return ORIGIN + ELO * strengths, ELO * np.eye(size)
    if placing.pins is not None:
        return _stretched(placing, strengths, estimated)
    origin = placing.anchors & estimated if (placing.anchors & estimated).any() else estimated
    share = origin.astype(np.float64) / int(origin.sum())
    return ORIGIN + ELO * (strengths - share @ strengths), ELO * (np.eye(size) - np.outer(np.ones(size), share))


def _stretched(placing: Scale, strengths: Floats, estimated: Mask) -> tuple[Floats, Floats]:
    """Strengths moved and stretched so that the two pins get their values."""
    low, high = placing.pins or (0, 0)
    gap = strengths[high] - strengths[low]
    factor = stretch(placing, gap) if estimated[low] and estimated[high] else None
    if factor is None:
        names = f"{placing.models[low]!r} and {placing.models[high]!r}"
        raise RequestError(f"anchors {names} are not rated apart in the order of their values; choose 'mean_pin'")
    along = (strengths - strengths[low]) / gap
    slopes = np.eye(len(strengths))
    slopes[:, low] -= 1 - along
    slopes[:, high] -= along
    return placing.values[low] + factor * (strengths - strengths[low]), factor * slopes


def stretch(placing: Scale, gap: float) -> float | None:
    """Elo in one nat, from the gap of the pins; None where they are alike or the wrong way round."""
    low, high = placing.pins or (0, 0)
    wanted = placing.values[high] - placing.values[low]
    return float(wanted / gap) if abs(gap) > 1e-6 and wanted / gap > 0 else None
