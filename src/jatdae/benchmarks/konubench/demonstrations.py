"""Which solved examples an item sees: drawn from the validation split by the published protocol."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from jatdae.benchmarks.base import Item
from jatdae.errors import RequestError

SEEDS = (1234, 308, 1028)
"""The published few-shot seeds; the reported value is the mean over them."""
SHOTS = (0, 1, 2, 5, 10)
"""The published numbers of examples."""

T = TypeVar("T", bound=Item)


def draw(
    items: Sequence[Item], pool: Sequence[T], shots: int, seed: int, demos: Literal["fixed", "per-item"]
) -> Mapping[str, Sequence[T]]:
    """The examples of every item, by item id. `items` is the whole file in file order, whatever will be asked of it.

    `per-item` is the published way: one generator runs through the file and draws anew for each item. `fixed` draws
    once. An item is never its own example. Raises RequestError when the pool is too small.
    """
    generator = random.Random(seed)  # noqa: S311 - the published generator
    known = {example.id for example in pool}
    overlap = any(item.id in known for item in items)
    available = len(pool) - overlap
    if shots > available:
        raise RequestError(
            f"{shots} examples are wanted and the validation split has {available} that are not the item itself; "
            f"use --shots {available} or fewer"
        )
    if demos == "fixed":
        once = generator.sample(pool, shots + overlap)
        return {item.id: _without(item, once)[:shots] for item in items}
    return {item.id: generator.sample(_without(item, pool) if overlap else pool, shots) for item in items}


def _without(item: Item, pool: Sequence[T]) -> Sequence[T]:
    return [example for example in pool if example.id != item.id]
