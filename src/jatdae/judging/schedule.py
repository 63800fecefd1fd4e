"""Who is compared with whom, on what. A schedule is a pure function of the seed, the roster and the cases.

The stratified schedule spreads comparisons evenly: over models by tournament days (the circle method, in which everyone
plays once a day and every pair meets before any pair meets again), over strata by quota, over cases by use. The
compatible one spends its budget on the first cases in order, as the published harness does.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count


@dataclass(frozen=True, slots=True)
class Slot:
    """A case that can be played: its key, and the stratum by which shares are kept (track and group)."""

    key: str
    stratum: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two models on one case; `a` comes before `b` in the alphabet."""

    a: str
    b: str
    case: str


def pairing(one: str, other: str, case: str) -> Pairing:
    """A pairing with its models in order."""
    first, second = sorted((one, other))
    return Pairing(first, second, case)


def stratified(
    roster: Sequence[str],
    anchors: Sequence[str],
    slots: Sequence[Slot],
    *,
    seed: int,
    per_model: int,
    anchor_cases: int | None = None,
    play_anchors: bool = True,
    kept: Collection[Pairing] = (),
) -> list[Pairing]:
    """The pairings of a roster. Those in `kept`, of an earlier and smaller roster, stay and count as played.

    Every model that is no anchor meets every anchor on the same `anchor_cases` cases (None: all), and the others
    `per_model` times; with nothing kept, these numbers differ by at most one between models. With `play_anchors`, the
    anchors meet each other on those cases too, which is what fixes the distances between them.
    """
    ordered = _in_proportion(slots, seed)
    chosen = ordered[: len(ordered) if anchor_cases is None else anchor_cases]
    tested = sorted(model for model in roster if model not in anchors)
    pairings = [pairing(model, anchor, slot.key) for slot in chosen for anchor in anchors for model in tested]
    if play_anchors:
        pairings += [pairing(one, other, slot.key) for slot in chosen for one, other in combinations(anchors, 2)]
    among = [old for old in kept if old.a in tested and old.b in tested]
    rounds = _among(tested, ordered, seed=seed, per_model=per_model, kept=among)
    return list(dict.fromkeys([*kept, *pairings, *rounds]))


