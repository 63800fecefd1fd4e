"""Stratified selection: the items of a pool whose types and clauses lie nearest to a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jatdae.errors import RequestError
from jatdae.negation.alignment.comparison import SEED, class_counts
from jatdae.negation.alignment.conventions import CLASSES, CONVENTIONS, Convention
from jatdae.negation.alignment.labels import ItemLabels
from jatdae.negation.alignment.quotas import largest_remainder
from jatdae.negation.distribution import Distribution, Kind
from jatdae.stats.bootstrap import seed_from
from jatdae.stats.clusters import Floats

STEERED = (CONVENTIONS["SN+LN"], CONVENTIONS["c"])
"""What is brought near to the corpus: all types, and the clauses of local negations, which an author can choose."""

_ROUNDS = 50
_NEARLY_NONE = 1e-9
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, slots=True)
class Quota:
    """One class of the selection: the number that the corpus' share asks for, how many were chosen, how many exist.

    `lacking` is what the pool cannot give even if all of it were taken.
    """

    kind: Kind
    label: str
    wanted: int
    chosen: int
    available: int

    @property
    def lacking(self) -> int:
        return max(0, self.wanted - self.available)


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids chosen, in the pool's order, and how their classes stand to the corpus."""

    ids: tuple[str, ...]
    quotas: tuple[Quota, ...]


@dataclass(frozen=True, slots=True)
class _Pool:
    """Items with the same counts are one profile: profiles x classes, how many items each has, and each item's one."""

    counts: Floats
    sizes: NDArray[np.int64]
    profile: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Target:
    """The corpus' shares of one classification, of the classes that the pool has at all, and its columns.

    `labels` is how many labels an item of the pool has on average.
    """

    columns: slice
    shares: Floats
    labels: float

    def distance(self, counts: Floats, items: int) -> Floats:
        """D(corpus||counts) of each row, with shares of at least as many labels as so many items have on average.

        Else items without labels would be taken, since a few labels are easily brought into proportion. An empty class
        costs about 20 nats times its share, not infinitely much.
        """
        own = counts[..., self.columns]
        present = self.shares > 0
        shares = self.shares[present]
        total = np.maximum(own.sum(axis=-1), items * self.labels)
        return np.log(total) + (shares * np.log(shares / np.maximum(own[..., present], _NEARLY_NONE))).sum(axis=-1)


def select(
    pool: Sequence[ItemLabels],
    corpus: Distribution,
    count: int,
    *,
    conventions: Sequence[Convention] = STEERED,
    seed: int = SEED,
) -> Selection:
    """The `count` items of the pool whose distributions lie nearest to the corpus': the sum of the D(corpus||chosen).

    `conventions` are the ways to count by which the distances are taken, one or more. Items are added one by one where
    they help most, then exchanged as long as an exchange helps. Ties are settled by the seed and the ids, so the order
    of the pool does not matter. Raises RequestError for a pool that is too small or has none of the corpus' classes.
    """
    if not 1 <= count <= len(pool):
        raise RequestError(
            f"{count} items cannot be selected from {len(pool)}: a number from 1 to {len(pool)} is needed"
        )
    ordered = sorted(pool, key=lambda item: seed_from(str(seed), item.idx))
    profiles = _profiles(ordered, conventions, seed)
    targets = _targets(corpus, profiles, conventions)
    taken = _exchanged(_added(profiles, targets, count), profiles, targets)
    chosen = {item.idx for item in _first_of_profiles(ordered, profiles.profile, taken)}
    picked = [item for item in pool if item.idx in chosen]
    quotas = [quota for convention in conventions for quota in _quotas(convention, corpus, picked, pool)]
    return Selection(tuple(item.idx for item in picked), tuple(quotas))


def _profiles(items: Sequence[ItemLabels], conventions: Sequence[Convention], seed: int) -> _Pool:
    """The profiles in an order drawn by the seed: of equally good ones the first is taken."""
    rows = [[way.counted(item).count(label) for way in conventions for label in CLASSES[way.kind]] for item in items]
    counts, profile, sizes = np.unique(
        np.array(rows, dtype=np.float64), axis=0, return_inverse=True, return_counts=True
    )
    order = np.random.default_rng(seed).permutation(len(counts))
    return _Pool(counts[order], sizes[order], np.argsort(order)[profile.reshape(-1)])


def _targets(corpus: Distribution, pool: _Pool, conventions: Sequence[Convention]) -> list[_Target]:
    targets, start = [], 0
    for convention in conventions:
        weights = np.array(list(class_counts(corpus, convention.kind).values()), dtype=np.float64)
        columns = slice(start, start + weights.size)
        available = pool.sizes @ pool.counts[:, columns]
        weights[available == 0] = 0
        if not weights.any():
            raise RequestError(
                f"the pool has none of the {convention.kind} that {corpus.name} has: nothing to select by"
            )
        targets.append(_Target(columns, weights / weights.sum(), float(available.sum() / pool.sizes.sum())))
        start += weights.size
    return targets


def _distance(counts: Floats, targets: Sequence[_Target], items: int) -> Floats:
    return np.sum([target.distance(counts, items) for target in targets], axis=0)


def _added(pool: _Pool, targets: Sequence[_Target], count: int) -> NDArray[np.int64]:
    """How many items of each profile: one by one the item that brings the distance lowest."""
    taken, total = np.zeros_like(pool.sizes), np.zeros(pool.counts.shape[1])
    for items in range(1, count + 1):
        distances = np.where(taken < pool.sizes, _distance(total + pool.counts, targets, items), np.inf)
        best = int(np.argmin(distances))
        taken[best] += 1
        total += pool.counts[best]
    return taken


def _exchanged(taken: NDArray[np.int64], pool: _Pool, targets: Sequence[_Target]) -> NDArray[np.int64]:
    """The selection after exchanges of one chosen item for one that is left, each the best for the item that goes."""
    taken, total, items = taken.copy(), taken @ pool.counts, int(taken.sum())
    distance = float(_distance(total, targets, items))
    for _ in range(_ROUNDS):
        before = distance
        for leaving in np.flatnonzero(taken):
            without = total - pool.counts[leaving]
            distances = np.where(taken < pool.sizes, _distance(without + pool.counts, targets, items), np.inf)
            best = int(np.argmin(distances))
            if distances[best] < distance - _LEAST_GAIN:
                taken[leaving] -= 1
                taken[best] += 1
                total, distance = without + pool.counts[best], float(distances[best])
        if distance == before:
            break
    return taken


def _first_of_profiles(
    items: Sequence[ItemLabels], profile: NDArray[np.intp], taken: NDArray[np.int64]
) -> list[ItemLabels]:
    left = taken.copy()
    chosen = []
    for item, number in zip(items, profile, strict=True):
        if left[number]:
            left[number] -= 1
            chosen.append(item)
    return chosen


def _quotas(
    convention: Convention, corpus: Distribution, chosen: Sequence[ItemLabels], pool: Sequence[ItemLabels]
) -> list[Quota]:
    ours, available = (_totals(items, convention) for items in (chosen, pool))
    wanted = largest_remainder(class_counts(corpus, convention.kind), sum(ours.values()))
    return [
        Quota(convention.kind, label, wanted[label], ours[label], available[label])
        for label in CLASSES[convention.kind]
    ]


def _totals(items: Sequence[ItemLabels], convention: Convention) -> Mapping[str, int]:
    counts = dict.fromkeys(CLASSES[convention.kind], 0)
    for item in items:
        for label in convention.counted(item):
            counts[label] += 1
    return counts
