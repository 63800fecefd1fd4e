"""How items are divided: a seeded permutation of the table, with the items of the human evaluation at the test's end.

Source: the released KoNUBench, whose order this reproduces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from jatdae.errors import RequestError
from jatdae.negation.alignment import largest_remainder
from jatdae.negation.construction.item import table_order

SPLITS = ("train", "val", "test")
SEED = 42


def split_items(
    ids: Iterable[str], held_out: Iterable[str], sizes: Mapping[str, int], seed: int = SEED
) -> dict[str, list[str]]:
    """The ids of each split in release order.

    `ids` are all items; those in `held_out` are left out of the permutation and end the test split in table order.
    `sizes` gives the number of items by split, the test's with the held-out ones. Raises RequestError where ids stand
    twice, held-out ids are unknown, or the sizes do not fit.
    """
    import numpy as np

    table = sorted(ids, key=table_order)
    held = set(held_out)
    _check(table, held, sizes)
    rest = [idx for idx in table if idx not in held]
    # The legacy generator (MT19937) is that of the release.
    order = np.random.RandomState(seed).permutation(len(rest))
    permuted = [rest[place] for place in order]
    train, val = sizes["train"], sizes["val"]
    test = [*permuted[train + val :], *(idx for idx in table if idx in held)]
    return {"train": permuted[:train], "val": permuted[train : train + val], "test": test}


def _check(table: Sequence[str], held: set[str], sizes: Mapping[str, int]) -> None:
    if len(set(table)) != len(table):
        twice = next(first for first, second in pairwise(table) if first == second)
        raise RequestError(f"id {twice} stands twice among the items to split")
    if unknown := sorted(held - set(table)):
        raise RequestError(f"{unknown[0]} is held out for people and is not among the items")
    if sorted(sizes) != sorted(SPLITS) or min(sizes.values()) < 0 or sum(sizes.values()) != len(table):
        told = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise RequestError(f"sizes of splits ({told}): they have to name {', '.join(SPLITS)} and sum to {len(table)}")
    if sizes["test"] < len(held):
        raise RequestError(f"{len(held)} items are held out for people and the test split has {sizes['test']}")


def split_sizes(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Whole numbers of items for the splits' shares. Raises RequestError where a share above 0 comes to no item."""
    sizes = largest_remainder(shares, total)
    for name, share in shares.items():
        if share > 0 and not sizes[name]:
            raise RequestError(f"{total} items are too few: split {name} would be empty; verify more, or change shares")
    return sizes


def choose_held_out(ids: Iterable[str], count: int, seed: int = SEED) -> list[str]:
    """Ids for the human evaluation, in table order; a draw of its own, so that it leaves the permutation alone."""
    import numpy as np

    table = sorted(ids, key=table_order)
    places = np.random.default_rng([seed, 1]).permutation(len(table))[:count]
    return [table[place] for place in sorted(places)]