def _hashed(*parts: object) -> bytes:
    return hashlib.sha256("|".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


def _in_proportion(slots: Sequence[Slot], seed: int) -> list[Slot]:
    """All slots in an order whose every beginning has the strata in proportion, at random within a stratum."""
    waiting: dict[str, list[Slot]] = {}
    for slot in sorted(slots, key=lambda slot: _hashed(seed, slot.key), reverse=True):
        waiting.setdefault(slot.stratum, []).append(slot)
    quota = _Quota({stratum: len(group) for stratum, group in waiting.items()}, seed)
    ordered: list[Slot] = []
    while any(waiting.values()):
        stratum = next(name for name in quota.by_deficit() if waiting[name])
        quota.take(stratum)
        ordered.append(waiting[stratum].pop())
    return ordered


@dataclass(slots=True)
class _Quota:
    """Keeps what is taken of each stratum within one of its share."""

    sizes: dict[str, int]
    seed: int
    taken: Counter[str] = field(default_factory=Counter)

    def by_deficit(self) -> list[str]:
        """The strata, the one that lags most behind its share first."""
        total, upcoming = sum(self.sizes.values()), self.taken.total() + 1

        def deficit(stratum: str) -> float:
            return upcoming * self.sizes[stratum] / total - self.taken[stratum]

        return sorted(self.sizes, key=lambda name: (-round(deficit(name), 9), _hashed(self.seed, name)))

    def take(self, stratum: str) -> None:
        self.taken[stratum] += 1


def _among(
    tested: Sequence[str], slots: Sequence[Slot], *, seed: int, per_model: int, kept: Sequence[Pairing]
) -> Iterator[Pairing]:
    """Games between models that are no anchors, after those kept."""
    games, capacity = Counter[str](), len(slots)
    meetings: dict[tuple[str, str], set[str]] = {pair: set() for pair in combinations(tested, 2)}
    used = Counter(old.case for old in kept)
    quota = _Quota(dict(Counter(slot.stratum for slot in slots)), seed)
    strata = {slot.key: slot.stratum for slot in slots}
    for old in kept:
        games.update((old.a, old.b))
        meetings[old.a, old.b].add(old.case)
        if old.case in strata:
            quota.take(strata[old.case])
    for one, other in _opponents(tested, games, meetings, seed=seed, per_model=per_model, capacity=capacity):
        slot = _next_slot(slots, quota, used, meetings[one, other], seed)
        quota.take(slot.stratum)
        used[slot.key] += 1
        meetings[one, other].add(slot.key)
        games.update((one, other))
        yield Pairing(one, other, slot.key)


def _opponents(
    tested: Sequence[str],
    games: Counter[str],
    meetings: dict[tuple[str, str], set[str]],
    *,
    seed: int,
    per_model: int,
    capacity: int,
) -> Iterator[tuple[str, str]]:
    """Pairs to play next: whole tournaments from a fresh start, then whoever has played least."""
    if not games:
        for day in _days(tested, seed):
            pairs = [pair for pair in day if len(meetings[pair]) < capacity]
            if not pairs or any(games[one] >= per_model or games[other] >= per_model for one, other in pairs):
                break
            yield from pairs
        return
    while True:
        behind = sorted((games[model], _hashed(seed, model), model) for model in tested if games[model] < per_model)
        free = [pair for pair, met in meetings.items() if len(met) < capacity]
        for _, _, model in behind:
            mine = [pair for pair in free if model in pair]
            if mine:
                yield min(mine, key=lambda pair: (len(meetings[pair]), games[pair[0]] + games[pair[1]], pair))
                break
        else:
            return


def _days(tested: Sequence[str], seed: int) -> Iterator[list[tuple[str, str]]]:
    """Days of a round-robin tournament, over and over. With an odd number of models one sits out each day."""
    if len(tested) < 2:
        return
    seats: list[str | None] = sorted(tested, key=lambda model: _hashed(seed, model))
    if len(seats) % 2:
        seats.append(None)
    half = len(seats) // 2
    for _ in count():
        day = zip(seats[:half], reversed(seats[half:]), strict=True)
        yield [tuple(sorted((one, other))) for one, other in day if one is not None and other is not None]  # type: ignore[misc]
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _next_slot(slots: Sequence[Slot], quota: _Quota, used: Counter[str], met: set[str], seed: int) -> Slot:
    """The least used case, new to the pair, of the stratum that lags most."""
    for stratum in quota.by_deficit():
        free = [slot for slot in slots if slot.stratum == stratum and slot.key not in met]
        if free:
            return min(free, key=lambda slot: (used[slot.key], _hashed(seed, "slot", slot.key)))
    raise ValueError("every case has been played by this pair")


def compatible(
    roster: Sequence[str],
    anchors: Sequence[str],
    keys: Sequence[str],
    *,
    per_model: int,
    anchor_cases: int | None = None,
) -> list[Pairing]:
    """The published harness's schedule: `keys` in sorted order, each with all pairs of models while both have budget.

    Anchors do not meet each other; `anchor_cases` are taken by even stride. Most of the budget goes to the first keys.
    """
    tested = [model for model in roster if model not in anchors]
    number = len(keys) if anchor_cases is None else min(anchor_cases, len(keys))
    strided = [keys[index * len(keys) // number] for index in range(number)]
    pairings = [pairing(model, anchor, key) for model in tested for anchor in anchors for key in strided]
    left = dict.fromkeys(tested, per_model)
    for key in keys:
        for one, other in combinations(tested, 2):
            if left[one] and left[other]:
                left[one] -= 1
                left[other] -= 1
                pairings.append(pairing(one, other, key))
    return list(dict.fromkeys(pairings))
