"""Means and proportions: values from outside, what must not matter, and what is said when nothing can be said."""

from __future__ import annotations

import math
import warnings
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import jatdae.stats
from jatdae.stats import consistency, mean, paired_difference, proportion, wilson
from jatdae.stats.clusters import cluster_codes, cluster_stderr, finite, stderr
from jatdae.types import Estimate

pytestmark = pytest.mark.filterwarnings("error")

V2_SCORES = [1, 0, 1, 1, 0, 1, 1, 1]
V2_CLUSTERS = list("aaabbccc")

labelled = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=60)
fractions = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=40)


def numbers(estimate: Estimate) -> list[float]:
    """The estimate's numbers, with NaN for what is missing, to compare two of them."""
    shown = (estimate.value, estimate.stderr, estimate.low, estimate.high, estimate.n, estimate.clusters)
    return [math.nan if number is None else number for number in shown]


def same(first: Estimate, second: Estimate) -> bool:
    return numbers(first) == pytest.approx(numbers(second), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0, 0.2775327999),
        (3, 5, 0.2307242813, 0.8823792258),
        (8, 10, 0.4901624715, 0.9433178485),
        (10, 10, 0.7224672001, 1),
        (731, 1284, 0.5420629585, 0.5961528123),
        (9, 14, 0.3876442310, 0.8365526825),
    ],
)
def test_wilson_gives_the_published_digits(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-11)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_equals_scipy_at_any_confidence(case: tuple[int, int], confidence: float) -> None:
    successes, n = case
    theirs = scipy_stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_touches_0_and_1_exactly_where_all_items_agree() -> None:
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5), (math.nan, 5), (1, math.nan), (1, math.inf)])
def test_wilson_refuses_impossible_counts(successes: float, n: float) -> None:
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        wilson(successes, n)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_wilson_refuses_a_confidence_that_is_no_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence)


def test_standard_errors_of_the_small_clustered_example() -> None:
    # Given eight items in three clusters, when their errors are computed, then they have the known digits.
    scores, codes = finite(V2_SCORES), cluster_codes(V2_CLUSTERS, 8)
    assert stderr(scores) == pytest.approx(0.1636634177, abs=5e-11)
    assert cluster_stderr(scores, codes) == pytest.approx(0.1432054905, abs=5e-11)


@given(labelled)
def test_the_cluster_error_equals_the_double_sum_over_pairs(case: list[tuple[int, int]]) -> None:
    # The same variance written as the sum of residual products over all pairs of items that share a cluster.
    scores, labels = np.array([score for score, _ in case], float), [label for _, label in case]
    count, left = len(set(labels)), scores - scores.mean()
    pairs = sum(left[i] * left[j] for i in range(len(case)) for j in range(len(case)) if labels[i] == labels[j])
    ours = cluster_stderr(scores, cluster_codes(labels, len(labels)))
    if count == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(math.sqrt(max(0.0, count / (count - 1) * pairs)) / len(case), abs=1e-7)


def test_few_clusters_that_look_alike_do_not_shrink_the_error() -> None:
    # Given three clusters whose error is below the plain one, then the plain one is shown, with a t quantile.
    estimate = proportion(V2_SCORES, V2_CLUSTERS)
    assert estimate.stderr == pytest.approx(0.1636634177, abs=5e-11)
    assert (estimate.n, estimate.clusters) == (8, 3)
    t = scipy_stats.t.ppf(0.975, 2)
    confidence = 2 * float(scipy_stats.norm.cdf(t)) - 1
    assert (estimate.low, estimate.high) == pytest.approx(wilson(6, 8, confidence), abs=1e-9)


def test_many_clusters_use_wilson_at_the_effective_n() -> None:
    # Given 40 clusters of three equal items, when clustered, then about a third of the items is left.
    scores = np.repeat([1] * 25 + [0] * 15, 3)
    estimate = proportion(scores, np.repeat(np.arange(40), 3))
    plain = proportion(scores)
    assert estimate.stderr is not None and plain.stderr is not None
    worth = 120 / (estimate.stderr / plain.stderr) ** 2
    assert worth == pytest.approx(40, rel=0.03)
    assert (estimate.low, estimate.high) == pytest.approx(wilson(25 / 40 * worth, worth), abs=1e-12)
    assert "clusters" in estimate.method


