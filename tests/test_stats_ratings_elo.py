"""Sequential Elo as published tables use it, and what it gets wrong."""

from __future__ import annotations

import pytest
from rating_games import series, table_games

from jatdae.errors import RequestError
from jatdae.stats.ratings import Game, bradley_terry, compatible_elo, expected_half_width, sequential_elo
from jatdae.stats.ratings import without_self_judged as split

SHORT = [Game("A", "B", 1), Game("B", "C", 0.5), Game("C", "A", 1), Game("A", "B", 0.75)]


def test_one_pass_gives_the_published_ratings() -> None:
    forward = {"A": 1206.5627942852, "B": 1177.4033726936, "C": 1216.0338330211}
    backward = {"A": 1207.7002089623, "B": 1177.0518098995, "C": 1215.2479811383}
    halved = {"A": 1203.6359878056, "B": 1188.3597737251, "C": 1208.0042384693}
    assert sequential_elo(SHORT) == pytest.approx(forward, abs=1e-10)
    assert sequential_elo(SHORT[::-1]) == pytest.approx(backward, abs=1e-10)
    assert sequential_elo(SHORT, k=16) == pytest.approx(halved, abs=1e-10)
    assert list(sequential_elo(SHORT)) == ["C", "A", "B"]


def test_evalica_agrees_on_one_pass() -> None:
    evalica = pytest.importorskip("evalica")
    games = table_games()
    word = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    other = evalica.elo(
        [game.a for game in games], [game.b for game in games], [word[game.score] for game in games], initial=1200, k=32
    ).scores.to_dict()
    assert sequential_elo(games) == pytest.approx(other, abs=1e-9)


def test_the_published_sweeps_give_the_published_ratings() -> None:
    forward, backward = compatible_elo(table_games(), ["B", "D"]), compatible_elo(table_games()[::-1], ["B", "D"])
    assert (forward["A"], forward["C"]) == pytest.approx((1440.3273130211, 1201.0978919576), abs=1e-9)
    assert (backward["A"], backward["C"]) == pytest.approx((1441.3048768255, 1198.8206184715), abs=1e-9)
    assert (forward["B"], forward["D"]) == (1200, 1200)
    assert compatible_elo(table_games())["A"] == pytest.approx(1384.5073766776, abs=1e-9)


@pytest.mark.parametrize(
    ("outcome", "reverse", "expected"),
    [
        ((1, 0, 0), False, 1539.58),
        ((10, 0, 0), False, 1953.59),
        ((24, 0, 0), False, 2109.08),
        ((100, 0, 0), False, 2359.53),
        ((18, 0, 6), False, 1385.11),
        ((18, 0, 6), True, 1396.56),
        ((12, 6, 6), False, 1282.25),
    ],
)
def test_each_published_case_against_one_anchor(outcome, reverse, expected) -> None:
    games = series("x", "P", *outcome)
    assert compatible_elo(games[::-1] if reverse else games, ["P"])["x"] == pytest.approx(expected, abs=0.005)


def test_three_unequal_anchors_held_equal_mix_three_answers() -> None:
    parts = [series("x", "P", 3, 0, 7), series("x", "Q", 9, 0, 1), series("x", "R", 5, 0, 5)]
    assert compatible_elo([game for part in parts for game in part], "PQR")["x"] == pytest.approx(1245.96, abs=0.005)
    alone = [compatible_elo(part, "PQR")["x"] for part in parts]
    assert alone == pytest.approx([1049.7, 1579.7, 1196.4], abs=0.05)


def test_elo_depends_on_the_order_of_equal_games_and_the_fit_does_not() -> None:
    games = series("가", "나", 3, 0, 3)
    forward, backward = sequential_elo(games, start=1000), sequential_elo(games[::-1], start=1000)
    assert (forward["가"], forward["나"]) == pytest.approx((989.10, 1010.90), abs=0.006)
    assert (backward["가"], backward["나"]) == pytest.approx((1010.90, 989.10), abs=0.006)
    for order in (games, games[::-1], games[::2] + games[1::2]):
        assert bradley_terry(order).values == pytest.approx({"가": 1200, "나": 1200}, abs=1e-9)


def test_games_that_a_contestant_judged_do_not_count() -> None:
    own = [Game("x@high", "P", 1, judge="x"), Game("P", "y", 0, judge="via/y@low"), Game("x", "y", 1, judge="P2@2025")]
    kept, left_out = split(own, {"via/y": "y", "P2@2025": "P2"})
    assert (kept, left_out) == ((own[2],), (own[0], own[1]))
    assert compatible_elo(own[:1] + own[2:], ["P"]) == compatible_elo(own[2:], ["P"])
    # An unknown judge is nobody's own.
    assert split([Game("", "b", 1)]) == ((Game("", "b", 1),), ())


def test_sweeps_below_one_are_refused() -> None:
    with pytest.raises(RequestError, match="sweeps 0"):
        sequential_elo(SHORT, sweeps=0)


@pytest.mark.parametrize(
    ("comparisons", "gap", "width"),
    [(2062, 0, 15), (4020, 300, 15), (742, 0, 25), (1017, 200, 25), (290, 0, 40), (315, 100, 40), (877, 400, 40)],
)
def test_the_expected_half_width_is_that_of_the_table(comparisons, gap, width) -> None:
    assert expected_half_width(comparisons, gap) == pytest.approx(width, rel=1.5e-3)
    assert expected_half_width(comparisons, -gap) == expected_half_width(comparisons, gap)


def test_the_expected_half_width_is_that_of_a_fit() -> None:
    ratings = bradley_terry(series("x", "P", 60, 0, 40), anchors={"P": 1200.0}, prior_games=0, errors="model")
    estimate = ratings["x"].estimate
    assert expected_half_width(100, estimate.value - 1200) == pytest.approx(estimate.high - estimate.value, rel=1e-9)
    with pytest.raises(RequestError, match="comparisons 0"):
        expected_half_width(0)
