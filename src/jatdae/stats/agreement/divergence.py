"""How far two distributions over the same categories lie apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jatdae.stats.clusters import Floats, finite


def kl_divergence(p: Sequence[float], q: Sequence[float], *, pseudocount: float = 0.0, base: float = math.e) -> float:
    """Kullback-Leibler divergence of p from q in nats, or bits with `base=2`; infinite where q lacks what p has.

    Counts or shares in the same order of categories; both are brought to a sum of 1 after `pseudocount` is added to
    every category. A half is the usual choice for counts. Raises ValueError as `js_divergence` does.
    """
    return _divergence(*_shares(p, q, pseudocount)) / math.log(base)


def js_divergence(p: Sequence[float], q: Sequence[float], *, pseudocount: float = 0.0, base: float = math.e) -> float:
    """Jensen-Shannon divergence in nats, or bits with `base=2`; at most the log of 2, and finite with zeros.

    Raises ValueError on lists of different length, negative numbers, or a list of zeros.
    """
    first, second = _shares(p, q, pseudocount)
    middle = (first + second) / 2
    return (_divergence(first, middle) + _divergence(second, middle)) / (2 * math.log(base))


def _shares(p: Sequence[float], q: Sequence[float], pseudocount: float) -> tuple[Floats, Floats]:
    first, second = finite(p, "p") + pseudocount, finite(q, "q") + pseudocount
    if first.size != second.size:
        raise ValueError(f"p and q have {first.size} and {second.size} categories; the same ones are needed")
    if min(first.min(), second.min()) < 0 or not (first.sum() > 0 and second.sum() > 0):
        raise ValueError("p and q: numbers from 0 on are needed, not all of them 0")
    return first / first.sum(), second / second.sum()


def _divergence(p: Floats, q: Floats) -> float:
    present = p > 0
    if (q[present] == 0).any():
        return math.inf
    return max(0.0, float((p[present] * np.log(p[present] / q[present])).sum()))
