"""From samples to estimates: failed items, clusters and seeds."""

from __future__ import annotations

import numpy as np
import pytest

from jatdae.benchmarks.aggregation import estimate, per_seed
from jatdae.stats import crossed_seeds, proportion
from jatdae.types import Outcome, Sample


def sample(item: str, value: float | None, seed: int = 1, cluster: str = "") -> Sample:
    scores = {} if value is None else {"acc": value}
    return Sample(
        item, Outcome.FAILED if value is None else Outcome.RIGHT, "A", "A", scores, cluster=cluster, seed=seed
    )


def test_a_failed_item_is_left_out_and_never_a_zero() -> None:
    measured = estimate([sample("a", 1.0), sample("b", 1.0), sample("c", None)], "acc")

    assert (measured.value, measured.n) == (1.0, 2)
    with pytest.raises(ValueError, match="every item failed"):
        estimate([sample("c", None)], "acc")


def test_clusters_are_used_as_soon_as_one_item_names_one() -> None:
    samples = [sample(str(i), float(i % 3 == 0), cluster=str(i // 2)) for i in range(40)]

    assert estimate(samples, "acc") == proportion([s.scores["acc"] for s in samples], [s.cluster for s in samples])


def test_several_seeds_are_crossed_with_items_in_whatever_order_they_come() -> None:
    table = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    samples = [sample(str(i), float(table[i, k]), seed=k) for k in range(3) for i in range(4)]

    assert estimate(samples, "acc") == crossed_seeds(table)
    assert estimate(samples[::-1], "acc").value == pytest.approx(0.5)
    assert [found.value for found in per_seed(samples, "acc").values()] == [0.5, 0.75, 0.25]


def test_an_item_that_failed_under_one_seed_leaves_the_table() -> None:
    samples = [sample("a", 1.0, 1), sample("a", 1.0, 2), sample("b", 0.0, 1), sample("b", None, 2)]
    samples += [sample("c", 0.0, 1), sample("c", 1.0, 2)]

    assert estimate(samples, "acc").n == 2


def test_an_item_that_comes_twice_under_one_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' has two samples under seed 1"):
        estimate([sample("a", 1.0), sample("a", 0.0)], "acc")
