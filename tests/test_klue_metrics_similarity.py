"""KLUE's metrics of sentence similarity."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from jatdae.benchmarks.klue.metrics import f1_at_threshold, pearson
from jatdae.errors import RequestError

EXACT = 1e-9
GOLD = [0, 1.4, 2.9, 3.0, 4.857142857142857, 5.0]
PREDICTED = [0.3, 1.0, 3.1, 2.999, 4.2, 5.4]


def test_both_metrics_equal_the_official_scorer() -> None:
    assert pearson(GOLD, PREDICTED).official == pytest.approx(97.6541476546494, abs=EXACT)
    assert f1_at_threshold(GOLD, PREDICTED).official == pytest.approx(66.66666666666666, abs=EXACT)


def test_a_constant_prediction_has_no_correlation_but_an_f1() -> None:
    score = pearson([1, 2, 3, 4], [3.0] * 4)

    assert (score.official, score.clean) == (None, None)
    assert score.reason == "every prediction is 3: no correlation"
    assert f1_at_threshold([1, 2, 3, 4], [3.0] * 4).official == pytest.approx(200 / 3, abs=EXACT)
    assert pearson([2, 2], [1, 3]).reason == "every gold is 2: no correlation"


@pytest.mark.parametrize("metric", [pearson, f1_at_threshold])
def test_nothing_valid_is_no_score(metric: object) -> None:
    assert callable(metric)
    score = metric([1.0] * 10, [None] * 8 + [math.nan, math.inf])

    assert (score.official, score.clean, score.missing, score.invalid) == (None, None, 8, 2)
    assert score.reason == "no valid prediction: 0 of 10 valid"


def test_a_missing_prediction_leaves_no_correlation_and_costs_f1() -> None:
    predicted = [*PREDICTED[:-1], None]

    score = pearson(GOLD, predicted)
    assert score.official is None
    assert score.reason == "1 of 6 predictions are missing; a correlation needs all of them"
    assert score.detail["over_answered"] == pytest.approx(pearson(GOLD[:-1], PREDICTED[:-1]).official, abs=EXACT)
    binary = f1_at_threshold(GOLD, predicted)
    assert (binary.official, binary.missing) == (pytest.approx(40.0, abs=EXACT), 1)


def test_no_positive_on_either_side() -> None:
    score = f1_at_threshold([1, 2], [1, 2])

    assert (score.official, score.clean, score.reason) == (0, None, "no gold and no prediction reaches 3")
    assert f1_at_threshold([1, 4], [1, 2]).clean == 0


def test_gold_has_to_be_finite() -> None:
    with pytest.raises(RequestError, match="gold score nan at position 1"):
        pearson([1.0, math.nan], [1.0, 2.0])


def test_the_development_set(upstream: Path) -> None:
    release = json.loads((upstream / "klue" / "klue-sts-v1.1_dev.json").read_text(encoding="utf-8"))
    gold = [row["labels"]["real-label"] for row in release]

    assert f1_at_threshold(gold, [5.0] * len(gold)).official == pytest.approx(59.53991880920162, abs=EXACT)
    assert pearson(gold, gold).official == pytest.approx(100, abs=EXACT)


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(-2, 7)), min_size=3, max_size=40))
def test_the_correlation_equals_scipy(pairs: list[tuple[float, float]]) -> None:
    gold, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    assume(min(gold.std(), predicted.std()) > 1e-3)

    score = pearson(gold.tolist(), predicted.tolist())

    assert score.official == pytest.approx(100 * float(stats.pearsonr(gold, predicted).statistic), abs=1e-8)
    assert score.official is not None
    assert -100 <= score.official <= 100


@pytest.mark.parametrize("seed", range(3))
def test_the_binary_f1_equals_scikit_learn(seed: int) -> None:
    measure = pytest.importorskip("sklearn.metrics")
    gold, predicted = 5 * np.random.default_rng(seed).random((2, 100))
    expected = 100 * measure.f1_score(gold >= 3, predicted >= 3)

    assert f1_at_threshold(gold.tolist(), predicted.tolist()).official == pytest.approx(expected, abs=EXACT)