@given(st.lists(st.integers(0, 1), min_size=1, max_size=50))
def test_a_cluster_of_its_own_for_every_item_changes_no_number(scores: list[int]) -> None:
    estimate = proportion(scores, [f"item {position}" for position in range(len(scores))])
    assert estimate.clusters == len(scores)
    if len(scores) > 1:
        assert numbers(estimate)[:5] == pytest.approx(numbers(proportion(scores))[:5], nan_ok=True)


@pytest.mark.parametrize("nothing", [None, "", math.nan])
def test_items_without_a_label_are_not_thrown_into_one_cluster(nothing: object) -> None:
    assert list(cluster_codes(["ㄱ", nothing, "ㄱ", nothing], 4)) == [0, 1, 0, 2]


@given(labelled, st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_the_names_of_clusters_matter(case: list[tuple[int, int]], random) -> None:
    shuffled = random.sample(case, len(case))
    for estimator in (proportion, mean):
        first = estimator([score for score, _ in case], [label for _, label in case])
        renamed = estimator([score for score, _ in shuffled], [("지문", -label) for _, label in shuffled])
        assert same(first, renamed)


@given(labelled)
def test_the_interval_of_a_proportion_holds_the_value_and_stays_in_the_unit(case: list[tuple[int, int]]) -> None:
    scores = [score for score, _ in case]
    for estimate in (proportion(scores), proportion(scores, [label for _, label in case])):
        if estimate.low is not None and estimate.high is not None:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
            assert estimate.low < estimate.high


@given(labelled)
def test_clusters_never_narrow_the_interval(case: list[tuple[int, int]]) -> None:
    scores = [score for score, _ in case]
    plain, clustered = proportion(scores), proportion(scores, [label for _, label in case])
    if clustered.low is not None and clustered.high is not None:
        assert plain.low is not None and plain.high is not None
        assert clustered.low <= plain.low + 1e-12
        assert clustered.high >= plain.high - 1e-12


def test_one_item_has_wilson_and_no_stderr() -> None:
    estimate = proportion([1])
    assert estimate.stderr is None
    assert (estimate.low, estimate.high) == wilson(1, 1)


@pytest.mark.parametrize("scores", [[1], [1, 0], [1, 1, 1]])
def test_one_cluster_has_neither_stderr_nor_interval(scores: list[int]) -> None:
    for estimator in (proportion, mean):
        estimate = estimator(scores, ["하나"] * len(scores))
        assert astuple(estimate)[1:4] == (None, None, None)
        assert "none" in estimate.method


def test_all_right_in_clusters_counts_items_of_a_cluster_as_copies() -> None:
    # Given 30 clusters of four, all right: no design effect can be seen, so the 120 items count as 30.
    estimate = proportion([1] * 120, np.repeat(np.arange(30), 4))
    assert (estimate.low, estimate.high) == wilson(30, 30)


@settings(max_examples=50)
@given(fractions)
def test_fractional_scores_get_the_t_interval_that_scipy_gives(scores: list[float]) -> None:
    estimate = mean(scores)
    if estimate.stderr is None:
        assert np.ptp(scores) < 1e-12 and "no spread" in estimate.method
        return
    theirs = scipy_stats.t.interval(0.95, len(scores) - 1, np.mean(scores), scipy_stats.sem(scores))
    assert (estimate.low, estimate.high) == pytest.approx(theirs, abs=1e-9)


def test_a_proportion_of_fractional_scores_names_its_method_and_stays_in_the_unit() -> None:
    estimate = proportion([1, 1, 0.5])
    assert estimate.high == 1
    assert estimate.method == "mean of fractional scores, t"


def test_a_mean_on_a_wide_scale_is_not_cut() -> None:
    estimate = mean([1.0, 0.0, 10.0])
    assert estimate.low is not None and estimate.low < 0
    assert proportion([0, 1]).value == mean([0, 1]).value == 0.5


def test_scores_without_spread_say_nothing_about_their_error() -> None:
    assert astuple(mean([3.5, 3.5, 3.5]))[1:4] == (None, None, None)
    assert astuple(mean([3.5]))[1:4] == (None, None, None)
    assert astuple(mean([0.1, 0.3] * 30, np.repeat(np.arange(30), 2)))[1:4] == (None, None, None)


def test_a_difference_is_taken_within_items() -> None:
    # Given ten items asked of two models, then the error is that of the differences, below the unpaired one.
    a, b = [1, 1, 0, 1, 1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0, 1, 0, 0, 1]
    estimate = paired_difference(a, b)
    assert estimate.value == pytest.approx(0.2)
    assert estimate.stderr == pytest.approx(scipy_stats.sem(np.subtract(a, b)))
    theirs = scipy_stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high))


