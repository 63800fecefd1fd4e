"""Figures of agreement against the functions of `stats` and independent computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from jatdae.judging.annotation.agreement import (
    RatedUnit,
    choice_agreement,
    judged_choices,
    judged_scores,
    preferred,
    score_agreement,
    standing,
)
from jatdae.judging.annotation.alternative import EPSILON, alternative_test, benjamini_yekutieli
from jatdae.stats.agreement import intraclass_correlation, krippendorff_alpha
from jatdae.types import Estimate

DRAWS = 50
RATERS = ("김", "박", "이")


def scored(count: int, noise: float = 1.0) -> list[RatedUnit]:
    random = np.random.default_rng(5)
    truth = random.integers(1, 10, count)
    table = np.clip(np.rint(truth[:, None] + random.normal(0, noise, (count, 3))), 0, 10)
    return [
        RatedUnit(f"u{row}", f"i{row // 2}", f"i{row // 2}", dict(zip(RATERS, map(float, table[row]), strict=True)))
        for row in range(count)
    ]


def test_scores_agree_as_the_functions_of_stats_say() -> None:
    units = scored(60)
    table = np.array([[unit.ratings[rater] for unit in units] for rater in RATERS])
    items = [unit.item for unit in units]

    found = score_agreement("overall", units, draws=DRAWS)

    assert found.alpha == krippendorff_alpha(table, clusters=items, draws=DRAWS)
    assert found.alpha_interval == krippendorff_alpha(table, "interval", clusters=items, draws=DRAWS)
    assert found.icc_absolute == intraclass_correlation(table.T.tolist(), "2,1", clusters=items, draws=DRAWS)
    assert (found.units, found.complete, found.raters) == (60, 60, RATERS)
    for pair in found.pairs:
        a, b = (table[RATERS.index(name)].astype(int) for name in (pair.one, pair.other))
        assert pair.kappa is not None and pair.spearman is not None
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic", labels=range(11)))
        assert pair.spearman.value == pytest.approx(stats.spearmanr(a, b).statistic)


def test_a_unit_of_one_rater_says_nothing_and_a_lone_rater_gets_no_figures() -> None:
    whole = scored(30)
    extra = [RatedUnit("x", "x", "x", {"김": 0.0})]

    assert (
        score_agreement("overall", [*whole, *extra], draws=DRAWS).alpha
        == score_agreement("overall", whole, draws=DRAWS).alpha
    )
    lone = score_agreement("overall", extra, draws=DRAWS)
    assert (lone.alpha, lone.icc_absolute, lone.ceiling_spearman, lone.pairs) == (None, None, None, ())
    assert lone.standing == "n/a"


def chosen() -> list[RatedUnit]:
    votes = [(1, 1, 1), (-1, -1, 1), (0, 1, 1), (-1, -1, -1), (0, 0, 0), (1, -1, 0)]
    return [
        RatedUnit(f"p{row}", f"i{row}", f"p{row}", dict(zip(RATERS, map(float, given), strict=True)))
        for row, given in enumerate(votes)
    ]


def test_choices_agree_by_nominal_alpha_and_the_ceiling_leaves_one_rater_out() -> None:
    units = chosen()
    table = [[unit.ratings[rater] for unit in units] for rater in RATERS]

    found = choice_agreement(units, draws=DRAWS)

    assert found.alpha == krippendorff_alpha(table, "nominal", clusters=[u.item for u in units], draws=DRAWS)
    # By hand: each rater against the sign of the others' mean; their ties are dropped, the rater's own are half right.
    points = []
    for unit in units:
        for rater in RATERS:
            others = np.sign(sum(value for name, value in unit.ratings.items() if name != rater))
            if others:
                points.append((1 + others * unit.ratings[rater]) / 2)
    assert found.ceiling_accuracy is not None
    assert found.ceiling_accuracy.value == pytest.approx(np.mean(points))


def test_a_judge_of_pairs_is_right_where_people_do_not_tie_and_half_right_with_a_tie_of_its_own() -> None:
    judge = {"p0": 1.0, "p1": -0.5, "p2": 0.0, "p3": 1.0, "p4": 1.0, "p5": -1.0}

    found = judged_choices("심판", chosen(), judge, draws=DRAWS)

    assert [preferred(unit.ratings) for unit in chosen()] == [1, -1, 1, -1, 0, 0]
    assert found.accuracy is not None
    assert (found.accuracy.value, found.accuracy.n, found.units) == (pytest.approx(2.5 / 4), 4, 6)
    assert found.stand_in is not None and found.stand_in.passed is None


def test_a_judge_is_held_against_the_mean_of_people() -> None:
    units = scored(40)
    judge = {unit.unit: sum(unit.ratings.values()) / 3 for unit in units[:30]}

    found = judged_scores("심판", "overall", units, judge, whole=True, draws=DRAWS)

    assert found.units == 30
    assert found.spearman is not None and found.spearman.value == pytest.approx(1)
    assert found.accuracy is not None and found.accuracy.value == 1
    narrow = judged_scores("심판", "절제", units, judge, whole=False, draws=DRAWS)
    assert (narrow.spearman, narrow.accuracy, narrow.stand_in, narrow.kappa) == (None, None, None, found.kappa)


@pytest.mark.parametrize(
    ("value", "low", "expected"),
    [(0.8, 0.7, "usable"), (0.667, 0.5, "tentative"), (0.66, 0.6, "not usable"), (0.9, None, "n/a")],
)
def test_the_rule_of_the_specification(value: float, low: float | None, expected: str) -> None:
    assert standing(Estimate(value, None, low, low, 10)) == expected
    assert standing(None) == "n/a"


def test_a_judge_like_the_raters_may_stand_in_and_noise_may_not() -> None:
    units = scored(80)
    random = np.random.default_rng(1)
    near = [float(np.mean(list(unit.ratings.values()))) for unit in units]
    noise = random.uniform(0, 10, len(units)).tolist()
    ratings = [unit.ratings for unit in units]

    passed, failed = (alternative_test(ratings, judge, "distance") for judge in (near, noise))

    assert (passed.passed, failed.passed) == (True, False)
    # The first rater's p-value by hand, before the correction for three.
    ahead = []
    for unit, judge in zip(units, near, strict=True):
        others = np.array([value for name, value in unit.ratings.items() if name != "김"])
        near_judge, near_rater = (-np.sqrt(np.mean((others - one) ** 2)) for one in (judge, unit.ratings["김"]))
        ahead.append(float(near_rater >= near_judge) - float(near_judge >= near_rater))
    p = stats.ttest_1samp(ahead, EPSILON, alternative="less").pvalue
    assert passed.left_out[0].rater == "김"
    assert p <= passed.left_out[0].p <= 3 * (1 + 1 / 2 + 1 / 3) * p


def test_the_test_is_not_run_on_two_raters_or_fewer_than_50_items() -> None:
    units = scored(80)
    two = [{name: value for name, value in unit.ratings.items() if name != "이"} for unit in units]

    assert "3 are needed" in alternative_test(two, [5.0] * 80, "distance").not_run
    assert "50 items" in alternative_test([u.ratings for u in units[:49]], [5.0] * 49, "distance").not_run
    assert alternative_test([], [], "match").passed is None


def test_the_correction_is_that_of_benjamini_and_yekutieli() -> None:
    p_values = [0.01, 0.04, 0.03, 0.2]

    expected = stats.false_discovery_control(p_values, method="by")

    assert benjamini_yekutieli(p_values) == pytest.approx(expected)
