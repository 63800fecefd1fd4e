"""In which order a rater sees the units of a set, and which text of a pair stands on the left.

Both are drawn for each rater from the set's seed and the rater's name, so that they are the same after a restart and
need not be stored. Whoever has the seed can draw them again; raters never get it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from jatdae.types import digest

Side = Literal["first", "second"]


def balanced_order(cells: Mapping[str, Sequence[str]], seed: str) -> list[str]:
    """All units in a drawn order whose every beginning has about equally many of each label, and of each cell.

    `cells` maps a unit to its labels, such as who wrote it, its track and its group.
    """
    drawn = {unit: digest("order", seed, unit) for unit in cells}
    waiting: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for unit in sorted(cells, key=drawn.__getitem__, reverse=True):
        waiting[tuple(cells[unit])].append(unit)
    taken: Counter[Hashable] = Counter()
    order: list[str] = []
    while waiting:
        cell = min(waiting, key=lambda cell: (*_counts(taken, cell), drawn[waiting[cell][-1]]))
        order.append(waiting[cell].pop())
        taken.update([cell, *enumerate(cell)])
        if not waiting[cell]:
            del waiting[cell]
    return order


def _counts(taken: Counter[Hashable], cell: tuple[str, ...]) -> list[int]:
    """How often each label was taken, then the cell as a whole."""
    return [*(taken[label] for label in enumerate(cell)), taken[cell]]


def left_side(seed: str, unit: str, rater: str) -> Side:
    """Which of a pair's two texts this rater sees on the left."""
    return "first" if int(digest("side", seed, unit, rater)[:8], 16) % 2 else "second"
