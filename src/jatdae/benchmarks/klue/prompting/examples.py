"""Which solved examples a prompt shows: in an order that takes turns among the kinds, by a generator of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from jatdae.benchmarks.klue.records import Record

R = TypeVar("R", bound=Record)


def pools_by_kind(records: Sequence[R], kind: Callable[[R], str]) -> list[list[R]]:
    """The records of each kind; kinds by name and records by identifier, so that the file's order does not matter."""
    pools: dict[str, list[R]] = {}
    for record in sorted(records, key=lambda record: record.guid):
        pools.setdefault(kind(record), []).append(record)
    return [pools[name] for name in sorted(pools)]


def balanced(pools: Sequence[Sequence[R]], generator: Random) -> Iterator[R]:
    """All records, one of each kind in turn while it has some; both orders are the generator's."""
    turns = [_shuffled(pool, generator) for pool in pools]
    generator.shuffle(turns)
    while turns:
        left = []
        for turn in turns:
            record = next(turn, None)
            if record is not None:
                left.append(turn)
                yield record
        turns = left


def _shuffled(pool: Sequence[R], generator: Random) -> Iterator[R]:
    """A random order, drawn as far as it is read: what has changed places is kept aside."""
    moved: dict[int, int] = {}
    for place in range(len(pool)):
        other = generator.randrange(place, len(pool))
        yield pool[moved.get(other, other)]
        moved[other] = moved.get(place, place)
