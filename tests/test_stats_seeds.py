"""Items crossed with few-shot seeds."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jatdae.stats import crossed_seeds, mean, proportion, seed_spread, wilson

pytestmark = pytest.mark.filterwarnings("error")

SEEDS_DIFFER = [[1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
SEEDS_ALIKE = [[1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 1, 0], [1, 1, 1]]

tables = st.tuples(st.integers(2, 12), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0]))
)


def anova(table: np.ndarray) -> tuple[float, float, float]:
    """Mean squares of items, seeds and the rest, written out as sums of squares over all cells."""
    n, k = table.shape
    total = ((table - table.mean()) ** 2).sum()
    items = k * sum((row.mean() - table.mean()) ** 2 for row in table)
    seeds = n * sum((column.mean() - table.mean()) ** 2 for column in table.T)
    return items / (n - 1), seeds / (k - 1), (total - items - seeds) / ((n - 1) * (k - 1))


def test_the_known_tables_have_the_known_digits() -> None:
    assert anova(np.array(SEEDS_DIFFER, float)) == pytest.approx((0.2222222222, 0.7222222222, 0.1888888889), abs=5e-11)
    assert mean(np.mean(SEEDS_DIFFER, axis=1)).stderr == pytest.approx(0.1111111111, abs=5e-11)
    assert crossed_seeds(SEEDS_DIFFER).stderr == pytest.approx(0.2048787657, abs=5e-11)
    assert crossed_seeds(SEEDS_ALIKE).stderr == pytest.approx(0.1590869007, abs=5e-11)


@given(tables)
def test_the_error_is_that_of_the_two_way_anova(table: np.ndarray) -> None:
    items, seeds, rest = anova(table)
    expected = math.sqrt(max(0.0, items, items + seeds - rest) / table.size)
    assert crossed_seeds(table).stderr == pytest.approx(expected, abs=1e-7)


@given(tables, st.randoms(use_true_random=False))
def test_order_of_items_and_seeds_and_names_of_clusters_do_not_matter(table: np.ndarray, random) -> None:
    n, k = table.shape
    rows, columns = random.sample(range(n), n), random.sample(range(k), k)
    clusters = [random.randrange(3) for _ in range(n)]
    first = crossed_seeds(table, clusters)
    second = crossed_seeds(table[rows][:, columns], [f"지문 {clusters[row]}" for row in rows])
    assert first.value == pytest.approx(second.value)
    for ours, theirs in zip(astuple(first)[1:4], astuple(second)[1:4], strict=True):
        assert (ours is None) == (theirs is None)
    if first.stderr and second.stderr and first.stderr > 1e-7:
        assert first.stderr == pytest.approx(second.stderr, abs=1e-7)


@given(tables)
def test_the_interval_holds_the_value_within_the_unit(table: np.ndarray) -> None:
    estimate = crossed_seeds(table)
    assert estimate.low is not None and estimate.high is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(tables)
def test_a_row_a_cluster_is_the_plain_formula(table: np.ndarray) -> None:
    plain, clustered = crossed_seeds(table), crossed_seeds(table, list(range(len(table))))
    assert astuple(plain)[:5] == astuple(clustered)[:5]
    assert clustered.clusters == len(table)


def test_one_seed_is_the_plain_estimate() -> None:
    column = np.array([1, 0, 1, 1, 0, 1.0])
    assert crossed_seeds(column[:, None]) == proportion(column)
    assert crossed_seeds(column[:, None] * 0.5) == mean(column * 0.5)
    assert crossed_seeds(column[:, None], list("aabbcc")) == proportion(column, list("aabbcc"))


@given(st.lists(st.integers(0, 1), min_size=2, max_size=30), st.integers(2, 5))
def test_asking_again_with_the_same_answers_adds_no_items(scores: list[int], k: int) -> None:
    repeated, once = crossed_seeds(np.repeat(np.array(scores)[:, None], k, axis=1)), proportion(scores)
    assert astuple(repeated)[:4] == pytest.approx(astuple(once)[:4], abs=1e-9)
    assert repeated.n == len(scores)


def test_equal_rows_in_a_cluster_count_once() -> None:
    # Given each of 60 rows twice, when clustered by origin, then the error is that of the 60.
    random = np.random.default_rng(4)
    table = (random.random((60, 3)) < random.random((60, 1))).astype(float)
    doubled, clusters = np.repeat(table, 2, axis=0), np.repeat(np.arange(60), 2)
    once, twice, ignoring = crossed_seeds(table), crossed_seeds(doubled, clusters), crossed_seeds(doubled)
    assert once.stderr is not None and ignoring.stderr is not None
    assert twice.stderr == pytest.approx(once.stderr, rel=1e-9)
    assert ignoring.stderr < 0.9 * once.stderr
    assert (twice.n, twice.clusters) == (120, 60)


def test_clusters_that_look_alike_do_not_narrow_the_interval() -> None:
    # Given 40 origins, each with one row all right and one all wrong, then their likeness is not taken for precision.
    table, clusters = np.tile([[1, 1, 1], [0, 0, 0]], (40, 1)), np.repeat(np.arange(40), 2)
    plain, clustered = crossed_seeds(table), crossed_seeds(table, clusters)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high))
    assert (plain.low, plain.high) == pytest.approx(wilson(40, 80))


def test_clusters_of_differing_size_keep_the_mean_over_rows() -> None:
    assert crossed_seeds([[1, 1], [1, 1], [0, 0]], list("aab")).value == pytest.approx(2 / 3)


def test_what_cannot_be_known_is_none() -> None:
    assert astuple(crossed_seeds([[1, 0, 1]]))[1:4] == (None, None, None)
    assert astuple(crossed_seeds([[1, 0], [0, 1]], ["a", "a"]))[1:4] == (None, None, None)
    assert astuple(crossed_seeds([[0.5, 0.5], [0.5, 0.5]]))[1:4] == (None, None, None)
    everything = crossed_seeds(np.ones((20, 3)))
    assert (everything.low, everything.high) == wilson(20, 20)


def test_the_spread_of_seeds_is_shown_beside() -> None:
    means, deviation = seed_spread(SEEDS_DIFFER)
    assert means == pytest.approx((4 / 6, 5 / 6, 1 / 6))
    assert deviation == pytest.approx(np.std([4 / 6, 5 / 6, 1 / 6], ddof=1))
    assert seed_spread([[1], [0]]) == ((0.5,), None)


def test_unusable_tables_are_refused() -> None:
    for function in (crossed_seeds, seed_spread):
        with pytest.raises(ValueError, match="empty"):
            function(np.empty((0, 3)))
        with pytest.raises(ValueError, match="2 dimension"):
            function(np.array([1, 0, 1]))
        with pytest.raises(ValueError, match=r"position \(1, 0\)"):
            function([[1, 0], [math.nan, 1]])


def test_the_interval_covers_when_seeds_matter() -> None:
    # Given 200 items, three seeds and a real effect of the seed, then about 95 % of the intervals hold the truth.
    random = np.random.default_rng(77)
    truth = float(np.mean(1 / (1 + np.exp(-0.5 - math.hypot(2, 0.2) * random.standard_normal(400_000)))))
    held = 0
    for _ in range(1000):
        pull = 0.5 + 2 * random.standard_normal((200, 1)) + 0.2 * random.standard_normal((1, 3))
        estimate = crossed_seeds((random.random((200, 3)) < 1 / (1 + np.exp(-pull))).astype(float))
        assert estimate.low is not None and estimate.high is not None
        held += estimate.low <= truth <= estimate.high
    assert 0.92 <= held / 1000 <= 0.975
