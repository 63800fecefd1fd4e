"""Macro and micro averages over subjects, and what error belongs to which claim."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.stats import bootstrap_macro, macro, macro_random_strata, mean, micro, wilson

pytestmark = pytest.mark.filterwarnings("error")

subjects = st.dictionaries(
    st.text(min_size=1, max_size=4),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=12),
    min_size=2,
    max_size=6,
)


def right_of(*counts: tuple[int, int]) -> dict[str, list[int]]:
    """Subjects with so many right of so many items."""
    return {f"과목 {place}": [1] * right + [0] * (n - right) for place, (right, n) in enumerate(counts)}


THREE = right_of((30, 40), (55, 100), (9, 20))
FIVE = right_of((620, 1000), (90, 300), (34, 100), (550, 1000), (70, 100))


def test_three_subjects_have_the_known_digits() -> None:
    assert [mean(scores).stderr for scores in THREE.values()] == pytest.approx(
        [0.0693375245, 0.05, 0.1141328865], abs=6e-11
    )
    fixed, random, pooled = macro(THREE), macro_random_strata(THREE), micro(THREE)
    assert fixed.value == random.value == pytest.approx(0.5833333333, abs=5e-11)
    assert fixed.stderr == pytest.approx(0.0475324545, abs=5e-11)
    assert random.stderr == pytest.approx(0.0881917104, abs=5e-11)
    assert (pooled.value, pooled.stderr) == pytest.approx((0.5875, 0.0384782985), abs=5e-11)
    assert (fixed.n, fixed.clusters, random.clusters) == (160, None, 3)


def test_a_small_subject_is_not_drowned_by_a_large_one() -> None:
    # Given sizes 1000 and 20, then the macro error is that of the small one, not the pooled .0157.
    assert macro(right_of((500, 1000), (10, 20))).stderr == pytest.approx(0.0578967723, abs=5e-11)


def test_the_worked_example_of_five_subjects() -> None:
    average, pooled = macro(FIVE), micro(FIVE)
    assert 100 * average.value == pytest.approx(50.20)
    assert average.stderr == pytest.approx(0.014932, abs=5e-7)
    assert average.high is not None and 100 * (average.high - average.value) == pytest.approx(2.93, abs=0.005)
    assert (pooled.value, pooled.stderr) == pytest.approx((0.5456, math.sqrt(590.673) / 2500), abs=5e-9)
    assert pooled.high is not None and 100 * (pooled.high - pooled.value) == pytest.approx(1.91, abs=0.005)


@given(subjects, st.randoms(use_true_random=False))
def test_order_of_items_and_subjects_and_their_names_do_not_matter(groups: dict[str, list[float]], random) -> None:
    names = random.sample(list(groups), len(groups))
    other = {f"새 {name}": random.sample(groups[name], len(groups[name])) for name in names}
    for estimator in (macro, micro, macro_random_strata):
        first, second = estimator(groups), estimator(other)
        assert astuple(first)[4:] == astuple(second)[4:]
        assert (first.value, first.stderr or -1) == pytest.approx((second.value, second.stderr or -1), abs=1e-9)
    first, second = bootstrap_macro(groups, 50, seed=3), bootstrap_macro(other, 50, seed=3)
    assert (first.stderr, first.low, first.high) == (second.stderr, second.low, second.high)


@given(subjects)
def test_intervals_hold_the_value_within_the_unit(groups: dict[str, list[float]]) -> None:
    for estimate in (macro(groups), micro(groups), macro_random_strata(groups)):
        if estimate.low is not None and estimate.high is not None:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(subjects)
def test_equal_sizes_make_macro_and_micro_one(groups: dict[str, list[float]]) -> None:
    size = min(map(len, groups.values()))
    cut = {name: scores[:size] for name, scores in groups.items()}
    first, second = macro(cut), micro(cut)
    assert (first.value, first.stderr or 0) == pytest.approx((second.value, second.stderr or 0))


def test_the_bootstrap_agrees_with_the_formula() -> None:
    # Resampling n of n items has variance (n - 1) / n of the formula's, in every subject.
    shrunk = math.sqrt(sum(np.var(scores) / len(scores) for scores in FIVE.values())) / 5
    estimate, formula = bootstrap_macro(FIVE, 20_000, seed=11), macro(FIVE)
    assert estimate.stderr == pytest.approx(shrunk, rel=0.02)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        (formula.value, formula.low, formula.high), abs=1.5e-3
    )
    assert bootstrap_macro(FIVE, 500, seed=11) == bootstrap_macro(FIVE, 500, seed=11)
    assert bootstrap_macro(FIVE, 500, seed=11) != bootstrap_macro(FIVE, 500, seed=12)


def test_the_bootstrap_of_few_items_has_the_exact_distribution() -> None:
    # Given two subjects [0, 1] and [0, 1], the average takes 0, .25, .5, .75, 1 with 1, 4, 6, 4, 1 of 16.
    estimate = bootstrap_macro({"가": [0, 1], "나": [1, 0]}, 40_000, seed=2)
    assert (estimate.low, estimate.high) == (0, 1)
    assert estimate.stderr == pytest.approx(math.sqrt(1 / 16), rel=0.02)


def test_a_subject_of_one_item_leaves_the_average_without_an_error() -> None:
    lonely = THREE | {"하나": [1]}
    for estimate in (macro(lonely), micro(lonely), bootstrap_macro(lonely, 10, seed=1)):
        assert estimate.stderr is None
        assert "1 of 4 groups" in estimate.method
    assert astuple(bootstrap_macro(lonely, 10, seed=1))[2:4] == (None, None)
    worth = 16 / (1 / 40 + 1 / 100 + 1 / 20 + 1)
    assert (macro(lonely).low, macro(lonely).high) == pytest.approx(wilson(macro(lonely).value * worth, worth))
    assert macro(lonely).value == pytest.approx((0.75 + 0.55 + 0.45 + 1) / 4)
    assert macro_random_strata(lonely).stderr is not None


def test_no_spread_is_said_and_not_shown_as_0() -> None:
    perfect = right_of((5, 5), (7, 7))
    for estimate in (macro_random_strata(perfect), bootstrap_macro(perfect, 10, seed=1)):
        assert astuple(estimate)[:4] == (1, None, None, None)
        assert "no spread" in estimate.method
    assert (micro(perfect).low, micro(perfect).high) == pytest.approx(wilson(12, 12))
    assert macro(perfect).stderr is None
    assert macro(perfect).low < micro(perfect).low
    assert "one group" in macro_random_strata(right_of((2, 3))).method


def test_other_scales_need_their_own_bounds() -> None:
    rubric = {"감정": [8.0, 9.5, 10.0], "문예": [10.0, 10.0, 9.0]}
    with pytest.raises(ValueError, match=r"'감정'.*outside"):
        macro(rubric)
    estimate = macro(rubric, (0, 10))
    assert estimate.high is not None and 9 < estimate.high <= 10
    assert macro(rubric, None).high is not None


def test_unusable_groups_are_named() -> None:
    for estimator in (macro, micro, macro_random_strata):
        with pytest.raises(ValueError, match="at least one group"):
            estimator({})
        with pytest.raises(ValueError, match="'수학': empty"):
            estimator({"법": [1, 0], "수학": []})
    with pytest.raises(ValueError, match="draws"):
        bootstrap_macro(THREE, 1, seed=1)
