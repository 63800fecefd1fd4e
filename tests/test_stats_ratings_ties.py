"""Ratings with ties as an outcome of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rating_games import series

from jatdae.errors import RequestError
from jatdae.stats.ratings import Game, bradley_terry, davidson, rao_kupper

pytestmark = pytest.mark.filterwarnings("error")

WINS = [[0, 5, 6, 8], [2, 0, 5, 6], [1, 3, 0, 4], [1, 1, 3, 0]]
TIES = {"AB": 3, "AC": 3, "AD": 1, "BC": 2, "BD": 3, "CD": 3}


def tied_games() -> list[Game]:
    games = []
    for pair, ties in TIES.items():
        a, b = ("ABCD".index(name) for name in pair)
        games += series(*pair, WINS[a][b], ties, WINS[b][a])
    return games


def test_davidson_gives_the_published_ratings() -> None:
    found = davidson(tied_games(), prior_games=0)
    expected = {"A": 1411.96443240, "B": 1253.02440856, "C": 1117.46853178, "D": 1017.54262726}
    assert found.ratings.values == pytest.approx(expected, abs=2e-8)
    assert found.parameter == pytest.approx(0.8208177961, abs=1e-10)
    assert found.log_stderr == pytest.approx(0.3162613029, abs=1e-10)


def test_rao_kupper_gives_the_published_ratings() -> None:
    found = rao_kupper(tied_games(), prior_games=0)
    expected = {"A": 1361.2129, "B": 1241.1642, "C": 1138.1925, "D": 1059.4304}
    # B is 1241.16413 to more digits, as a search without derivatives finds too.
    assert found.ratings.values == pytest.approx(expected, abs=1e-4)
    assert found.parameter == pytest.approx(1.907850, abs=6e-7)


def test_ties_as_half_points_lie_on_a_narrower_scale() -> None:
    halves = bradley_terry(tied_games(), prior_games=0).values
    expected = {"A": 1348.00852296, "B": 1237.25049392, "C": 1142.26755241, "D": 1072.47343071}
    assert halves == pytest.approx(expected, abs=2e-8)
    assert halves["A"] - halves["D"] == pytest.approx(276, abs=0.5)


def test_the_golden_rating_against_a_fixed_anchor() -> None:
    found = davidson(series("x", "P", 12, 6, 6), anchors={"P": 1200.0}, prior_games=0)
    assert found.ratings["x"].value == pytest.approx(1320.41, abs=0.005)
    assert found.parameter == pytest.approx(0.7071, abs=5e-5)


def test_evalica_agrees() -> None:
    evalica = pytest.importorskip("evalica")
    games = tied_games()
    word = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    other = evalica.newman(
        [game.a for game in games],
        [game.b for game in games],
        [word[game.score] for game in games],
        tolerance=1e-12,
        limit=10_000,
    )
    found = davidson(games, prior_games=0)
    logs = np.log10(other.scores[list("ABCD")].to_numpy())
    expected = dict(zip("ABCD", 1200 + 400 * (logs - logs.mean()), strict=True))
    assert found.ratings.values == pytest.approx(expected, abs=1e-4)
    assert found.parameter == pytest.approx(2 * other.v, abs=1e-6)


@pytest.mark.parametrize(("model", "never"), [(davidson, 0.0), (rao_kupper, 1.0)])
def test_without_ties_both_are_bradley_terry(model, never) -> None:
    games = [game for game in tied_games() if game.score != 0.5]
    found = model(games)
    assert found.ratings.values == pytest.approx(bradley_terry(games).values, abs=1e-6)
    assert (found.parameter, found.log_stderr) == (never, None)


@pytest.mark.parametrize("model", [davidson, rao_kupper])
def test_averages_of_two_orders_and_nothing_but_ties_are_refused(model) -> None:
    with pytest.raises(RequestError, match=r"0\.75"):
        model([Game("a", "b", 0.75)])
    with pytest.raises(RequestError, match="every game"):
        model([Game("a", "b", 0.5)])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.permutations("abcd"), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=25),
    st.sampled_from([davidson, rao_kupper]),
    st.randoms(use_true_random=False),
)
def test_numbers_are_finite_and_order_does_not_matter(rows, model, random) -> None:
    games = [Game(names[0], names[1], score) for names, score in rows] + [Game("a", name, 1) for name in "bcd"]
    found, again = model(games), model(random.sample(games, len(games)))
    assert all(math.isfinite(value) for value in found.ratings.values.values())
    assert found.ratings.values == pytest.approx(again.ratings.values, abs=1e-6)
    assert math.isfinite(found.parameter) and found.parameter == pytest.approx(again.parameter, rel=1e-6)
