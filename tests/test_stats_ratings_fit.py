"""Bradley-Terry ratings: published vectors, two independent implementations, anchors, priors and separation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rating_games import TABLE, UNBEATEN, series, simulated, table_games

from jatdae.errors import RequestError
from jatdae.stats.ratings import Game, anchor_drift, bradley_terry, fit_matrix, likelihood_ratio, win_matrix

pytestmark = pytest.mark.filterwarnings("error")

FREE = {"A": 1387.72819627, "B": 1227.68088593, "C": 1139.16713536, "D": 1045.42378244}
STRETCHED = 400 / math.log(10)


def outcomes(models: str = "abcde"):
    pair = st.lists(st.sampled_from(models), min_size=2, max_size=2, unique=True)
    return st.lists(st.tuples(pair, st.sampled_from([0, 0.25, 0.5, 0.75, 1])), min_size=1, max_size=30)


def close(ratings, expected: dict[str, float], within: float = 2e-8) -> None:
    assert ratings.values == pytest.approx(expected, abs=within)


def test_a_free_fit_gives_the_published_ratings_and_errors() -> None:
    for ratings in (
        fit_matrix(TABLE, "ABCD", prior_games=0),
        bradley_terry(table_games(), prior_games=0, errors="model"),
    ):
        close(ratings, FREE)
        assert list(ratings.values) == ["A", "B", "C", "D"]
        errors = [rating.estimate.stderr for rating in ratings.ratings]
        assert errors == pytest.approx([60.6981, 51.9479, 52.4717, 57.1288], abs=6e-5)
        assert ratings.difference("A", "B").stderr == pytest.approx(90.7721, abs=6e-5)
        assert ratings.difference("A", "D").stderr == pytest.approx(100.1476, abs=6e-5)
        assert ratings.log_likelihood == pytest.approx(-33.5155364342, abs=1e-10)


@pytest.mark.parametrize(
    ("anchors", "mode", "expected"),
    [
        (["B"], None, {"A": 1360.04731034, "B": 1200, "C": 1111.48624943, "D": 1017.74289651}),
        (["B", "D"], None, {"A": 1451.17586208, "B": 1291.12855175, "C": 1202.61480118, "D": 1108.87144825}),
        (["B", "D"], "shared_pin", {"A": 1440.82399653, "B": 1200, "C": 1200, "D": 1200}),
        ({"B": 1230, "D": 1120}, None, {"A": 1419.60635346, "B": 1230, "C": 1175.93091591, "D": 1120}),
        ({"B": 1230, "D": 1120}, "locked", {"A": 1419.60635346, "B": 1230, "C": 1175.93091591, "D": 1120}),
    ],
)
def test_anchors_place_the_ratings(anchors, mode, expected) -> None:
    close(fit_matrix(TABLE, "ABCD", anchors=anchors, mode=mode, prior_games=0), expected)


def test_doubt_about_listed_anchors_widens_the_others() -> None:
    listed = {"B": 1230.0, "D": 1120.0}
    sure = fit_matrix(TABLE, "ABCD", anchors=listed, prior_games=0)
    doubtful = fit_matrix(TABLE, "ABCD", anchors=listed, anchor_covariance=[[100, 0], [0, 100]], prior_games=0)
    assert [sure[name].estimate.stderr for name in "AC"] == pytest.approx([83.1827, 71.3219], abs=6e-5)
    assert [doubtful[name].estimate.stderr for name in "AC"] == pytest.approx([83.4884, 71.6719], abs=6e-5)
    assert sure["B"].estimate.stderr is None and sure["B"].kind == "fixed"
    assert doubtful["B"].estimate.stderr == pytest.approx(10)


def test_two_anchors_move_and_stretch_the_scale() -> None:
    ratings = fit_matrix(TABLE, "ABCD", anchors={"D": 1000.0, "A": 1600.0}, mode="affine", prior_games=0)
    stretch = 600 / (FREE["A"] - FREE["D"])
    close(ratings, {name: 1000 + stretch * (value - FREE["D"]) for name, value in FREE.items()}, 1e-6)
    # The error of B by the delta method, from moving each pair's points a little.
    assert ratings["A"].estimate.stderr is None
    assert ratings["B"].estimate.stderr == pytest.approx(_affine_error(), rel=1e-4)
    with pytest.raises(RequestError, match="mean_pin"):
        fit_matrix(TABLE, "ABCD", anchors={"D": 1600.0, "A": 1000.0}, mode="affine")


def _affine_error() -> float:
    """By differences: the rating of B under strengths moved along the columns of a root of the free covariance."""
    free = fit_matrix(TABLE, "ABCD", prior_games=0)
    theta = np.array([free[name].value for name in "ABCD"])
    size, direction = np.linalg.eigh(free.covariance)

    def b(strength: np.ndarray) -> float:
        return 1000 + 600 * (strength[1] - strength[3]) / (strength[0] - strength[3])

    slopes = [(b(theta + 1e-4 * column) - b(theta - 1e-4 * column)) / 2e-4 for column in direction.T]
    return math.sqrt(sum(max(0, variance) * slope**2 for variance, slope in zip(size, slopes, strict=True)))


def test_the_likelihood_ratio_tests_held_anchors() -> None:
    pinned = likelihood_ratio(table_games(), ["B", "D"])
    assert pinned.statistic == pytest.approx(4.5819033774, abs=1e-9)
    assert (pinned.degrees, pinned.p) == (1, pytest.approx(0.0323113048, abs=1e-9))
    held = fit_matrix(TABLE, "ABCD", anchors=["B", "D"], mode="shared_pin", prior_games=0)
    assert held.log_likelihood == pytest.approx(-33.5155364342 - 4.5819033774 / 2, abs=1e-9)
    assert likelihood_ratio(table_games(), {"B": 1230, "D": 1120}).statistic == pytest.approx(0.6869892981, abs=1e-9)
    with pytest.raises(RequestError, match="two"):
        likelihood_ratio(table_games(), ["B"])


def test_the_likelihood_ratio_stands_when_games_are_separated() -> None:
    # Given x won all of P and lost all to Q, held equal: the best is even chances, ln(1/2) a game.
    games = series("x", "P", 5, 0, 0) + series("x", "Q", 0, 0, 5)
    assert likelihood_ratio(games, ["P", "Q"]).statistic == pytest.approx(20 * math.log(2), abs=1e-6)


def test_a_virtual_draw_keeps_an_unbeaten_model_finite() -> None:
    expected = {"A": 1745.57041551, "B": 1086.62275638, "C": 1018.39908416, "D": 949.40774394}
    ratings = fit_matrix(UNBEATEN, "ABCD")
    close(ratings, expected)
    assert ratings["A"].bounded_by_prior and ratings["A"].bound == "above"
    assert ratings["A"].estimate.high is None and ratings["A"].estimate.low < 1745
    assert not ratings["B"].bounded_by_prior and ratings["B"].estimate.high is not None
    assert ratings.components == (("A",), ("B", "C", "D"))
    assert "bounded by the prior: A" in ratings.notes[0]
    close(fit_matrix(TABLE, "ABCD"), {"A": 1380.6245854, "B": 1226.83879007, "C": 1141.42666039, "D": 1051.10996414})


def test_a_normal_prior_does_so_too() -> None:
    expected = {"A": 1789.34563083, "B": 1073.72426404, "C": 1003.68579737, "D": 933.24430776}
    close(fit_matrix(UNBEATEN, "ABCD", prior_games=0, prior_sd=STRETCHED / math.sqrt(0.1)), expected)


def test_without_a_prior_an_unbeaten_model_has_no_rating_and_the_rest_do() -> None:
    games = series("가", "나", 5, 0, 0) + series("가", "다", 5, 0, 0) + series("나", "다", 3, 0, 2)
    exact = bradley_terry(games, prior_games=0)
    assert exact["가"].estimate is None and exact["가"].bound == "above"
    assert exact["가"].note == "no finite estimate without a prior"
    assert exact.difference("나", "다").value == pytest.approx(70.44, abs=0.005)
    assert exact.difference("가", "다") is None
    # With the prior the order is kept, everything is finite, and the interval is open above.
    ratings = bradley_terry(games)
    assert list(ratings.values) == ["가", "나", "다"]
    assert all(math.isfinite(value) for value in ratings.values.values())
    assert ratings["가"].estimate.high is None and ratings["가"].estimate.low is not None
    assert ratings.difference("가", "다").low is None


def test_a_winless_model_is_open_below_and_a_lone_pair_on_both_ends() -> None:
    winless = fit_matrix(UNBEATEN.T, "ABCD")
    assert winless["A"].bound == "below" and winless["A"].estimate.low is None
    assert winless.components[-1] == ("A",)
    pair = bradley_terry(series("x", "y", 3, 0, 0))
    assert (pair["x"].bound, pair["y"].bound) == ("above", "below")
    assert bradley_terry(series("x", "y", 3, 0, 0), prior_games=0).values == {}


def test_an_unbeaten_model_is_not_surer_for_having_no_residuals() -> None:
    ratings = bradley_terry(series("x", "P", 100, 0, 0), anchors={"P": 1200.0})
    # 100 wins of 100 leave chances down to .9638 (95 %, exact): a gap of 570 at least.
    assert ratings["x"].estimate.low < 1200 + 400 * math.log10(0.9638 / 0.0362)


def test_models_that_no_games_link_to_the_rest_are_unrated() -> None:
    games = table_games() + series("X", "Y", 3, 0, 2)
    for prior in (0, 1):
        ratings = bradley_terry(games, prior_games=prior)
        assert ratings.unrated == ("X", "Y") and ratings["X"].note == "no games link it to the rated models"
        assert ratings.values == pytest.approx(bradley_terry(table_games(), prior_games=prior).values)
    # The anchors, not the number of models, say which part is rated; without a reason neither half is.
    assert set(bradley_terry(games, anchors=["X"]).values) == {"X", "Y"}
    assert bradley_terry(series("a", "b", 1, 0, 1) + series("c", "d", 1, 0, 1)).values == {}
    # Held anchors on both sides link them.
    both = bradley_terry(games, anchors={"A": 1400.0, "X": 1300.0})
    assert set(both.values) == set("ABCDXY") and not any(rating.bound for rating in both.ratings)


def test_golden_ratings_against_one_fixed_anchor() -> None:
    for games, expected in ((series("x", "P", 18, 0, 6), 1390.85), (series("x", "P", 12, 6, 6), 1288.74)):
        for order in (games, games[::-1]):
            value = bradley_terry(order, anchors={"P": 1200.0}, prior_games=0)["x"].value
            assert value == pytest.approx(expected, abs=0.005)
    pooled = series("x", "P", 3, 0, 7) + series("x", "Q", 9, 0, 1) + series("x", "R", 5, 0, 5)
    ratings = bradley_terry(pooled, anchors=["P", "Q", "R"], mode="shared_pin", prior_games=0)
    assert ratings["x"].value == pytest.approx(1246.60, abs=0.005)


def test_with_held_anchors_a_new_model_leaves_the_others_alone() -> None:
    anchors = {"P": 1500.0, "Q": 900.0}
    games = series("x", "P", 3, 0, 7) + series("x", "Q", 8, 1, 1)
    more = games + series("y", "P", 6, 0, 4) + series("y", "Q", 9, 0, 1)
    before, after = bradley_terry(games, anchors=anchors), bradley_terry(more, anchors=anchors)
    assert before["x"].estimate.value == after["x"].estimate.value
    # A game between the two breaks that, unless x is frozen.
    linked = more + series("y", "x", 5, 0, 0)
    assert bradley_terry(linked, anchors=anchors)["x"].value != pytest.approx(before["x"].value, abs=1)
    frozen = bradley_terry(linked, anchors=anchors, frozen={"x": before["x"].value})
    assert frozen["x"].value == pytest.approx(before["x"].value, abs=1e-9) and frozen["x"].kind == "fixed"


def test_a_fixed_value_equals_a_logistic_regression_with_an_offset() -> None:
    # x against anchors at 1500 and 900 alone: the score equation, solved by bisection.
    games = series("x", "P", 3, 0, 7) + series("x", "Q", 8, 0, 2)

    def excess(rating: float) -> float:
        return 11 - 10 / (1 + 10 ** ((1500 - rating) / 400)) - 10 / (1 + 10 ** ((900 - rating) / 400))

    low, high = 0.0, 3000.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    value = bradley_terry(games, anchors={"P": 1500.0, "Q": 900.0}, prior_games=0)["x"].value
    assert value == pytest.approx(low, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(outcomes(), st.randoms(use_true_random=False), st.sampled_from([0, 1]))
def test_neither_order_nor_names_nor_sides_matter(rows, random, prior) -> None:
    # Given the games in another order, some told from the other side, under other names (the order of names reversed).
    names = dict(zip("abcde", ["하", "\udc80", "z\x00", "M", "=1"], strict=True))
    games = [Game(*pair, score, item=f"i{at % 4}") for at, (pair, score) in enumerate(rows)]
    other = [
        Game(names[game.b], names[game.a], 1 - game.score, game.item)
        if random.random() < 0.5
        else Game(names[game.a], names[game.b], game.score, game.item)
        for game in random.sample(games, len(games))
    ]
    before, after = bradley_terry(games, prior_games=prior), bradley_terry(other, prior_games=prior)
    assert {names[name]: value for name, value in before.values.items()} == pytest.approx(after.values, abs=1e-7)
    for rating in before.ratings:
        twin = after[names[rating.model]]
        assert (rating.bound, rating.games, rating.note) == (twin.bound, twin.games, twin.note)
        if rating.estimate and rating.estimate.stderr is not None:
            assert rating.estimate.stderr == pytest.approx(twin.estimate.stderr, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(outcomes(), st.sampled_from([0, 0.01, 1]), st.sampled_from(["items", "rows", "model"]))
def test_no_number_is_ever_undefined(rows, prior, errors) -> None:
    games = [Game(*pair, score, item="one" if at % 2 else "") for at, (pair, score) in enumerate(rows)]
    ratings = bradley_terry(games, prior_games=prior, errors=errors)
    for rating in ratings.ratings:
        if rating.estimate:
            shown = (rating.estimate.value, rating.estimate.stderr, rating.estimate.low, rating.estimate.high)
            assert all(number is None or math.isfinite(number) for number in shown)
            assert (rating.estimate.high is None) or rating.bound not in ("above", "both")
    assert math.isfinite(ratings.log_likelihood)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_the_slope_is_zero_at_the_ratings_however_uneven_the_points(seed) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 8))
    wins = random.integers(0, 10, (size, size)) * 10.0 ** random.integers(-2, 4, (size, size))
    np.fill_diagonal(wins, 0)
    ratings = fit_matrix(wins, prior_games=0.5, anchors={"0": 1200.0})
    if len(ratings.values) < size:
        return
    theta = np.array([(ratings[str(at)].value - 1200) / STRETCHED for at in range(size)])
    chance = 1 / (1 + np.exp(-(theta[:, None] - theta)))
    slope = wins.sum(axis=1) - ((wins + wins.T) * chance).sum(axis=1) + 0.5 * (0.5 - 1 / (1 + np.exp(-theta)))
    assert np.abs(slope[1:]).max() <= 1e-9 * (1 + wins.sum())


def test_the_errors_by_item_are_those_of_repeated_experiments() -> None:
    # Given items that favour the same model under every judge: 3 judges are not 3 times as many games.
    random = np.random.default_rng(5)
    names = [f"m{at}" for at in range(8)]
    values, errors = [], {"items": [], "rows": [], "model": []}
    for _ in range(40):
        games = simulated(random, np.linspace(1, -1, 8).tolist(), items=60, judges=3)
        fits = {kind: bradley_terry(games, errors=kind) for kind in errors}
        values.append([fits["items"][name].value for name in names])
        for kind, ratings in fits.items():
            errors[kind].append([ratings[name].estimate.stderr for name in names])
    true = np.std(values, axis=0, ddof=1).mean()
    assert np.mean(errors["items"]) == pytest.approx(true, rel=0.12)
    assert np.mean(errors["model"]) < 0.8 * true
    assert np.mean(errors["rows"]) < 0.65 * true


def test_evalica_and_choix_agree() -> None:
    evalica, choix = pytest.importorskip("evalica"), pytest.importorskip("choix")
    random = np.random.default_rng(3)
    wins = random.integers(1, 30, (12, 12)).astype(float)
    np.fill_diagonal(wins, 0)
    names = [f"m{at}" for at in range(12)]
    ours = fit_matrix(wins, names, prior_games=0).values
    theirs = choix.ilsr_pairwise_dense(wins, tol=1e-12, max_iter=1000)
    assert ours == pytest.approx(dict(zip(names, 1200 + STRETCHED * (theirs - theirs.mean()), strict=True)), abs=1e-5)
    rows = [(a, b) for a in range(12) for b in range(12) if a != b]
    other = evalica.bradley_terry(
        [names[a] for a, _ in rows],
        [names[b] for _, b in rows],
        [evalica.Winner.X] * len(rows),
        weights=[wins[pair] for pair in rows],
        tolerance=1e-12,
        limit=10_000,
    ).scores
    logs = np.log10(other[names].to_numpy())
    assert ours == pytest.approx(dict(zip(names, 1200 + 400 * (logs - logs.mean()), strict=True)), abs=1e-4)


def test_a_win_matrix_counts_both_sides() -> None:
    games = table_games()
    codes = [["ABCD".index(name) for name in side] for side in zip(*((game.a, game.b) for game in games), strict=True)]
    wins = win_matrix(*codes, [game.score for game in games])
    assert wins.tolist() == TABLE.tolist()
    assert win_matrix([], [], []).shape == (0, 0)


def test_drift_of_held_anchors_is_found_and_their_doubt_counts() -> None:
    random = np.random.default_rng(11)
    games = simulated(random, [1.2, 0.5, 0.0, -1.5], items=60, judges=2)
    true = {"m0": 1200 + 1.2 * STRETCHED, "m3": 1200 - 1.5 * STRETCHED, "m2": 1200.0}
    # Item effects attenuate the scale, so the frozen values are those of another run on other items.
    frozen = bradley_terry(simulated(random, [1.2, 0.5, 0.0, -1.5], items=2000)).values
    steady = anchor_drift(games, {name: frozen[name] for name in true})
    assert not steady.has_drifted and steady.degrees == 2
    moved = {"m0": frozen["m0"] - 150, "m2": frozen["m2"], "m3": frozen["m3"]}
    drifted = anchor_drift(games, moved)
    assert drifted.has_drifted and drifted.shifts["m0"] > 60
    assert not anchor_drift(games, moved, (100.0**2 * np.eye(3)).tolist()).has_drifted
    assert anchor_drift(series("x", "y", 2, 0, 2), {"x": 1200.0, "y": 1200.0}).p is None


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"anchors": ["E"]}, "'E' has no game"),
        ({"anchors": ["A", "A"]}, "twice"),
        ({"anchors": ["A"], "mode": "listed"}, "value"),
        ({"anchors": ["A"], "mode": "lokced"}, "locked"),
        ({"mode": "mean_pin"}, "needs anchors"),
        ({"anchors": ["A"], "mode": "free"}, "no anchors"),
        ({"anchors": {"A": math.nan}}, "finite"),
        ({"anchors": {"A": 1200.0, "B": 1100.0}, "mode": "shared_pin"}, "listed"),
        ({"anchors": {"A": 1200.0}, "mode": "affine"}, "two anchors"),
        ({"anchors": {"A": 1200.0}, "anchor_covariance": [[-1.0]]}, "covariance"),
        ({"anchors": ["A"], "anchor_covariance": [[1.0]]}, "covariance"),
        ({"prior_games": -1}, "prior_games"),
        ({"prior_sd": 0}, "prior_sd"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_one_line(options, match) -> None:
    with pytest.raises(RequestError, match=match) as raised:
        bradley_terry(table_games(), **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "game", [("a", "a", 1, "i"), ("a", "b", 1.1), ("a", "b", math.nan), ("a", "b", 1, "", "", "", 0)]
)
def test_a_game_that_cannot_be_is_refused(game) -> None:
    with pytest.raises(RequestError, match="game of 'a'"):
        Game(*game)


@pytest.mark.parametrize("wins", [[[0, 1]], [[0, -1], [1, 0]], [[0, math.inf], [1, 0]], [[1, 1], [1, 0]]])
def test_a_win_matrix_that_cannot_be_is_refused(wins) -> None:
    with pytest.raises(RequestError, match="wins"):
        fit_matrix(np.array(wins, dtype=float))


def test_no_games_are_no_ratings() -> None:
    assert bradley_terry([]).values == {} and bradley_terry([], anchors=["A"]).ratings == ()
    with pytest.raises(RequestError, match="no games of model 'A'"):
        bradley_terry([])["A"]
