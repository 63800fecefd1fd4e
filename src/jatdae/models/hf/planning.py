"""Which token is computed in which forward pass: each distinct one once, as far as a budget allows. No torch here.

Sequences are sorted by their ids, so that what they share stands side by side: the sorted list is the depth-first
order of their trie. A `Pack` is a stretch of that list whose trie fits the budget; what several packs share is a
`prefix` that the executor keeps in the key-value cache. Packs come in depth-first order too, so the cache only grows
and shrinks at its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
"""Token ids. Four bytes each: the prompts of a whole benchmark are held at once."""
Ints = npt.NDArray[np.int64]

SORTED_PIECE = 64
"""Ids that are compared at once in sorting."""
CACHE_GAIN = 32
"""A further forward pass for a shared prefix must save at least so many tokens: about what a pass costs by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Token ids to feed, and what to read: after position `row`, the log-probability of `target`, for each pair."""

    ids: Ids
    pairs: tuple[tuple[int, int], ...]

    @property
    def first_row(self) -> int:
        """The first position whose output is read; it and all after it must be in a pack, not in the cache."""
        return min(row for row, _ in self.pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """One forward pass: `members` index the works, in sorted order; all share `prefix`, which is in the cache."""

    prefix: Ids
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A pack as arrays. Nodes stand in depth-first order; `paths[k]` holds the nodes of member k after the prefix.

    `branches` are the stretches (first node, one past the last) that a member adds to those before it: chains.
    """

    tokens: Ints
    positions: Ints
    allowed: npt.NDArray[np.bool_]
    paths: tuple[Ints, ...]
    branches: tuple[tuple[int, int], ...]


def token_ids(ids: Sequence[int]) -> Ids:
    """Ids in their compact form."""
    return np.asarray(ids, dtype=np.int32)


def sort_key(ids: Ids) -> bytes:
    """Big-endian bytes compare as the ids do, and much faster than lists that share a thousand ids."""
    return ids.astype(">u4").tobytes()


def trie_order(sequences: Sequence[Ids]) -> list[int]:
    """Places of the sequences in the order of their ids, a shorter one before those that go on from it.

    Sorted by a piece after what a group shares, and so on within groups that share the piece: whole sort keys would
    take the memory of all prompts once more.
    """
    order: list[int] = []
    waiting: list[list[int]] = [list(range(len(sequences)))] if sequences else []
    while waiting:
        group = waiting.pop()
        first = sequences[group[0]]
        start = min(common_length(first, sequences[place]) for place in group)
        keys = {place: sort_key(sequences[place][start : start + SORTED_PIECE]) for place in group}
        if len(group) == 1 or not any(keys.values()):
            order.extend(group)
            continue
        alike = itertools.groupby(sorted(group, key=keys.__getitem__), key=keys.__getitem__)
        waiting.extend(reversed([list(places) for _, places in alike]))
    return order


