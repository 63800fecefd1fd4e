"""Properties of a dependency tree that is given as the head of each word, 1-based, 0 for the root."""

from __future__ import annotations

from collections.abc import Sequence


def has_cycle(heads: Sequence[int]) -> bool:
    """Whether some word never comes to a root by following heads.

    >>> has_cycle([2, 0]), has_cycle([2, 1])
    (False, True)
    """
    for word in range(1, len(heads) + 1):
        at, steps = word, 0
        while at and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at:
            return True
    return False


def is_projective(heads: Sequence[int]) -> bool:
    """Whether no two arcs cross; an arc to the root counts, drawn to a point before the first word.

    >>> is_projective([2, 3, 0]), is_projective([3, 4, 0, 3])
    (True, False)
    """
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)
