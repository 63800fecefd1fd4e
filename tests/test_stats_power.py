"""How many items a comparison needs, items across models, and the exact bootstrap: the specification's digits."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.stats import (
    analyse_items,
    cluster_bootstrap,
    items_needed,
    items_needed_unpaired,
    mean,
    paired_difference,
    smallest_difference,
    smallest_difference_unpaired,
)

SETS = {
    519: (3.9, 5.5, 6.7, 8.5),
    1284: (2.5, 3.5, 4.3, 5.4),
    2000: (2.0, 2.8, 3.4, 4.3),
    3000: (1.6, 2.3, 2.8, 3.5),
    5000: (1.2, 1.8, 2.2, 2.7),
    5841: (1.2, 1.6, 2.0, 2.5),
    7765: (1.0, 1.4, 1.7, 2.2),
    9107: (0.9, 1.3, 1.6, 2.0),
    35030: (0.5, 0.7, 0.8, 1.0),
}
ONE_POINT = ((0.05, 3917), (0.1, 7842), (0.2, 15690), (0.3, 23539))
THREE_POINTS = ((0.05, 429), (0.1, 865), (0.2, 1737), (0.3, 2609))
NEEDED = [(0.01, *row) for row in ONE_POINT] + [(0.03, *row) for row in THREE_POINTS]


@pytest.mark.parametrize(("difference", "discordance", "items"), NEEDED)
def test_items_that_a_paired_comparison_needs(difference, discordance, items):
    # The table cuts and rounds; a comparison needs whole items.
    assert items_needed(difference, discordance) == pytest.approx(items, abs=1)


def test_items_that_an_unpaired_comparison_needs():
    assert items_needed_unpaired(0.01, 0.6) == pytest.approx(37_675, abs=1)


@pytest.mark.parametrize("n", SETS)
def test_what_each_set_can_tell(n):
    *paired, unpaired = SETS[n]

    # Two digits of the table are cut where ours are rounded.
    for discordance, points in zip((0.1, 0.2, 0.3), paired, strict=True):
        assert 100 * smallest_difference(n, discordance) == pytest.approx(points, abs=0.1)
    assert 100 * smallest_difference_unpaired(n, 0.6) == pytest.approx(unpaired, abs=0.1)


@given(st.floats(0.01, 0.3), st.floats(0.3, 1.0))
def test_needed_items_and_smallest_difference_are_inverse(difference, discordance):
    n = items_needed(difference, discordance)
    if n > 50:
        assert smallest_difference(n, discordance) == pytest.approx(difference, rel=0.02)


@pytest.mark.parametrize("call", [lambda: items_needed(0.3, 0.1), lambda: items_needed_unpaired(0.1, 1.0)])
def test_shares_out_of_range_are_refused(call):
    with pytest.raises(ValueError, match="items_needed"):
        call()


def test_pairs_are_sharper_than_two_means():
    first, second = ([float(sign) for sign in text] for text in ("1101011011", "1001101001"))

    paired = paired_difference(first, second)

    assert paired.value == pytest.approx(0.2)
    assert paired.stderr == pytest.approx(0.2)
    apart = np.hypot(mean(first).stderr, mean(second).stderr)
    assert apart == pytest.approx(0.2260776661, abs=5e-11)


def test_the_bootstrap_draws_from_the_exact_distribution():
    values = [1.0, 0.0, -1.0]
    exact = Counter(sum(drawn) for drawn in itertools.product(values, repeat=3))
    assert [exact[total] for total in range(-3, 4)] == [1, 3, 6, 7, 6, 3, 1]

    estimate = cluster_bootstrap(values, draws=200_000, seed=11)

    assert estimate.stderr**2 == pytest.approx(2 / 9, rel=0.01)
    # 1/27 of the draws give -1 and 1/27 give 1, so that both ends lie inside the outermost 2.5 % of 3.7 %.
    assert (estimate.low, estimate.high) == (-1.0, 1.0)


def test_the_bootstrap_of_ten_pairs_has_the_known_spread():
    pairs = zip("1101011011", "1001101001", strict=True)
    differences = [int(one) - int(other) for one, other in pairs]
    drawn = np.array(differences)[np.random.default_rng(12345).integers(0, 10, (2000, 10))].mean(axis=1)
    assert drawn.std(ddof=1) == pytest.approx(0.1913998614, abs=5e-11)
    assert int((drawn <= 0).sum()) == 418

    estimate = cluster_bootstrap([float(value) for value in differences], draws=20_000, seed=3)

    assert estimate.stderr == pytest.approx(0.19, abs=0.005)
    assert (estimate.low, estimate.high) == pytest.approx((-0.2, 0.6), abs=0.11)


def test_items_are_flagged_for_a_reader():
    strength = np.linspace(0, 1, 10)
    good = (strength > 0.5).astype(float)
    rest = [(strength > cut).astype(float) for cut in (0.3, 0.4, 0.6, 0.7)]
    table = np.stack([good, 1 - good, np.ones(10), np.zeros(10), *rest], axis=1)

    plain, reversed_, easy, hard, *_ = analyse_items(table)

    assert plain.flags == ()
    assert plain.correlation.value > 0.5
    assert reversed_.flags == ("negative",)
    assert easy.flags == ("saturated",)
    assert easy.correlation is None
    assert hard.flags == ("floor",)


def test_few_models_give_no_interval_and_no_verdict_on_keys():
    figures = analyse_items([[1, 0, 0], [0, 0, 1], [1, 1, 1]])

    assert [one.correlation.low for one in figures] == [None, None, None]
    assert not any("negative" in one.flags for one in figures)
    with pytest.raises(ValueError, match="analyse_items"):
        analyse_items([[2.0, 1.0]])
