"""Relation extraction: micro F1 without `no_relation`, and the area under the precision-recall curves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.klue.labels import NO_RELATION, RELATIONS
from jatdae.benchmarks.klue.metrics.counting import (
    f1,
    gold_codes,
    masked_mean,
    predicted_codes,
    same_length,
)
from jatdae.benchmarks.klue.metrics.score import Codes, Floats, Resample, Score, additive, nothing_valid
from jatdae.errors import RequestError

ABSENT_AREA = 0.5
"""What the official routine gives a class without gold: recall is set to 1, precision is 0, and the line from
(recall 0, precision 1) encloses one half."""

Table = NDArray[np.floating] | Sequence[Sequence[float] | NDArray[np.floating] | None]

CELLS = 2_000_000
"""Largest number of weights sorted at once: 16 MB."""


def relation_micro_f1(
    gold: Sequence[Hashable],
    predicted: Sequence[Hashable | None],
    labels: Sequence[Hashable] = RELATIONS,
    no_relation: Hashable = NO_RELATION,
) -> Score:
    """Micro F1 over all labels but `no_relation`, which still makes false positives and false negatives.

    A missing or unknown prediction is a miss where gold is a relation, and never a false positive. Where nothing is
    counted the official value is 0 and the clean one undefined. Raises RequestError for an unknown gold label.
    """
    same_length(gold, predicted)
    if no_relation not in labels:
        raise RequestError(f"{no_relation!r} is not among the {len(labels)} labels; name the one that is left out")
    truth, guess = gold_codes(gold, labels), predicted_codes(predicted, labels)
    if nothing := nothing_valid(len(gold), guess.missing, guess.invalid):
        return nothing
    none = list(labels).index(no_relation)
    right, related = truth == guess.codes, truth != none
    claimed = (guess.codes >= 0) & (guess.codes != none)
    counts = np.stack([right & related, ~right & claimed, ~right & related], axis=1).astype(np.float64)
    tp, fp, fn = (float(part) for part in counts.sum(axis=0))
    return additive(
        counts,
        lambda totals: np.nan_to_num(_micro(totals)),
        _micro,
        reason="no relation in gold or prediction",
        missing=guess.missing,
        invalid=guess.invalid,
        detail={
            "average": f"micro without {no_relation}",
            "precision": 100 * tp / (tp + fp) if tp + fp else None,
            "recall": 100 * tp / (tp + fn) if tp + fn else None,
        },
    )


def _micro(totals: Floats) -> Floats:
    return 100 * f1(totals[..., 0], totals[..., 1], totals[..., 2])


def relation_auprc(gold: Sequence[Hashable], scores: Table, labels: Sequence[Hashable] = RELATIONS) -> Score:
    """Mean area under the precision-recall curves of all labels, by the trapezoid rule from (recall 0, precision 1).

    `scores` is (items, labels): probabilities, or anything that orders alike within a label. Official: mean over all
    labels, where one without gold counts one half; clean: mean over labels with gold. `detail` names the `absent`
    ones. An item whose row is None or not finite ranks last under every label. This isn't average precision, which
    adds steps. Raises RequestError for unknown gold labels or a wrong shape.
    """
    rows = [None if row is None else np.asarray(row, dtype=np.float64) for row in scores]
    same_length(gold, rows)
    truth = gold_codes(gold, labels)
    for position, row in enumerate(rows):
        if row is not None and row.shape != (len(labels),):
            raise RequestError(f"scores of item {position} have shape {row.shape}; {len(labels)} numbers are needed")
    usable = np.array([row is not None and bool(np.isfinite(row).all()) for row in rows], dtype=bool)
    missing = sum(row is None for row in rows)
    invalid = int((~usable).sum()) - missing
    if nothing := nothing_valid(len(gold), missing, invalid):
        return nothing
    table = np.array([row if ok else np.full(len(labels), -np.inf) for row, ok in zip(rows, usable, strict=True)])
    curves = Curves(truth, table)
    areas = curves.areas(np.ones((1, len(gold))))[0]
    absent = tuple(name for name, area in zip(labels, areas, strict=True) if np.isnan(area))
    return Score(
        float(curves.official(np.ones((1, len(gold))))[0]),
        float(curves.clean(np.ones((1, len(gold))))[0]),
        len(gold),
        missing,
        invalid,
        detail={
            "area": {name: 100 * float(a) for name, a in zip(labels, areas, strict=True) if not np.isnan(a)},
            "absent": absent,
        },
        resample=Resample(curves.official, curves.clean),
    )


@dataclass(frozen=True, slots=True)
class Curves:
    """The areas as a function of item weights: gold label and scores (items, labels) of every item."""

    gold: Codes
    scores: Floats

    def official(self, weights: Floats) -> Floats:
        return 100 * np.nan_to_num(self.areas(weights), nan=ABSENT_AREA).mean(axis=1)

    def clean(self, weights: Floats) -> Floats:
        areas = self.areas(weights)
        return 100 * masked_mean(areas, ~np.isnan(areas))

    def areas(self, weights: Floats) -> Floats:
        """Area of each label for each row of weights: (draws, labels), NaN where a label has no gold."""
        weights = np.asarray(weights, dtype=np.float64)
        areas = np.empty((len(weights), self.scores.shape[1]))
        step = max(1, CELLS // max(1, weights.shape[1]))
        for start in range(0, len(weights), step):
            chosen = slice(start, start + step)
            columns = np.ascontiguousarray(weights[chosen].T)
            for label, scores in enumerate(self.scores.T):
                areas[chosen, label] = _area(columns, scores, self.gold == label)
        return areas


def _area(weights: Floats, scores: Floats, positive: NDArray[np.bool_]) -> Floats:
    """Trapezoid areas for weights (items, draws): one a draw, NaN where no positive item is drawn.

    Recall grows only where items of one score include a positive one, so precision is needed just before and just
    after these alone: the weights between are summed in one go.
    """
    if not positive.any():
        return np.full(weights.shape[1], np.nan)
    order = np.argsort(-scores, kind="stable")
    ranked, weights = scores[order], weights[order]
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    places = np.flatnonzero(positive[order])
    groups, first = np.unique(np.searchsorted(starts, places, side="right") - 1, return_index=True)
    begins, ends = starts[groups], np.append(starts, len(ranked))[groups + 1]
    found = np.cumsum(np.add.reduceat(weights[places], first, axis=0), axis=0)
    earlier = np.vstack([np.zeros_like(found[:1]), found[:-1]])
    before, after = _sums_before(weights, begins, ends)
    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.where(before > 0, earlier / before, 1.0)
        high = np.where(after > 0, found / after, 1.0)
        return ((found - earlier) / found[-1] * (low + high) / 2).sum(axis=0)


def _sums_before(weights: Floats, begins: Codes, ends: Codes) -> tuple[Floats, Floats]:
    """Sums of all weights (items, draws) before the given places, from 0 to the number of items."""
    cuts = np.unique(np.concatenate([[0], begins, ends]))
    sums = np.cumsum(np.add.reduceat(weights, cuts[cuts < len(weights)], axis=0), axis=0)
    sums = np.vstack([np.zeros_like(sums[:1]), sums])
    return sums[np.searchsorted(cuts, begins)], sums[np.searchsorted(cuts, ends)]
