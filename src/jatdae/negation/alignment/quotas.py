"""How many of each class: whole-number quotas, and what to write next so that a benchmark comes nearest to a corpus."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass

from jatdae.errors import RequestError
from jatdae.negation.alignment.comparison import class_counts, present_counts
from jatdae.negation.alignment.conventions import CLASSES
from jatdae.negation.distribution import Distribution

NEXT = 100
"""How many negations are planned ahead."""


@dataclass(frozen=True, slots=True)
class NextItems:
    """What the next negations should be: by type, by clause, and by (type, clause); each sums to the same number."""

    types: Mapping[str, int]
    clauses: Mapping[str, int]
    cells: Mapping[tuple[str, str], int]


def next_items(benchmark: Distribution, corpus: Distribution, count: int = NEXT) -> NextItems:
    """The `count` negations to write next; no others bring D(corpus||benchmark) lower, in types and in clauses.

    How types and clauses go together cannot be seen in their margins, so they are combined as if independent.
    Raises RequestError for a count below 1 and a corpus without counts. The benchmark may be empty.
    """
    if count < 1:
        raise RequestError(f"{count} negations to write: at least 1 is needed")
    types, clauses = (_nearest(class_counts(corpus, kind), present_counts(benchmark, kind), count) for kind in CLASSES)
    return NextItems(types, clauses, combined(types, clauses))


def _nearest(target: Mapping[str, int], present: Mapping[str, int], count: int) -> dict[str, int]:
    """Additions that bring D(target||present + additions) lowest.

    The total is fixed, so this is the sum of p ln(c) at its highest: a separable concave sum, for which taking the
    largest gain one by one is optimal. A class that is still empty comes first, the commonest before others.
    """
    order = {label: index for index, label in enumerate(target)}
    wanted = {label: weight for label, weight in target.items() if weight > 0}
    queue = [(-_gain(weight, present[label]), -weight, order[label], label) for label, weight in wanted.items()]
    heapq.heapify(queue)
    added = dict.fromkeys(target, 0)
    for _ in range(count):
        label = queue[0][3]
        added[label] += 1
        gain = _gain(wanted[label], present[label] + added[label])
        heapq.heapreplace(queue, (-gain, -wanted[label], order[label], label))
    return added


def _gain(weight: float, count: int) -> float:
    return weight * math.log1p(1 / count) if count else math.inf


def largest_remainder(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Whole numbers in proportion to the shares that sum to `total`; of equal remainders the first label has it."""
    scale = total / sum(shares.values())
    quotas = {label: math.floor(share * scale) for label, share in shares.items()}
    rest = sorted(shares, key=lambda label: quotas[label] - shares[label] * scale)
    for label in rest[: total - sum(quotas.values())]:
        quotas[label] += 1
    return quotas


def combined(rows: Mapping[str, int], columns: Mapping[str, int]) -> dict[tuple[str, str], int]:
    """A table of whole numbers with these margins, nearest to independence; both must have one sum, above 0.

    Cells are the products of the margins rounded down; what is missing goes to the cells with the largest remainders
    whose row and column still lack something.
    """
    total = sum(rows.values())
    exact = {(row, column): rows[row] * columns[column] / total for row in rows for column in columns}
    cells = {cell: math.floor(value) for cell, value in exact.items()}
    lacking_row = {row: rows[row] - sum(cells[row, column] for column in columns) for row in rows}
    lacking_column = {column: columns[column] - sum(cells[row, column] for row in rows) for column in columns}
    by_remainder = sorted(exact, key=lambda cell: cells[cell] - exact[cell])
    for most in (1, total):
        for row, column in by_remainder:
            more = min(lacking_row[row], lacking_column[column], most)
            cells[row, column] += more
            lacking_row[row] -= more
            lacking_column[column] -= more
    return cells