def common_length(a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> int:
    """How many leading ids two sequences share."""
    n = min(len(a), len(b))
    differs = a[:n] != b[:n]
    where = int(differs.argmax()) if n else 0
    return where if n and differs[where] else n


class _SortedWorks:
    """The works in trie order, with running sums that give the size of any stretch at once."""

    def __init__(self, works: Sequence[Work]) -> None:
        arrays = [work.ids for work in works]
        self.order = trie_order(arrays)
        self.works = works
        self.length = np.array([len(arrays[i]) for i in self.order], dtype=np.int64)
        self.first = np.array([works[i].first_row for i in self.order], dtype=np.int64)
        pairs = itertools.pairwise(self.order)
        self.shared = np.array([0, *(common_length(arrays[a], arrays[b]) for a, b in pairs)], dtype=np.int64)
        self.tokens_before = np.concatenate(([0], np.cumsum(self.length - self.shared)))
        self.rows_before = np.concatenate(([0], np.cumsum(self.length - np.maximum(self.first, self.shared))))

    def tokens(self, lo: int, hi: int, cached: int) -> int:
        """Distinct tokens of the stretch beyond the cached ones."""
        return int(self.length[lo] - cached + self.tokens_before[hi] - self.tokens_before[lo + 1])

    def rows(self, lo: int, hi: int) -> int:
        """Positions whose output is read."""
        return int(self.length[lo] - self.first[lo] + self.rows_before[hi] - self.rows_before[lo + 1])

    def branches(self, lo: int, hi: int) -> list[tuple[int, int]]:
        """The stretches below the node where this one first divides."""
        inner = self.shared[lo + 1 : hi]
        cuts = lo + 1 + np.flatnonzero(inner == inner.min())
        edges = [lo, *cuts.tolist(), hi]
        return list(itertools.pairwise(edges))

    def pack(self, lo: int, hi: int, cached: int) -> Pack:
        return Pack(self.works[self.order[lo]].ids[:cached], tuple(self.order[lo:hi]))


def plan(works: Sequence[Work], *, budget: int, row_limit: int) -> list[Pack]:
    """Divide works into packs of at most `budget` distinct tokens and `row_limit` outputs.

    A single work that is larger still becomes a pack by itself. Ids of the works must differ from each other.
    """
    if not works:
        return []
    ordered = _SortedWorks(works)

    def fits(lo: int, hi: int, cached: int) -> bool:
        return ordered.tokens(lo, hi, cached) <= budget and ordered.rows(lo, hi) <= row_limit

    packs: list[Pack] = []
    waiting = [(0, len(works), 0)]
    while waiting:
        lo, hi, cached = waiting.pop()
        if not fits(lo, hi, cached):
            cached = _cached_prefix(ordered, lo, hi, cached, budget)
        if hi - lo == 1 or fits(lo, hi, cached):
            packs.append(ordered.pack(lo, hi, cached))
            continue
        stretches = _join(ordered.branches(lo, hi), lambda a, b, depth=cached: fits(a, b, depth))
        waiting.extend((a, b, cached) for a, b in reversed(stretches))
    return packs


def _cached_prefix(ordered: _SortedWorks, lo: int, hi: int, cached: int, budget: int) -> int:
    """How far to fill the cache before this stretch is divided: to where it branches, if that saves enough.

    Without it the stretch would take two passes or more, each with the shared beginning.
    """
    branch = int(ordered.shared[lo + 1 : hi].min()) if hi - lo > 1 else int(ordered.length[lo])
    reachable = min(branch, int(ordered.first[lo:hi].min()))
    passes = -(-ordered.tokens(lo, hi, reachable) // budget) if reachable > cached else 1
    saved = (reachable - cached) * max(passes - 1, 1)
    return reachable if saved >= CACHE_GAIN else cached


def _join(branches: list[tuple[int, int]], fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Put neighbouring branches together as long as they fit in one pass."""
    joined = [branches[0]]
    for lo, hi in branches[1:]:
        start = joined[-1][0]
        if fits(start, hi):
            joined[-1] = (start, hi)
        else:
            joined.append((lo, hi))
    return joined


def grow_tree(sequences: Sequence[Ids], cached: int) -> Tree:
    """The trie of sorted sequences beyond their first `cached` ids.

    `allowed[q, k]` says that node q sees node k: itself and its ancestors. Positions count from the sequence's start.
    """
    tokens: list[Ids] = []
    positions: list[Ints] = []
    paths: list[Ints] = []
    blocks: list[tuple[int, int, Ints]] = []
    previous, path, size = token_ids(()), np.zeros(0, np.int64), 0
    for sequence in sequences:
        ids = sequence[cached:]
        shared = common_length(previous, ids)
        fresh = len(ids) - shared
        ancestors = path[:shared]
        path = np.concatenate((ancestors, np.arange(size, size + fresh)))
        blocks.append((size, size + fresh, ancestors))
        tokens.append(ids[shared:])
        positions.append(np.arange(cached + shared, cached + len(ids)))
        paths.append(path)
        previous, size = ids, size + fresh
    allowed = np.zeros((size, size), dtype=np.bool_)
    for start, end, ancestors in blocks:
        allowed[start:end, ancestors] = True
        allowed[start:end, start:end] = np.tri(end - start, dtype=np.bool_)
    branches = tuple((start, end) for start, end, _ in blocks if end > start)
    return Tree(np.concatenate(tokens).astype(np.int64), np.concatenate(positions), allowed, tuple(paths), branches)


def plan_padded(works: Sequence[Work], *, budget: int) -> list[Pack]:
    """Batches of similar length without any sharing, longest first: the plain way, for models that allow no other."""
    order = sorted(range(len(works)), key=lambda i: (-len(works[i].ids), sort_key(works[i].ids)))
    batches: list[list[int]] = []
    for index in order:
        longest = len(works[batches[-1][0]].ids) if batches else 0
        if batches and longest * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(index)
        else:
            batches.append([index])
    return [Pack(token_ids(()), tuple(batch)) for batch in batches]
