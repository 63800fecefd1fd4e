"""Divergences of labelled counts: known digits, scipy as the other implementation, and what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from jatdae.errors import RequestError
from jatdae.stats import (
    Divergences,
    divergences,
    estimate_divergences,
    in_bits,
    resample_clusters,
    resample_within,
)
from jatdae.stats.divergence import kl_divergence

LABELS = ("안", "못", "말")
FULL = st.tuples(*[st.integers(1, 200)] * 3).map(lambda counts: dict(zip(LABELS, counts, strict=True)))
SOME = st.tuples(*[st.integers(0, 50)] * 3).filter(any).map(lambda counts: dict(zip(LABELS, counts, strict=True)))


def test_a_small_case_has_the_digits_worked_out_by_hand() -> None:
    # Given halves and quarters against thirds: 1/2 ln(3/2) + 2 * 1/4 ln(3/4), and back 1/3 ln(2/3) + 2 * 1/3 ln(4/3)
    p, q = {"안": 2, "못": 1, "말": 1}, {"안": 5, "못": 5, "말": 5}

    found = divergences(p, q)

    assert found.forward == pytest.approx(0.5 * math.log(1.5) + 0.5 * math.log(0.75), abs=1e-15)
    assert found.reverse == pytest.approx(math.log(2 / 3) / 3 + 2 * math.log(4 / 3) / 3, abs=1e-15)
    assert kl_divergence(p, q) == found.forward


def test_a_label_that_only_p_has_is_refused_unless_smoothed() -> None:
    p, q = {"안": 3, "못": 1}, {"안": 4}

    with pytest.raises(RequestError, match=r"D\(corpus\|\|items\) is infinite: items has no 못.*smoothing"):
        divergences(p, q, names=("corpus", "items"))
    with pytest.raises(RequestError, match=r"D\(Q\|\|P\) is infinite"):
        divergences(q, p)
    assert kl_divergence(q, p) == pytest.approx(math.log(4 / 3))
    assert kl_divergence(p, q, smoothing=0.5) == pytest.approx(entropy([3.5, 1.5], [4.5, 0.5]))


@pytest.mark.parametrize(
    ("p", "q", "smoothing"),
    [
        ({"안": 0}, {"안": 1}, None),
        ({"안": 1}, {}, None),
        ({"안": -1, "못": 2}, {"안": 1, "못": 1}, None),
        ({"안": math.nan}, {"안": 1}, None),
        ({"안": 1}, {"안": 1}, 0.0),
        ({"안": 1}, {"안": 1}, math.inf),
    ],
)
def test_what_is_no_distribution_is_refused(p: dict[str, float], q: dict[str, float], smoothing: float | None) -> None:
    with pytest.raises(RequestError):
        divergences(p, q, smoothing=smoothing)


@given(FULL, FULL)
def test_scipy_agrees(p: dict[str, int], q: dict[str, int]) -> None:
    found = divergences(p, q)

    first, second = list(p.values()), list(q.values())
    assert found.forward == pytest.approx(entropy(first, second), abs=1e-12)
    assert found.reverse == pytest.approx(entropy(second, first), abs=1e-12)
    assert found.jensen_shannon == pytest.approx(jensenshannon(first, second) ** 2, abs=1e-12)


@given(FULL, FULL, st.integers(1, 9))
def test_a_divergence_is_zero_for_equal_shares_alone(p: dict[str, int], q: dict[str, int], factor: int) -> None:
    scaled = {label: factor * count for label, count in reversed(p.items())}
    assert divergences(p, scaled).forward == pytest.approx(0, abs=1e-12)

    found = divergences(p, q)
    equal = all(p[a] * q[b] == q[a] * p[b] for a in LABELS for b in LABELS)
    assert (found.forward < 1e-13) == equal
    assert min(found.forward, found.reverse, found.jensen_shannon) >= 0


@given(SOME, SOME)
def test_jensen_shannon_has_no_direction_and_an_end(p: dict[str, int], q: dict[str, int]) -> None:
    found, turned = (divergences(*pair, smoothing=1e-9) for pair in ((p, q), (q, p)))

    assert found == Divergences(turned.reverse, turned.forward, turned.jensen_shannon)
    assert 0 <= found.jensen_shannon <= math.log(2)


def test_clusters_widen_the_interval_and_their_order_does_not_matter() -> None:
    # Given 30 files, half of them with short forms and half with long ones, and as many occurrences without files
    clustered = np.array([[30, 10, 2], [10, 30, 2]] * 15)
    scattered = np.repeat(np.eye(3), clustered.sum(axis=0), axis=0)
    p, q = (dict(zip(LABELS, counts, strict=True)) for counts in (clustered.sum(axis=0).tolist(), (40, 35, 4)))

    by_file, by_hit, turned = (
        estimate_divergences(p, q, LABELS, resampled_p=resample_clusters(table, seed=7))
        for table in (clustered, scattered, clustered[::-1])
    )

    # Then the files say less, and nothing hangs on their order
    widths = [found.forward.high - found.forward.low for found in (by_file, by_hit)]
    assert widths[0] > 1.5 * widths[1]
    assert turned == by_file
    assert (by_file.forward.n, by_file.forward.clusters) == (1260, 30)
    assert "Q: held fixed" in by_file.forward.method


def test_resampled_multinomial_noise_has_the_size_that_theory_gives() -> None:
    # Given 3 classes of 3,000 independent occurrences: noise adds (3 - 1) / (2 * 3000) nats on average
    p = dict(zip(LABELS, (1500, 900, 600), strict=True))
    table = np.repeat(np.eye(3), list(p.values()), axis=0)

    found = estimate_divergences(p, p, LABELS, resampled_p=resample_clusters(table, seed=1))

    assert found.bias == pytest.approx(2 / 6000, rel=0.05)


def test_one_cluster_gives_no_interval() -> None:
    assert resample_clusters([[3, 4, 5]], seed=1) is None
    found = estimate_divergences({"안": 3, "못": 4}, {"안": 4, "못": 4}, LABELS[:2], resampled_p=None)

    assert (found.forward.low, found.forward.high, found.bias) == (None, None, None)
    assert "one cluster" in found.forward.method


def test_published_intervals_are_met_by_what_is_drawn_from_them() -> None:
    intervals = [(0.13, 0.34), (0.50, 0.70), (0.10, 0.25)]

    drawn = resample_within([240, 600, 160], intervals, seed=3)

    shares = drawn.counts / drawn.counts.sum(axis=1, keepdims=True)
    assert pytest.approx(np.array(intervals), abs=0.025) == np.quantile(shares, [0.025, 0.975], axis=0).T
    assert drawn.counts.sum(axis=1) == pytest.approx(1000)
    with pytest.raises(ValueError, match="must hold its share"):
        resample_within([240, 600, 160], [(0.3, 0.34), *intervals[1:]], seed=3)


def test_infinite_resamples_are_named_and_too_many_leave_no_interval() -> None:
    # Given a class that only one of 4 clusters of Q has: a third of the draws miss it
    p, q = dict(zip(LABELS, (5, 5, 5), strict=True)), dict(zip(LABELS, (5, 5, 1), strict=True))
    clusters = [[2, 1, 1], [1, 1, 0], [1, 1, 0], [1, 2, 0]]
    own = resample_clusters(np.repeat([[1, 1, 1]], 5, axis=0), seed=1)

    found = estimate_divergences(p, q, LABELS, resampled_p=own, resampled_q=resample_clusters(clusters, seed=2))

    assert found.forward.low is None
    assert "none: too many infinite" in found.forward.method
    assert found.jensen_shannon.low is not None


def test_bits_are_nats_by_the_log_of_two() -> None:
    found = estimate_divergences(
        {"안": 3, "못": 4}, {"안": 5, "못": 4}, LABELS[:2], resampled_p=resample_clusters([[1, 2], [2, 2]], seed=1)
    ).forward

    bits = in_bits(found)

    assert bits.value == pytest.approx(entropy([3, 4], [5, 4], base=2))
    assert (bits.low, bits.high) == (found.low / math.log(2), found.high / math.log(2))
