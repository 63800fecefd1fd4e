"""One fit a judge, and the mean over judges: each judge counts the same, however many of its verdicts were valid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jatdae.stats.clusters import Codes, Floats
from jatdae.stats.ratings.anchors import Prior, Scale
from jatdae.stats.ratings.fit import with_phantom
from jatdae.stats.ratings.newton import ELO, ORIGIN, maximise
from jatdae.stats.ratings.separation import Mask, Structure, structure

RESAMPLED = 1e-9
"""Last step (nat) of the fits of resamples, far below what resampling itself leaves open."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Several judges over the same models: who can be compared with whom.

    `linked` is seen over all judges, `each` under one of them. A block is a set of models that one judge's games link;
    `judge` and `member` say whose and which.
    """

    placing: Scale
    linked: Structure
    each: tuple[Structure, ...]
    judge: Codes
    member: Mask

    @property
    def origin(self) -> Mask:
        """The models whose mean is the origin, where nothing is held."""
        if self.placing.pins is not None:
            return np.isin(np.arange(len(self.linked.rated)), self.placing.pins)
        anchored = self.placing.anchors & self.linked.rated
        return anchored if anchored.any() else self.linked.rated


def panel(wins: Floats, placing: Scale) -> Panel:
    """The panel of win matrices (judges, models, models)."""
    linked = structure(wins.sum(axis=0), placing.anchors, placing.fixed)
    each = tuple(structure(table, placing.anchors, placing.fixed) for table in wins)
    judges, members = [], []
    for number, (own, table) in enumerate(zip(each, wins, strict=True)):
        met = (table + table.T).any(axis=1)
        parts = [own.rated] if placing.is_held else [own.parts == part for part in np.unique(own.parts[met])]
        for part in parts:
            judges.append(number)
            members.append(part & linked.rated)
    return Panel(
        placing=placing,
        linked=linked,
        each=each,
        judge=np.array(judges, dtype=np.intp),
        member=np.array(members, dtype=bool).reshape(len(judges), len(linked.rated)),
    )


def judge_strengths(wins: Floats, start: Floats, placing: Scale, prior: Prior, within: float) -> Floats:
    """Strengths (nat) under each judge; shape (draws, judges, models), like `start`, which holds the fixed ones."""
    draws, judges, models, _ = wins.shape
    table = with_phantom(wins.reshape(draws * judges, models, models), prior)
    origin = np.concatenate([start.reshape(draws * judges, models), np.zeros((draws * judges, 1))], axis=1)
    free = np.append(~placing.fixed, False)
    return maximise(table, origin, free, prior.precision, within)[:, :-1].reshape(draws, judges, models)


def defined(wins: Floats, placing: Scale) -> Mask:
    """Which models have a game in each win matrix, or are held."""
    return ((wins.sum(axis=-1) + wins.sum(axis=-2)) > 0) | placing.fixed


def average(strengths: Floats, known: Mask, judges: Panel) -> tuple[Floats, Mask]:
    """Mean strengths over judges, (draws, models), and where there are any; inputs are (draws, judges, models).

    Where nothing is held, a judge's strengths have no origin of their own. A judge that did not see every model is
    therefore moved to the others by least squares, as in a table of models and judges without interaction; with
    nothing missing this is the plain mean.
    """
    seen = known[:, judges.judge] & judges.member
    values = np.where(seen, strengths[:, judges.judge], 0.0)
    count = np.maximum(seen.sum(axis=1), 1)
    mean, any_judge = values.sum(axis=1) / count, np.asarray(seen.any(axis=1))
    if judges.placing.is_held or len(judges.judge) < 2:
        return mean, any_judge
    share = seen / count[:, None, :]
    size = seen.sum(axis=2)
    normal = size[:, :, None] * np.eye(size.shape[1]) - seen.astype(np.float64) @ share.swapaxes(1, 2)
    excess = np.where(seen, values - mean[:, None, :], 0.0).sum(axis=2)
    offset = np.linalg.pinv(normal, rcond=1e-10, hermitian=True) @ excess[:, :, None]
    return mean - (share * offset).sum(axis=1), any_judge


def placed(strengths: Floats, known: Mask, origin: Mask, reference: Floats, factor: Floats) -> Floats:
    """Ratings (draws, models): strengths times `factor` (Elo in a nat, one a draw), moved to a reference.

    The mean over those of `origin` that are known (or, without any, over all that are known) is put at the mean of
    their reference ratings. NaN where a model is not known or has nothing to be placed by.
    """
    given = known & np.isfinite(reference)
    at = given & origin
    at = np.where(at.any(axis=1, keepdims=True), at, given)
    count = at.sum(axis=1, keepdims=True)
    count = np.where(count > 0, count, np.nan)
    centre = np.where(at, strengths, 0.0).sum(axis=1, keepdims=True) / count
    base = np.where(at, np.where(np.isfinite(reference), reference, 0.0), 0.0).sum(axis=1, keepdims=True) / count
    return np.where(known, base + factor[:, None] * (strengths - centre), np.nan)


def factors(strengths: Floats, known: Mask, placing: Scale) -> Floats:
    """Elo in one nat for each draw: 400 / ln 10, or what brings two pins to their values; NaN where they cannot be."""
    factor = np.full(len(strengths), ELO)
    if placing.pins is None:
        return factor
    low, high = placing.pins
    gap = strengths[:, high] - strengths[:, low]
    wanted = placing.values[high] - placing.values[low]
    usable = known[:, low] & known[:, high] & (np.abs(gap) > 1e-6) & (np.sign(gap) == np.sign(wanted))
    return np.where(usable, wanted / np.where(usable, gap, 1.0), np.nan)


def headline(strengths: Floats, known: Mask, judges: Panel, reference: Floats | None = None) -> tuple[Floats, Floats]:
    """Ratings of averaged strengths, NaN where there is none, and the Elo in a nat that they were made with."""
    placing, known = judges.placing, known & judges.linked.rated
    factor = factors(strengths, known, placing)
    if placing.is_held:
        return np.where(known, ORIGIN + ELO * strengths, np.nan), factor
    if reference is None or placing.pins is not None:
        reference = placing.values if placing.pins is not None else np.full(known.shape[1], ORIGIN)
    return placed(strengths, known, judges.origin, reference, factor), factor
