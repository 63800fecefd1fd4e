"""Agreement between raters against published values, other implementations, and what must not matter."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, cast, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jatdae.stats import (
    corrected_rate,
    intraclass_correlation,
    item_rest_correlations,
    js_divergence,
    kendall_tau,
    kl_divergence,
    krippendorff_alpha,
    pairwise_accuracy,
    prediction_powered_mean,
    spearman,
    weighted_kappa,
)
from jatdae.stats.agreement import ICCKind
from jatdae.types import Estimate

DIGITS = 5e-11
FEW = 20
THREE_BY_FOUR = [[1, 2, 3, 3], [1, 3, 3, 4], [2, 2, 4, None]]
CLASSIC = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
A, B = [1, 2, 3, 4, 5, 3, 2, 4], [1, 3, 3, 4, 4, 2, 2, 5]

scores = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=3, max_size=25)
tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=raters, max_size=raters), min_size=3, max_size=15
    )
)


def number(estimate: Estimate | None) -> float:
    return math.nan if estimate is None else estimate.value


@pytest.mark.parametrize(
    ("ratings", "level", "value"),
    [
        (THREE_BY_FOUR, "ordinal", 0.6746880570),
        (THREE_BY_FOUR, "interval", 0.6610169492),
        (THREE_BY_FOUR, "nominal", 0.0909090909),
        (CLASSIC, "nominal", 0.7434210526),
        (CLASSIC, "ordinal", 0.8153875038),
        (CLASSIC, "interval", 0.8491071429),
        (CLASSIC, "ratio", 0.7974027747),
    ],
)
def test_alpha_has_its_published_values(ratings, level, value) -> None:
    estimate = krippendorff_alpha(ratings, level, draws=FEW)
    assert number(estimate) == pytest.approx(value, abs=DIGITS)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("1,1", 0.1657417684),
        ("2,1", 0.2897637795),
        ("3,1", 0.7148407148),
        ("1,k", 0.4427971337),
        ("2,k", 0.6200505476),
        ("3,k", 0.9093155424),
    ],
)
def test_icc_has_its_published_values(kind, value) -> None:
    assert number(intraclass_correlation(SHROUT_FLEISS, kind, draws=FEW)) == pytest.approx(value, abs=DIGITS)


def test_kappa_rank_correlations_and_pairs_have_their_values() -> None:
    kappas = {weights: number(weighted_kappa(A, B, weights, draws=FEW)) for weights in ("quadratic", "linear", "plain")}
    assert kappas == pytest.approx({"quadratic": 0.8333333333, "linear": 0.6363636364, "plain": 0.36}, abs=DIGITS)
    assert number(spearman(A, B, draws=FEW)) == pytest.approx(0.8456790123, abs=DIGITS)
    assert number(kendall_tau(A, B, draws=FEW)) == pytest.approx(0.72, abs=DIGITS)
    # 7 right, 1 wrong, 1 tie of the judge, 1 tie of people dropped
    pairs = pairwise_accuracy([3, 1, 2, 2, 5], [7, 2, 6, 5, 6], draws=FEW)
    assert number(pairs) == pytest.approx(0.8333333333, abs=DIGITS)


def test_divergences_have_their_values() -> None:
    p, q = [0.5, 0.25, 0.25], [0.4, 0.4, 0.2]
    assert kl_divergence(p, q) == pytest.approx(0.0498567562, abs=DIGITS)
    assert kl_divergence(p, q, base=2) == pytest.approx(0.0719280949, abs=DIGITS)
    assert kl_divergence(q, p) == pytest.approx(0.0541153209, abs=DIGITS)
    assert js_divergence(p, q) == pytest.approx(0.0129076226, abs=DIGITS)
    assert js_divergence(p, q, base=2) == pytest.approx(0.0186217631, abs=DIGITS)
    one, other = [3, 1, 0], [1, 0, 3]
    assert kl_divergence(one, other, pseudocount=0.5) == pytest.approx(0.6619101582, abs=DIGITS)
    assert js_divergence(one, other) == pytest.approx(0.4119796083, abs=DIGITS)
    assert kl_divergence(one, other) == math.inf


def test_few_human_labels_correct_many_of_a_judge() -> None:
    rate = corrected_rate(0.75, 500, specificity=0.85, negatives=60, sensitivity=0.9, positives=60)
    assert (rate.value, rate.stderr) == (pytest.approx(0.8, abs=DIGITS), pytest.approx(0.0502438498, abs=DIGITS))
    powered = prediction_powered_mean([1, 1, 0, 1, 0, 1, 1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 1, 0])
    assert (powered.value, powered.stderr) == (pytest.approx(0.45), pytest.approx(0.2929732639, abs=DIGITS))


def test_item_rest_correlations_have_their_values_and_no_interval_from_six_models() -> None:
    table = [[int(cell) for cell in row] for row in ("11110", "11100", "11000", "10110", "10000", "11101")]
    found = item_rest_correlations(table)
    assert found[0] is None
    expected = [0.1313064329, 0.6859943406, 0, 0.1581138830]
    assert [number(one) for one in found[1:]] == pytest.approx(expected, abs=DIGITS)
    assert all(one is None or one.low is None for one in found)


def test_from_eight_models_on_an_item_has_an_interval() -> None:
    table = [[place > 2, place > 4 or place == 0, place > 5] for place in range(9)]
    found = item_rest_correlations(np.array(table, dtype=float))[0]
    assert found is not None
    assert found.stderr == pytest.approx((1 - found.value**2) / math.sqrt(7))
    assert found.low is not None and found.high is not None and found.low < found.value < found.high


@given(table=tables)
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_equals_another_implementation(table, level) -> None:
    evalica = pytest.importorskip("evalica")
    pandas = pytest.importorskip("pandas")
    units = np.array(table, dtype=float)
    pairable = units[(~np.isnan(units)).sum(axis=1) > 1]
    assume(len(np.unique(pairable[~np.isnan(pairable)])) > 1)
    theirs = evalica.alpha(pandas.DataFrame(units.T), distance=level, solver="naive").alpha
    assert number(krippendorff_alpha(units.T, level, draws=2)) == pytest.approx(theirs, abs=1e-9)


@given(pairs=scores)
@settings(max_examples=60, deadline=None)
def test_kappa_equals_another_implementation(pairs) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    a, b = zip(*pairs, strict=True)
    assume(len({*a, *b}) > 1)
    for weights, named in (("quadratic", "quadratic"), ("linear", "linear"), ("plain", None)):
        theirs = metrics.cohen_kappa_score(a, b, labels=list(range(11)), weights=named)
        assert number(weighted_kappa(a, b, weights, draws=2)) == pytest.approx(theirs, abs=1e-9)


@given(pairs=scores)
@settings(max_examples=60, deadline=None)
def test_rank_correlations_equal_other_implementations(pairs) -> None:
    stats = pytest.importorskip("scipy.stats")
    a, b = zip(*pairs, strict=True)
    assume(len(set(a)) > 1 and len(set(b)) > 1)
    assert number(spearman(a, b, draws=2)) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
    signs = [(np.sign(x[0] - y[0]), np.sign(x[1] - y[1])) for x, y in combinations(pairs, 2)]
    agree = sum(one * other for one, other in signs)
    untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    assert number(kendall_tau(a, b, draws=2)) == pytest.approx(agree / math.sqrt(untied[0] * untied[1]), abs=1e-9)


@given(pairs=scores)
@settings(max_examples=60, deadline=None)
def test_pair_accuracy_is_one_half_more_than_half_of_gamma_over_human_pairs(pairs) -> None:
    counted = [
        0.5 + 0.5 * np.sign(x[0] - y[0]) * np.sign(x[1] - y[1]) for x, y in combinations(pairs, 2) if x[0] != y[0]
    ]
    found = pairwise_accuracy(*zip(*pairs, strict=True), draws=2)
    assert number(found) == pytest.approx(np.mean(counted) if counted else math.nan, nan_ok=True)


def test_pairs_within_prompts_leave_pairs_across_out() -> None:
    human, judge = [1, 2, 9, 8], [5, 6, 2, 1]
    across = pairwise_accuracy(human, judge, draws=FEW)
    within = pairwise_accuracy(human, judge, within=["가", "가", "나", "나"], draws=FEW)
    assert (number(across), number(within)) == (pytest.approx(2 / 6), 1.0)


@given(pairs=scores, seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_the_order_of_items_does_not_change_value_or_interval(pairs, seed) -> None:
    turned = list(np.random.default_rng(seed).permutation(np.array(pairs)))
    for measure in (weighted_kappa, spearman, kendall_tau, pairwise_accuracy):
        one, other = (measure(*zip(*rows, strict=True), draws=FEW, seed=1) for rows in (pairs, turned))
        assert number(one) == pytest.approx(number(other), nan_ok=True)
        if one is not None and other is not None and one.low is not None:
            assert (one.low, one.high) == (pytest.approx(other.low), pytest.approx(other.high))


def test_alpha_is_the_same_for_raters_in_any_order_and_units_without_pairs() -> None:
    base = number(krippendorff_alpha(CLASSIC, draws=FEW))
    assert number(krippendorff_alpha(CLASSIC[::-1], draws=FEW)) == pytest.approx(base)
    more = [[*row, 5 if place == 0 else None] for place, row in enumerate(CLASSIC)]
    found = krippendorff_alpha(more, draws=FEW)
    assert found is not None
    assert (found.value, found.n) == (pytest.approx(base), 11)


def test_a_shifted_rater_lowers_absolute_agreement_and_not_order() -> None:
    table = np.array(SHROUT_FLEISS, dtype=float)
    shifted = table + np.array([0, 5, 0, 0])
    for kind in get_args(ICCKind):
        before, after = (number(intraclass_correlation(cells, kind, draws=FEW)) for cells in (table, shifted))
        assert (after == pytest.approx(before)) == kind.startswith("3")


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    random, rho, hits = np.random.default_rng(5), 0.6, 0
    truth = 6 / math.pi * math.asin(rho / 2)
    for round_ in range(60):
        a = random.normal(size=80)
        b = rho * a + math.sqrt(1 - rho**2) * random.normal(size=80)
        found = spearman(a, b, draws=200, seed=round_)
        assert found is not None and found.low is not None and found.high is not None
        hits += found.low <= truth <= found.high
    assert 50 <= hits <= 60


def test_rows_of_one_item_widen_the_interval() -> None:
    random = np.random.default_rng(2)
    items = np.repeat(np.arange(15), 10)
    a = random.normal(size=15)[items] + 0.1 * random.normal(size=150)
    b = 0.5 * a + random.normal(size=15)[items] + 0.1 * random.normal(size=150)
    alone, together = spearman(a, b, draws=300), spearman(a, b, clusters=items, draws=300)
    assert alone is not None and together is not None and alone.stderr and together.stderr
    assert (together.n, together.clusters) == (150, 15)
    assert together.stderr > 1.5 * alone.stderr


def test_what_is_undefined_is_none_and_never_a_number() -> None:
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert kendall_tau([1, 2, 3], [2, 2, 2]) is None
    assert weighted_kappa([4, 4], [4, 4]) is None
    assert krippendorff_alpha([[3, 3], [3, 3]]) is None
    assert krippendorff_alpha([[3, None], [None, 4]]) is None
    assert intraclass_correlation([[1, 1], [1, 1]]) is None
    assert pairwise_accuracy([2, 2], [1, 3]) is None
    assert spearman([], []) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: spearman([1, 2], [1, 2, 3]),
        lambda: weighted_kappa([1, math.nan], [1, 2]),
        lambda: weighted_kappa([1, 2], [1, 2], cast(Any, "cubic")),
        lambda: krippendorff_alpha([[1, 2], [1]]),
        lambda: krippendorff_alpha([[1, math.inf], [1, 2]]),
        lambda: krippendorff_alpha([[1, -2], [1, 2]], "ratio"),
        lambda: krippendorff_alpha([[1, 2], [1, 2]], cast(Any, "cardinal")),
        lambda: krippendorff_alpha([[1, 2], [1, 2]], clusters=["가"]),
        lambda: intraclass_correlation([[1, math.nan], [1, 2]]),
        lambda: intraclass_correlation([[1, 2], [1, 2]], cast(Any, "4,1")),
        lambda: kl_divergence([0, 0], [1, 1]),
        lambda: js_divergence([1, -1], [1, 1]),
        lambda: js_divergence([1], [1, 1]),
        lambda: corrected_rate(0.5, 10, specificity=0.5, negatives=5, sensitivity=0.5, positives=5),
        lambda: prediction_powered_mean([1.0], [1.0, 0.0], [1.0]),
        lambda: item_rest_correlations([[1], [0]]),
    ],
)
def test_what_cannot_be_is_refused(call) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call()


def test_a_corrected_rate_stays_a_share() -> None:
    low = corrected_rate(0.02, 200, specificity=0.9, negatives=50, sensitivity=0.9, positives=50)
    assert (low.value, low.low) == (0.0, 0.0)


@pytest.mark.parametrize(("second", "tau"), [([2.0, 7.0], 1.0), ([7.0, 2.0], -1.0)])
def test_two_ratings_are_one_pair_for_kendall(second, tau):
    from jatdae.stats.agreement.correlation import kendall_value

    assert kendall_value(np.array([[1.0, 3.0], second]).T) == tau
