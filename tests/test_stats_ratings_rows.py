"""Position and style beside the ratings."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.errors import ModelError, RequestError
from jatdae.stats.ratings import Game, contrast, controlled_ratings

pytestmark = pytest.mark.filterwarnings("error")

CELLS = [
    ("AB", 1, 1), ("AC", 1, 0), ("BC", 1, 0),
    ("AB", 1, 0), ("AC", 1, 1), ("BC", 0, 0),
    ("AB", 0, 0), ("AC", 1, 0.5), ("BC", 1, 1),
]  # fmt: skip
ROWS = [Game(*pair, score, f"item {at // 3}") for at, (pair, *scores) in enumerate(CELLS) for score in scores]
ORDER = [1, -1] * 9


@pytest.mark.parametrize(
    ("errors", "raw", "with_position"),
    [("model", 118.3716, 130.2912), ("rows", 118.1680, 132.2953), ("items", 178.8777, 222.9190)],
)
def test_a_position_effect_gives_the_published_ratings(errors, raw, with_position) -> None:
    found = controlled_ratings(ROWS, order=ORDER, prior_games=0, errors=errors)
    assert found.raw.values == pytest.approx({"A": 1259.58631567, "B": 1200, "C": 1140.41368433}, abs=2e-8)
    assert found.controlled.values == pytest.approx({"A": 1271.50848823, "B": 1200, "C": 1128.49151177}, abs=2e-8)
    assert found.coefficients["first"].value == pytest.approx(0.88645567, abs=1e-8)
    assert found.raw.difference("A", "B").stderr == pytest.approx(raw, abs=6e-5)
    assert found.controlled.difference("A", "B").stderr == pytest.approx(with_position, abs=6e-5)


def by_length(seed: int, slope: float | None) -> tuple[list[Game], list[float]]:
    """Games won by the longer text (always, or with this slope), of models that write 600 to 1000 characters."""
    random = np.random.default_rng(seed)
    names, usual = "ABCDE", {"A": 600, "B": 700, "C": 800, "D": 900, "E": 1000}
    games, lengths = [], []
    for item in range(60):
        length = {name: usual[name] * math.exp(random.normal(0, 0.3)) for name in names}
        for at, a in enumerate(names):
            for b in names[:at]:
                x = contrast(length[a], length[b])
                won = x > 0 if slope is None else random.random() < 1 / (1 + math.exp(-slope * x))
                games.append(Game(a, b, float(won), f"item {item}"))
                lengths.append(x)
    return games, lengths


@pytest.mark.parametrize("slope", [None, 6.0])
def test_models_that_win_by_length_alone_are_equal_once_it_is_controlled(slope) -> None:
    games, lengths = by_length(3, slope)
    found = controlled_ratings(games, style={"length": lengths})
    assert found.raw["E"].value - found.raw["A"].value > 120
    for a in "ABCD":
        gap = found.controlled.difference("E", a)
        assert gap.low < 0 < gap.high
    assert found.coefficients["length"].low > 0.5


def test_a_real_difference_stays_when_length_does_not_matter() -> None:
    random = np.random.default_rng(4)
    games = [Game("good", "bad", float(random.random() < 0.8), f"i{at}") for at in range(400)]
    lengths = random.normal(0, 0.2, 400).tolist()
    found = controlled_ratings(games, style={"length": lengths})
    assert found.controlled.difference("good", "bad").low > 150
    assert found.coefficients["length"].low < 0 < found.coefficients["length"].high


def test_a_coefficient_is_that_of_one_root_mean_square_in_whatever_unit() -> None:
    games, lengths = by_length(9, 6.0)
    here, there = (
        controlled_ratings(games, style={"length": some}).coefficients["length"]
        for some in (lengths, [1000 * x for x in lengths])
    )
    assert here.value == pytest.approx(there.value, rel=1e-9)
    assert here.value == pytest.approx(6.0 * math.sqrt(np.mean(np.square(lengths))), rel=0.25)


def test_each_judge_has_its_own_position_effect() -> None:
    random = np.random.default_rng(6)
    games, order = [], []
    for at in range(1200):
        judge, shown = ("steady", "biased")[at % 2], (1, -1)[at // 2 % 2]
        logit = 0.5 + (1.0 * shown if judge == "biased" else 0)
        games.append(Game("a", "b", float(random.random() < 1 / (1 + math.exp(-logit))), f"i{at // 4}", judge))
        order.append(shown)
    found = controlled_ratings(games, order=order)
    assert found.coefficients["first: biased"].low > 0.6
    assert found.coefficients["first: steady"].low < 0 < found.coefficients["first: steady"].high


def test_what_the_games_cannot_tell_apart_is_left_out_and_said() -> None:
    games, lengths = by_length(5, 6.0)
    usual = {"A": 1.0, "B": 2.0, "C": 4.0, "D": 5.0, "E": 7.0}
    own = [usual[game.a] - usual[game.b] for game in games]
    style = {"length": lengths, "twice": [2 * x for x in lengths], "model": own, "none": [0.0] * len(games)}
    found = controlled_ratings(games, style=style)
    assert list(found.coefficients) == ["length"]
    assert set(found.left_out) == {"twice", "model", "none"}
    assert found.controlled.values == controlled_ratings(games, style={"length": lengths}).controlled.values


def test_without_covariates_the_ratings_are_the_raw_ones() -> None:
    found = controlled_ratings(ROWS, anchors={"A": 1300.0})
    assert found.controlled.values == pytest.approx(found.raw.values, abs=1e-8)
    assert found.controlled["A"].kind == "fixed" and found.coefficients == {}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_neither_order_nor_sides_matter(seed) -> None:
    random = Random(seed)
    games, lengths = by_length(7, 6.0)
    rows = [(game, x, (1, -1)[at % 2]) for at, (game, x) in enumerate(zip(games[:200], lengths, strict=False))]
    other = [
        (Game(game.b, game.a, 1 - game.score, game.item), -x, -shown) if random.random() < 0.5 else (game, x, shown)
        for game, x, shown in random.sample(rows, len(rows))
    ]
    before, after = (
        controlled_ratings([row[0] for row in some], order=[row[2] for row in some], style={"l": [r[1] for r in some]})
        for some in (rows, other)
    )
    assert before.controlled.values == pytest.approx(after.controlled.values, abs=1e-7)
    for name, estimate in before.coefficients.items():
        assert estimate.value == pytest.approx(after.coefficients[name].value, abs=1e-9)
        assert estimate.stderr == pytest.approx(after.coefficients[name].stderr, rel=1e-7)


def test_contrasts() -> None:
    assert contrast(300, 100) == 0.5 and contrast(0, 0) == 0
    assert contrast(2, 1, 1) == 0.25 and contrast(0, 0, 1) == 0


def test_without_a_prior_a_perfect_covariate_has_no_finite_fit() -> None:
    games, lengths = by_length(8, None)
    with pytest.raises(ModelError, match="prior"):
        controlled_ratings(games, style={"length": lengths}, prior_games=0)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"order": [1]}, "order: 1 values for 18 games"),
        ({"order": [2] * 18}, "order"),
        ({"style": {"length": [math.nan] * 18}}, "length: game 0"),
    ],
)
def test_covariates_that_do_not_fit_are_refused(options, match) -> None:
    with pytest.raises(RequestError, match=match):
        controlled_ratings(ROWS, **options)


def test_no_games_are_no_ratings() -> None:
    assert controlled_ratings([], order=[], style={"length": []}).controlled.values == {}
