"""Schedules: even by construction, the same for the same input, and stable when a model joins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.judging.schedule import Pairing, Slot, compatible, stratified


def _slots(sizes: dict[str, int]) -> list[Slot]:
    return [Slot(f"{stratum}-{number:02d}", stratum) for stratum, size in sizes.items() for number in range(size)]


def _among(pairings: list[Pairing], anchors: list[str]) -> list[Pairing]:
    return [one for one in pairings if one.a not in anchors and one.b not in anchors]


rosters = st.integers(2, 9).map(lambda number: [f"model-{letter}" for letter in "abcdefghi"[:number]])
data = st.dictionaries(st.sampled_from(["직장", "가족", "시", "수필", "register"]), st.integers(2, 12), min_size=1).map(
    _slots
)


@settings(max_examples=60, deadline=None)
@given(rosters, data, st.integers(0, 5), st.integers(1, 15))
def test_games_are_even_over_models_pairs_and_strata(roster, slots, seed, per_model):
    anchors = ["기준-하나", "기준-둘"]

    pairings = stratified([*roster, *anchors], anchors, slots, seed=seed, per_model=per_model)

    games = _among(pairings, anchors)
    played = Counter(model for one in games for model in (one.a, one.b))
    counts = [played[model] for model in roster]
    assert max(counts) - min(counts) <= 1
    assert max(counts) <= per_model
    met = Counter((one.a, one.b) for one in games)
    times = [met[pair] for pair in combinations(sorted(roster), 2)]
    assert max(times) - min(times) <= 1
    assert len(set(pairings)) == len(pairings)


@settings(max_examples=40, deadline=None)
@given(rosters, data, st.integers(0, 5))
def test_shares_of_strata_stay_within_one_pair_while_every_pair_has_free_cases(roster, slots, seed):
    pairings = stratified(roster, [], slots, seed=seed, per_model=len(roster) - 1)

    sizes = Counter(slot.stratum for slot in slots)
    stratum = {slot.key: slot.stratum for slot in slots}
    used = Counter(stratum[one.case] for one in pairings)
    for name, size in sizes.items():
        assert abs(used[name] - len(pairings) * size / len(slots)) <= 1


@settings(max_examples=40, deadline=None)
@given(rosters, data, st.integers(0, 5), st.integers(1, 12))
def test_every_model_meets_every_anchor_on_the_same_cases(roster, slots, seed, anchor_cases):
    anchors = ["기준-하나", "기준-둘"]

    pairings = stratified(
        [*roster, *anchors], anchors, slots, seed=seed, per_model=3, anchor_cases=anchor_cases, play_anchors=False
    )

    cases = {
        (model, anchor): {one.case for one in pairings if {one.a, one.b} == {model, anchor}}
        for model in roster
        for anchor in anchors
    }
    assert len(set(map(frozenset, cases.values()))) == 1
    assert len(next(iter(cases.values()))) == min(anchor_cases, len(slots))


@settings(max_examples=40, deadline=None)
@given(rosters, data, st.integers(0, 5), st.integers(1, 12), st.randoms(use_true_random=False))
def test_a_schedule_depends_on_nothing_but_its_input(roster, slots, seed, per_model, shuffler):
    first = stratified(roster, [], slots, seed=seed, per_model=per_model)
    shuffler.shuffle(roster)
    shuffler.shuffle(slots)

    assert stratified(roster, [], slots, seed=seed, per_model=per_model) == first


@settings(max_examples=40, deadline=None)
@given(rosters, data, st.integers(0, 5), st.integers(1, 12))
def test_a_model_that_joins_changes_no_earlier_pair_and_gets_its_games(roster, slots, seed, per_model):
    earlier = stratified(roster, [], slots, seed=seed, per_model=per_model)

    later = stratified([*roster, "newcomer"], [], slots, seed=seed, per_model=per_model, kept=earlier)

    assert later[: len(earlier)] == earlier
    newcomer = [one for one in later if "newcomer" in (one.a, one.b)]
    assert len(newcomer) == min(per_model, len(roster) * len(slots))
    opponents = Counter(one.a if one.b == "newcomer" else one.b for one in newcomer)
    assert max(opponents.values()) - min(opponents[model] for model in roster) <= 1


def test_the_compatible_schedule_spends_a_cap_of_40_on_the_first_five_cases():
    keys = [f"1/T1-01-{number:02d}" for number in range(1, 51)]

    pairings = compatible([f"m{number}" for number in range(10)], [], keys, per_model=40)

    assert len(pairings) == 200
    assert {one.case for one in pairings} == set(keys[:5])


def test_the_compatible_schedule_of_the_pilot_puts_45_of_60_pairs_on_one_case():
    keys = [f"T1-{number:02d}" for number in range(60)]
    roster = [f"m{number}" for number in range(13)]

    pairings = compatible(roster, roster[:3], keys, per_model=12, anchor_cases=12)

    among = _among(pairings, roster[:3])
    assert (len(pairings), len(among)) == (420, 60)
    assert Counter(one.case for one in among).most_common(1)[0] == ("T1-00", 45)
