"""The table of ratings: judges averaged, tracks at equal weight, intervals from resampled items."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rating_games import series, simulated

from jatdae.errors import RequestError
from jatdae.stats.ratings import Game, RatingSettings, bradley_terry, rate

pytestmark = pytest.mark.filterwarnings("error")

QUICK = RatingSettings(draws=200)
POINT = RatingSettings(draws=0, prior_games=1e-9)
STRENGTHS = {"a": 1.0, "b": 0.3, "c": -0.2, "d": -1.1}


def exact(judge: str, models: str = "abcd", weight: float = 1.0, track: str = "", scale: float = 1.0) -> list[Game]:
    """Games whose scores are the very chances of these strengths, so that the fit gives back the strengths."""
    return [
        Game(a, b, 1 / (1 + math.exp(scale * (STRENGTHS[b] - STRENGTHS[a]))), f"{a}{b}", judge, track, weight)
        for a in models
        for b in models
        if a < b
    ]


def values(table) -> dict[str, float]:
    return dict(table.values)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    found = simulated(np.random.default_rng(2), [0.9, 0.5, 0.5, -0.2, -1.0], items=60, judges=2)
    return [replace(game, track=f"t{int(game.item.split()[1]) % 2}") for game in found]


def test_one_judge_and_one_track_are_a_plain_fit() -> None:
    # Given games of one judge, the rating is the fit's and the spread of resamples is near the errors by item.
    games = simulated(np.random.default_rng(1), [0.8, 0.2, -0.3, -0.7], items=80)
    table, ratings = rate(games, RatingSettings(anchors=["m0"], draws=2000)), bradley_terry(games, anchors=["m0"])
    assert values(table) == pytest.approx(ratings.values, abs=1e-7)
    for model in ("m1", "m2", "m3"):
        estimate = table[model].rating.estimate
        assert estimate.stderr == pytest.approx(ratings[model].estimate.stderr, rel=0.08)
        assert estimate.low < estimate.value < estimate.high
        assert (estimate.n, estimate.clusters) == (240, 80)
    assert table["m0"].rating.estimate.stderr is None and table["m0"].rating.kind == "anchor"


def test_judges_count_the_same_however_many_games_they_judged() -> None:
    random = np.random.default_rng(3)
    few, many = (
        [replace(game, judge=judge) for game in simulated(random, strengths, items=items)]
        for judge, strengths, items in (("few", [0.6, 0.0, -0.6], 20), ("many", [1.4, 0.3, -1.0], 200))
    )
    apart = [bradley_terry(some, anchors=["m1"]).values for some in (few, many)]
    table = rate(few + many, RatingSettings(anchors=["m1"], draws=0))
    for model in ("m0", "m1", "m2"):
        assert table.values[model] == pytest.approx((apart[0][model] + apart[1][model]) / 2, abs=1e-7)
        assert table[model].by_judge["few"].value == pytest.approx(apart[0][model], abs=1e-7)
        assert table[model].without_judge == pytest.approx({"few": apart[1][model], "many": apart[0][model]}, abs=1e-7)


def test_a_judge_that_did_not_see_an_anchor_does_not_move_the_origin() -> None:
    # Given judge 2 is the anchor a itself, so that its own games are missing: both judges agree on all that they saw.
    full = rate(exact("one") + exact("two"), replace(POINT, anchors=["a", "d"]))
    partly = rate(exact("one") + exact("two", "bcd"), replace(POINT, anchors=["a", "d"]))
    assert values(partly) == pytest.approx(values(full), abs=1e-4)
    # The judge's own column is placed by the anchor that it has.
    assert partly["d"].by_judge["two"].value == pytest.approx(full.values["d"], abs=1e-4)
    assert partly["a"].by_judge["two"] is None and partly["a"].without_judge["one"] is None


def test_an_anchor_that_one_judge_or_all_did_not_see_leaves_the_rest_rated() -> None:
    table = rate(exact("one") + exact("two", "bcd"), replace(POINT, anchors=["a"]))
    for model in "bcd":
        assert table[model].by_judge["two"].value == pytest.approx(table.values[model], abs=1e-4)
    # Given all games of the anchor were its own to judge, the others are rated around their own mean.
    own = [Game("a", "b", 1.0, judge="a")]
    lost = rate(own + exact("two", "bcd"), replace(POINT, anchors=["a"]))
    assert np.mean([lost.values[model] for model in "bcd"]) == pytest.approx(1200)
    assert lost["a"].rating.estimate is None and "no anchor has a game" in lost.notes[0]


def test_a_judge_whose_games_fall_apart_still_counts_on_both_sides() -> None:
    # Given judge 2 saw a-b and c-d only: each pair is moved to where judge 1 has it.
    halves = exact("two", "ab") + exact("two", "cd")
    table = rate(exact("one") + halves, replace(POINT, anchors=["a"]))
    assert values(table) == pytest.approx(values(rate(exact("one"), replace(POINT, anchors=["a"]))), abs=1e-4)


def test_tracks_count_the_same_however_many_games_they_have() -> None:
    even = exact("j", track="1") + exact("j", track="2", scale=0.3)
    heavy = exact("j", track="1") * 5 + exact("j", track="2", scale=0.3, weight=0.5)
    anchored = replace(POINT, anchors=["c"])
    assert values(rate(heavy, anchored)) == pytest.approx(values(rate(even, anchored)), abs=1e-4)
    table = rate(heavy, anchored)
    alone = {track: rate(exact("j", track=track, scale=scale), anchored) for track, scale in (("1", 1), ("2", 0.3))}
    for model in "abcd":
        for track, own in alone.items():
            assert table[model].by_track[track].value == pytest.approx(own.values[model], abs=1e-4)


def test_intervals_of_judges_and_tracks_come_from_the_same_resamples(games) -> None:
    table = rate(games, RatingSettings(anchors=["m4"], draws=400))
    row = table["m0"]
    assert set(row.by_judge) == {"judge 0", "judge 1"} and set(row.by_track) == {"t0", "t1"}
    for estimate in (*row.by_judge.values(), *row.by_track.values()):
        assert estimate.low < estimate.value < estimate.high
    assert all(estimate.clusters == 30 for estimate in row.by_track.values())
    assert all(estimate.stderr > row.rating.estimate.stderr for estimate in row.by_track.values())
    assert (table.games, table.items, table.judges, table.tracks) == (1200, 60, ("judge 0", "judge 1"), ("t0", "t1"))


def test_models_that_are_alike_share_a_range_of_ranks(games) -> None:
    table = rate(games, RatingSettings(draws=400))
    assert table["m1"].ranks[1] >= table["m2"].ranks[0] and table["m2"].ranks[1] >= table["m1"].ranks[0]
    assert table["m4"].ranks == (5, 5)
    assert table.ahead["m0", "m4"] == 1 and table.ahead["m4", "m0"] == 0
    assert 0.02 < table.ahead["m1", "m2"] < 0.98
    assert table.ahead["m1", "m2"] + table.ahead["m2", "m1"] == pytest.approx(1)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_neither_order_nor_names_reach_the_numbers(games, seed) -> None:
    # Given the games shuffled and the models renamed in another order of the alphabet, the table is the same.
    random = Random(seed)
    names = {"m0": "하", "m1": "\udc80", "m2": "z\x00", "m3": "M", "m4": "=1"}
    other = [
        replace(game, a=names[game.a], b=names[game.b])
        if random.random() < 0.5
        else replace(game, a=names[game.b], b=names[game.a], score=1 - game.score)
        for game in random.sample(games, len(games))
    ]
    before = rate(games, replace(QUICK, anchors=["m3"]))
    after = rate(other, replace(QUICK, anchors=[names["m3"]]))
    for row in before.rows:
        twin = after[names[row.rating.model]]
        ours, theirs = row.rating.estimate, twin.rating.estimate
        assert (ours.value, row.ranks) == (pytest.approx(theirs.value, abs=1e-6), twin.ranks)
        if ours.low is not None:
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


def test_the_draws_follow_the_seed_alone(games) -> None:
    assert rate(games, QUICK) == rate(games[::-1], QUICK)
    loose = [replace(game, item="") for game in games[:300]]
    assert rate(loose, QUICK) == rate(loose[::-1], QUICK)
    other = rate(games, replace(QUICK, seed=1))
    assert other.values == rate(games, QUICK).values
    assert other["m0"].rating.estimate.low != rate(games, QUICK)["m0"].rating.estimate.low


def test_games_that_a_contestant_judged_are_left_out_under_any_alias(games) -> None:
    own = [replace(game, judge="via/m0@high", score=1.0) for game in games if game.a == "m0"]
    table = rate(games + own, replace(QUICK, identity={"via/m0": "m0"}))
    assert table.self_judged == len(own) and table.games == len(games)
    assert values(table) == values(rate(games, QUICK))


def test_an_unbeaten_model_is_open_above_and_a_lonely_pair_unrated(games) -> None:
    extra = [Game("best", f"m{at % 5}", 1.0, f"item {at}", "judge 0", f"t{at % 2}") for at in range(40)]
    table = rate(games + extra + series("x", "y", 3, 0, 1), QUICK)
    best = table["best"].rating
    assert table.rows[0].rating == best and best.bounded_by_prior and best.bound == "above"
    assert best.estimate.high is None and best.estimate.low < best.estimate.value - 200
    assert table["best"].unsettled == ("judge 0",)
    assert table["x"].rating.estimate is None and table["x"].ranks is None and "no games" in table["x"].rating.note
    assert table.components[0] == ("best",)
    assert [row.rating.model for row in table.rows[-2:]] == ["x", "y"]
    assert not table["m0"].rating.bound and table["m0"].rating.estimate.high is not None


def test_a_model_that_most_resamples_miss_has_no_interval(games) -> None:
    few = [Game("rare", model, score, "item 1", "judge 0", "t1") for model, score in (("m0", 0.5), ("m4", 0.75))]
    estimate = rate(games + few, QUICK)["rare"].rating.estimate
    assert math.isfinite(estimate.value) and estimate.low is None and estimate.stderr is None
    assert "undefined" in estimate.method and "none: too many undefined" in estimate.method


def test_one_item_gives_no_interval() -> None:
    table = rate([replace(game, item="one") for game in series("a", "b", 3, 0, 2)], QUICK)
    assert table["a"].rating.estimate.low is None and "none" in table["a"].rating.estimate.method


def test_held_anchors_are_tested_and_their_doubt_widens_the_others(games) -> None:
    free = rate(games, replace(QUICK, draws=0)).values
    held = {"m0": free["m0"], "m4": free["m4"]}
    sure = rate(games, replace(QUICK, anchors=held))
    assert sure.drift is not None and not sure.drift.has_drifted
    assert sure["m0"].rating.kind == "fixed" and sure["m0"].rating.estimate.stderr is None
    doubtful = rate(games, replace(QUICK, anchors=held, anchor_covariance=[[900.0, 0.0], [0.0, 900.0]]))
    assert doubtful["m0"].rating.estimate.stderr == pytest.approx(30, rel=0.2)
    assert doubtful["m2"].rating.estimate.stderr > 1.2 * sure["m2"].rating.estimate.stderr
    pinned = rate(games, replace(QUICK, anchors=["m0", "m4"], mode="shared_pin"))
    assert pinned.drift.has_drifted and pinned.values["m0"] == pinned.values["m4"] == 1200
    assert rate(games, QUICK).drift is None


def test_frozen_models_stay_and_the_table_says_where_they_would_go(games) -> None:
    free = rate(games, replace(POINT, anchors=["m4"])).values
    table = rate(games, replace(POINT, anchors=["m4"], frozen={"m0": free["m0"] + 50, "m4": 1200.0}))
    assert table.values["m0"] == pytest.approx(free["m0"] + 50) and table["m0"].rating.kind == "fixed"
    assert table.unfrozen == pytest.approx({"m0": -50, "m4": 0}, abs=1e-6)


def test_two_anchors_stretch_every_resample(games) -> None:
    table = rate(games, replace(QUICK, anchors={"m4": 1000.0, "m0": 2000.0}, mode="affine"))
    free = rate(games, QUICK).values
    assert (table.values["m4"], table.values["m0"]) == pytest.approx((1000, 2000))
    share = (free["m2"] - free["m4"]) / (free["m0"] - free["m4"])
    assert table.values["m2"] == pytest.approx(1000 + 1000 * share, abs=1e-6)
    assert table["m2"].rating.estimate.low < table.values["m2"] < table["m2"].rating.estimate.high
    with pytest.raises(RequestError, match="mean_pin"):
        rate(games, replace(QUICK, anchors={"m0": 1000.0, "m4": 2000.0}, mode="affine"))


MODES = [
    {},
    {"anchors": ["a"]},
    {"anchors": ["a", "b"], "mode": "shared_pin"},
    {"anchors": {"a": 1300.0, "b": 1100.0}, "anchor_covariance": [[400.0, 0.0], [0.0, 400.0]]},
    {"frozen": {"a": 1234.0}},
    {"prior_games": 0, "prior_sd": 350.0},
]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.permutations("abcdef"),
            st.sampled_from([0, 0.25, 0.5, 1]),
            st.sampled_from(["", "i", "j", "k"]),
            st.sampled_from(["", "p", "q", "c"]),
            st.sampled_from(["1", "2"]),
        ),
        max_size=14,
    ),
    st.sampled_from(MODES),
)
def test_no_number_is_ever_undefined(rows, options) -> None:
    games = [Game(names[0], names[1], *rest) for names, *rest in rows] + [Game("a", "b", 0.75, "i", "p", "1")]
    table = rate(games, RatingSettings(draws=20, **options))
    assert {row.rating.model for row in table.rows} == {name for game in games for name in (game.a, game.b)}
    for row in table.rows:
        for estimate in (row.rating.estimate, *row.by_judge.values(), *row.by_track.values()):
            if estimate is not None:
                shown = (estimate.value, estimate.stderr, estimate.low, estimate.high)
                assert all(number is None or math.isfinite(number) for number in shown)
        assert all(value is None or math.isfinite(value) for value in row.without_judge.values())
        assert (row.rating.estimate is None) == bool(row.rating.note)
        assert row.ranks is None or row.rating.estimate is not None
    assert all(0 <= share <= 1 for share in table.ahead.values())
    assert all(math.isfinite(shift) for shift in table.unfrozen.values())


def test_no_game_that_counts_is_an_empty_table() -> None:
    assert rate([]).rows == () and rate([], RatingSettings(anchors=["a"], frozen={"b": 1.0})).values == {}
    table = rate([Game("a", "b", 1, judge="a")], RatingSettings(anchors=["a"]))
    assert (table.self_judged, table.games, table.values) == (1, 0, {})
    assert [row.rating.note for row in table.rows] == ["no games link it to the rated models"] * 2
    with pytest.raises(RequestError, match="no games of model 'q'"):
        table["q"]


@pytest.mark.parametrize("options", [{"draws": 1}, {"draws": -1}, {"prior_games": 0}])
def test_settings_that_cannot_be_are_refused(options) -> None:
    with pytest.raises(RequestError, match=next(iter(options))):
        RatingSettings(**options)
