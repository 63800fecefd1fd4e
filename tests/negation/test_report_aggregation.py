"""Means over groups of models: a table with the published scores gives the published aggregates."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from jatdae.reports.negation.aggregation import (
    GroupMean,
    ModelScores,
    count_below,
    gains,
    group_means,
    over_models,
    tuning_pairs,
)
from jatdae.reports.negation.models_file import ModelFacts

SCORES = Path(__file__).with_name("published_scores.csv")
ROUNDING = 0.1001
"""Points; the table's own entries are rounded to a tenth."""


def published() -> list[ModelScores]:
    """The 43 open models of the study, scores as shares."""
    with SCORES.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    about = ("name", "parameters", "korean", "tuning", "family")
    return [
        ModelScores(
            row["name"],
            ModelFacts(
                row["name"],
                row["name"],
                row["family"],
                float(row["parameters"]),
                "base" if row["tuning"] == "base" else "instruct",
                row["korean"] == "true",
            ),
            {column: float(text) / 100 for column, text in row.items() if column not in about and text},
        )
        for row in rows
    ]


TABLE = published()
MEANS = {(one.group, one.column): one for one in group_means(TABLE, list(TABLE[0].scores))}


def percent(group: str, column: str) -> float:
    return 100 * MEANS[group, column].mean.value


@pytest.mark.parametrize(
    ("group", "models", "cloze", "symbol"),
    [
        ("all", 43, 52.4, 63.3),
        ("Korean", 18, 53.8, 57.6),
        ("non-Korean", 25, 51.5, 67.4),
        ("Korean base", 3, 46.0, 43.6),
        ("Korean instruct", 15, 55.4, 60.4),
        ("non-Korean base", 12, 53.7, 62.6),
        ("non-Korean instruct", 13, 49.4, 71.9),
        ("<2B", 9, 42.7, 49.2),
        ("2-5B", 8, 52.5, 59.4),
        ("5-8B", 4, 62.0, 62.1),
        ("8-12.5B", 11, 51.5, 58.6),
        ("12.5-20B", 3, 53.7, 85.8),
        (">=20B", 8, 59.4, 81.8),
    ],
)
def test_group_means_are_the_published_ones(group: str, models: int, cloze: float, symbol: float) -> None:
    assert MEANS[group, "cloze 0"].mean.n == MEANS[group, "symbol 0"].mean.n == models
    assert percent(group, "cloze 0") == pytest.approx(cloze, abs=ROUNDING)
    assert percent(group, "symbol 0") == pytest.approx(symbol, abs=ROUNDING)


@pytest.mark.parametrize(
    ("group", "kmmlu", "negative", "boolq", "negated"),
    [
        ("all", 64.61, 62.82, 67.15, 53.68),
        ("Korean", 65.98, 63.03, 73.18, 58.56),
        ("non-Korean", 63.61, 62.68, 62.81, 50.17),
    ],
)
def test_side_studies_and_ten_examples_are_the_published_ones(
    group: str, kmmlu: float, negative: float, boolq: float, negated: float
) -> None:
    for column, value in (("kmmlu", kmmlu), ("kmmlu negative", negative), ("boolq", boolq), ("boolq negated", negated)):
        assert percent(group, column) == pytest.approx(value, abs=ROUNDING)
    assert percent("all", "cloze 10") == pytest.approx(82.8, abs=ROUNDING)
    assert percent("all", "symbol 10") == pytest.approx(75.0, abs=ROUNDING)


def test_all_models_but_one_decline_on_negated_boolq() -> None:
    overall = gains(TABLE, "boolq", "boolq negated")[0]

    assert (overall.group, overall.gain.n, overall.falling) == ("all", 43, 42)


@pytest.mark.parametrize(
    ("before", "after", "models", "first", "second"),
    [
        ("cloze 0", "cloze after cloze sft", 35, 50.85, 85.06),
        ("symbol 0", "symbol after cloze sft", 35, 59.07, 69.56),
        # One model lacks both: the published 89.8 and 57.3 are over 35 models and cannot be had from 34.
        ("symbol 0", "symbol after symbol sft", 34, 58.4, 89.58),
        ("cloze 0", "cloze after symbol sft", 34, 50.35, 56.80),
    ],
)
def test_gains_of_fine_tuning_are_over_the_models_that_have_both(
    before: str, after: str, models: int, first: float, second: float
) -> None:
    overall = gains(TABLE, before, after)[0]

    assert overall.gain.n == models
    assert 100 * overall.before == pytest.approx(first, abs=ROUNDING)
    assert 100 * overall.after == pytest.approx(second, abs=ROUNDING)
    assert overall.gain.value == pytest.approx(overall.after - overall.before)


def test_instruct_models_beside_their_base_models_are_the_published_pairs() -> None:
    pairs = {(one.group, one.column): one for one in tuning_pairs(TABLE, ["cloze 0", "symbol 0"])}

    expected = {
        ("Korean", "cloze 0"): (3, 15.8, 0),
        ("Korean", "symbol 0"): (3, 12.7, 0),
        ("non-Korean", "cloze 0"): (12, -5.0, 10),
        ("non-Korean", "symbol 0"): (12, 7.4, 2),
    }
    for key, (count, gain, falling) in expected.items():
        assert (pairs[key].gain.n, pairs[key].falling) == (count, falling)
        assert 100 * pairs[key].gain.value == pytest.approx(gain, abs=ROUNDING)


def test_as_many_models_as_published_are_below_the_artefact_baselines() -> None:
    below = [count_below(TABLE, "symbol 0", value) for value in (0.650, 0.807, 0.957)]

    assert below == [(24, 43), (33, 43), (42, 43)]


def test_a_model_without_facts_is_in_no_group_but_all() -> None:
    table = [ModelScores("somebody", None, {"cloze 0": 0.4}), ModelScores("else", TABLE[0].facts, {"cloze 0": 0.6})]

    found = group_means(table, ["cloze 0", "cloze 5"])

    assert found[0] == GroupMean("all", "all", "cloze 0", over_models([0.4, 0.6]))
    assert {one.mean.n for one in found[1:]} == {1}
    assert not [one for one in found if one.column == "cloze 5"]


def test_the_interval_of_a_mean_is_over_models_and_stays_a_share() -> None:
    whole, alone, alike = over_models([0.9, 1.0, 0.7]), over_models([0.5]), over_models([1.0, 1.0])

    assert whole.low is not None
    assert whole.low < 0.7
    assert whole.high == 1.0
    assert (alone.low, alike.low) == (None, None)


def test_a_size_with_two_models_of_one_kind_makes_no_pair() -> None:
    pair = [row for row in TABLE if row.name.startswith("Qwen3-8B")]

    assert tuning_pairs(pair, ["cloze 0"])[0].gain.n == 1
    assert tuning_pairs([*pair, pair[0]], ["cloze 0"]) == []
