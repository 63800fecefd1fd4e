"""Paired tests and corrections: published digits, scipy as the other implementation, and what must not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, false_discovery_control, permutation_test

from jatdae.stats import benjamini_hochberg, holm, mcnemar_exact, sign_flip, smallest_difference

P_VALUES = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205]


@pytest.mark.parametrize(
    ("counts", "exact", "mid"),
    [
        ((10, 3), 0.09228515625, 0.057373046875),
        ((25, 12), 0.04703102744, 0.03355243968),
        ((1, 0), 1.0, 0.5),
        ((0, 0), 1.0, 1.0),
        ((4, 4), 1.0, 1.0),
    ],
)
def test_mcnemar_has_the_known_digits(counts: tuple[int, int], exact: float, mid: float) -> None:
    assert mcnemar_exact(*counts) == pytest.approx(exact, abs=5e-11)
    assert mcnemar_exact(*counts, mid=True) == pytest.approx(mid, abs=5e-11)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_a_binomial_test(first: int, second: int) -> None:
    expected = binomtest(first, first + second).pvalue if first + second else 1.0

    assert mcnemar_exact(first, second) == pytest.approx(expected, abs=1e-12)
    assert mcnemar_exact(second, first) == mcnemar_exact(first, second)
    assert mcnemar_exact(first, second, mid=True) <= mcnemar_exact(first, second)


def test_sign_flips_are_counted_exactly_for_few_items() -> None:
    first, second = ([float(sign) for sign in text] for text in ("1101011011", "1001101001"))
    differences = [a - b for a, b in zip(first, second, strict=True)]

    assert sign_flip(differences, seed=0) == 0.625
    assert sign_flip([0.5, -0.25, 1, 0.75, 0, 0.25, -0.5, 1.25], seed=0) == 44 / 256
    assert sign_flip([0.0, 0.0], seed=0) == 1.0


def test_many_sign_flips_agree_with_scipy() -> None:
    differences = np.random.default_rng(5).normal(0.12, 1.0, 200)

    ours = sign_flip(differences, seed=1)

    theirs = permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=50_000, rng=np.random.default_rng(7)
    )
    assert ours == pytest.approx(theirs.pvalue, abs=0.006)


def test_a_cluster_flips_as_a_whole() -> None:
    # Given 40 items that are ten answers, each four times
    differences, clusters = np.repeat([1.0, 1, 1, 1, 1, 1, 1, -1, 1, 1], 4), np.repeat(np.arange(10), 4)

    # Then they tell no more than the ten: all, or nine of them, one way: 2 * (1 + 10) of 2^10 patterns
    assert sign_flip(differences, clusters, seed=0) == 22 / 1024
    assert sign_flip(differences, seed=0) < 1e-4


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=12))
def test_order_and_direction_do_not_matter(differences: list[float]) -> None:
    assert sign_flip(differences, seed=0) == sign_flip(sorted(differences), seed=9)
    assert sign_flip([-value for value in differences], seed=0) == sign_flip(differences, seed=0)


def test_corrections_have_the_known_digits() -> None:
    assert holm(P_VALUES) == pytest.approx([0.008, 0.056, *[0.234] * 6])
    expected = [0.008, 0.032, 0.0672, 0.0672, 0.0672, 0.08, 0.0845714286, 0.205]
    assert benjamini_hochberg(P_VALUES) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_keep_order_and_agree_with_scipy(p_values: list[float]) -> None:
    stepped, expected = holm(p_values), false_discovery_control(p_values, method="bh")

    assert benjamini_hochberg(p_values) == pytest.approx(expected.tolist())
    assert all(low <= high + 1e-12 for low, high in zip(p_values, stepped, strict=True))
    assert holm(p_values[::-1]) == stepped[::-1]


@pytest.mark.parametrize(
    ("n", "shares"),
    [(519, (3.9, 5.5, 6.7)), (1284, (2.5, 3.5, 4.3)), (35030, (0.5, 0.7, 0.8)), (9107, (0.9, 1.3, 1.6))],
)
def test_the_smallest_difference_is_that_of_the_published_table(n: int, shares: tuple[float, ...]) -> None:
    assert [round(100 * smallest_difference(n, share), 1) for share in (0.1, 0.2, 0.3)] == list(shares)


def test_faulty_input_is_named() -> None:
    with pytest.raises(ValueError, match="not be negative"):
        mcnemar_exact(-1, 2)
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        holm([0.2, 1.2])
    with pytest.raises(ValueError, match="out of range"):
        smallest_difference(0, 0.1)