def test_a_difference_over_clusters_uses_their_residual_sums() -> None:
    a, b, clusters = [1, 1, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1], list("aabbcc")
    d = np.subtract(a, b)
    by_hand = math.sqrt(3 / 2 * sum(float((d - d.mean())[i : i + 2].sum()) ** 2 for i in (0, 2, 4))) / 6
    estimate = paired_difference(a, b, clusters)
    assert estimate.stderr == pytest.approx(max(by_hand, scipy_stats.sem(d)))
    assert estimate.clusters == 3
    assert same(paired_difference(b, a, clusters), Estimate(-estimate.value, *_negated(estimate)))


def _negated(estimate: Estimate) -> tuple[float | None, float, float, int, int | None]:
    assert estimate.low is not None and estimate.high is not None
    return estimate.stderr, -estimate.high, -estimate.low, estimate.n, estimate.clusters


def test_models_that_agree_everywhere_have_a_difference_of_0_and_no_error() -> None:
    assert astuple(paired_difference([1, 0, 1], [1, 0, 1]))[:4] == (0, None, None, None)


def test_consistency_is_the_share_right_in_both_forms() -> None:
    estimate = consistency([1, 1, 0, 1, 0], [1, 0, 0, 1, 1])
    assert (estimate.value, estimate.low, estimate.high) == (0.4, *wilson(2, 5))
    with pytest.raises(ValueError, match="0 or 1"):
        consistency([0.5], [1])


@pytest.mark.parametrize("pair", [paired_difference, consistency])
def test_pairs_must_be_the_same_items(pair) -> None:
    with pytest.raises(ValueError, match="3 and 2 items"):
        pair([1, 0, 1], [1, 0])


@pytest.mark.parametrize("estimator", [proportion, mean])
def test_unusable_input_is_refused_in_words(estimator) -> None:
    with pytest.raises(ValueError, match="empty"):
        estimator([])
    with pytest.raises(ValueError, match="position"):
        estimator([1, math.nan])
    with pytest.raises(ValueError, match="dimension"):
        estimator([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="1 labels for 2 items"):
        estimator([1, 0], ["a"])


def test_a_proportion_refuses_scores_off_the_unit() -> None:
    with pytest.raises(ValueError, match="use mean"):
        proportion([0, 8.5])


def test_bools_and_arrays_are_welcome() -> None:
    assert same(proportion(np.array([True, False, True])), proportion([1, 0, 1]))


@pytest.mark.parametrize(("count", "spread"), [(15, 1.0), (60, 1.0)])
def test_the_clustered_interval_covers_as_often_as_it_says(count: int, spread: float) -> None:
    # Given passages of differing difficulty with 1 to 5 questions each, when 1,500 tests are drawn,
    # then about 95 % of the clustered intervals hold the true share; intervals that ignore passages do not.
    random = np.random.default_rng(20260801)
    truth = float(np.mean(1 / (1 + np.exp(-0.5 - spread * random.standard_normal(400_000)))))
    held = ignoring = 0
    for _ in range(1500):
        passages = np.repeat(np.arange(count), random.integers(1, 6, count))
        chance = 1 / (1 + np.exp(-0.5 - spread * random.standard_normal(count)))
        scores = (random.random(passages.size) < chance[passages]).astype(float)
        clustered, plain = proportion(scores, passages), proportion(scores)
        assert clustered.low is not None and clustered.high is not None
        assert plain.low is not None and plain.high is not None
        held += clustered.low <= truth <= clustered.high
        ignoring += plain.low <= truth <= plain.high
    assert 0.92 <= held / 1500 <= 0.975
    assert ignoring < held


def test_the_door_is_sorted_and_complete() -> None:
    assert jatdae.stats.__all__ == sorted(jatdae.stats.__all__)
    assert all(hasattr(jatdae.stats, name) for name in jatdae.stats.__all__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proportion([1, 1], ["a", "b"])
