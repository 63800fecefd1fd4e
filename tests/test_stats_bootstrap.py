"""The cluster bootstrap and the seeds that it takes."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import astuple
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.stats import cluster_bootstrap, mean, seed_from

pytestmark = pytest.mark.filterwarnings("error")

labelled = st.lists(st.tuples(st.floats(-5, 5, allow_subnormal=False), st.integers(0, 5)), min_size=2, max_size=25)


def average(rows: np.ndarray) -> float:
    return float(rows.mean())


def correlation(rows: np.ndarray) -> float:
    return float(np.asarray(np.corrcoef(rows.T))[0, 1])


def test_a_seed_is_the_head_of_the_hash_of_its_parts() -> None:
    expected = int(hashlib.sha256("모음|정확도|가|나|7".encode()).hexdigest()[:16], 16)
    assert seed_from("모음", "정확도", "가", "나", "7") == expected
    assert 0 <= seed_from() < 2**64


@pytest.mark.parametrize("statistic", [None, average])
def test_the_draws_follow_the_exact_bootstrap_distribution(statistic) -> None:
    # Given [1, 0, -1], all 27 resamples are known: variance of the mean 2/9, and each share of the sums.
    sums = Counter(sum(sample) for sample in product([1, 0, -1], repeat=3))
    assert [sums[total] for total in range(-3, 4)] == [1, 3, 6, 7, 6, 3, 1]
    estimate = cluster_bootstrap([1, 0, -1], statistic=statistic, draws=30_000, seed=5)
    assert estimate.value == 0
    assert estimate.stderr == pytest.approx(math.sqrt(2 / 9), rel=0.02)
    assert (estimate.low, estimate.high) == (-1, 1)


def test_whole_clusters_are_drawn() -> None:
    # Given two clusters of sizes 3 and 1, the mean of a resample is 1, 0 or 3/4, in 1, 1 and 2 of 4 cases.
    estimate = cluster_bootstrap([1, 1, 1, 0], list("aaab"), draws=30_000, seed=8)
    expected = np.std([1, 0, 0.75, 0.75])
    assert estimate.stderr == pytest.approx(expected, rel=0.02)
    assert (estimate.clusters, estimate.n) == (2, 4)


def test_the_two_ways_to_a_mean_agree() -> None:
    random = np.random.default_rng(1)
    clusters = np.repeat(np.arange(80), 4)
    for values in (random.random(320), random.integers(0, 2, 320)):
        fast = cluster_bootstrap(values, clusters, draws=4000, seed=2)
        slow = cluster_bootstrap(values, clusters, average, 4000, seed=3)
        formula = mean(values, clusters)
        assert fast.value == slow.value == formula.value
        assert fast.stderr == pytest.approx(slow.stderr, rel=0.06)
        assert fast.stderr == pytest.approx(formula.stderr, rel=0.06)


@settings(max_examples=60)
@given(labelled, st.randoms(use_true_random=False))
def test_neither_order_nor_cluster_names_reach_the_draws(case: list[tuple[float, int]], random) -> None:
    shuffled = random.sample(case, len(case))
    for statistic in (None, lambda rows: float(np.median(rows))):
        first = cluster_bootstrap([value for value, _ in case], [label for _, label in case], statistic, 40, seed=9)
        second = cluster_bootstrap(
            [value for value, _ in shuffled], [f"문서 {9 - label}" for _, label in shuffled], statistic, 40, seed=9
        )
        for ours, theirs in zip(astuple(first)[:4], astuple(second)[:4], strict=True):
            assert (ours is None) == (theirs is None)
            assert ours is None or ours == pytest.approx(theirs, abs=1e-9)


def test_slices_of_memory_hold_all_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given room for few counts at once, then the interval is still made of all the draws.
    monkeypatch.setattr("jatdae.stats.bootstrap.CELLS", 700)
    estimate = cluster_bootstrap(np.linspace(0, 1, 200), draws=2001, seed=1)
    assert estimate.stderr == pytest.approx(mean(np.linspace(0, 1, 200)).stderr, rel=0.06)


def test_a_statistic_may_read_several_columns() -> None:
    random = np.random.default_rng(6)
    gold = random.standard_normal(200)
    pairs = np.stack([gold, gold + random.standard_normal(200)], axis=1)
    estimate = cluster_bootstrap(pairs, None, correlation, 1000, seed=4)
    assert estimate.value == pytest.approx(correlation(pairs))
    assert estimate.stderr == pytest.approx((1 - estimate.value**2) / math.sqrt(200), rel=0.25)


def test_rows_of_text_can_be_resampled() -> None:
    words = np.array(["눈", "비", "눈", "해", "눈", "비"])
    estimate = cluster_bootstrap(words, list("aabbcc"), lambda rows: float((rows == "눈").mean()), 200, seed=1)
    assert estimate.value == 0.5


def test_undefined_resamples_are_counted_and_many_leave_no_interval() -> None:
    def share_of_positives(rows: np.ndarray) -> float:
        return float(rows.mean()) if rows.any() else math.nan

    few = cluster_bootstrap([1, 1, 0, 0, 0, 1], None, share_of_positives, 2000, seed=1)
    assert few.stderr is not None and "undefined" in few.method
    many = cluster_bootstrap([1, 0, 0, 0, 0, 0], None, share_of_positives, 2000, seed=1)
    assert astuple(many)[1:4] == (None, None, None)
    assert "too many undefined" in many.method
    with pytest.raises(ValueError, match="on the 2 items"):
        cluster_bootstrap([0, 0], None, share_of_positives, 10, seed=1)


def test_what_cannot_vary_has_no_interval() -> None:
    for values, clusters in (
        ([1, 0], ["a", "a"]),
        ([1], None),
        ([1, 1, 1], None),
        ([0.1, 0.2, 0.2, 0.1], list("aabb")),
    ):
        assert astuple(cluster_bootstrap(values, clusters, draws=50, seed=1))[1:4] == (None, None, None)


def test_unusable_input_is_refused() -> None:
    for statistic in (None, average):
        with pytest.raises(ValueError, match="empty"):
            cluster_bootstrap([], statistic=statistic, seed=1)
        with pytest.raises(ValueError, match="labels"):
            cluster_bootstrap([1, 0], ["a"], statistic, seed=1)
    with pytest.raises(ValueError, match="draws: 1"):
        cluster_bootstrap([1, 0], draws=1, seed=1)
