"""Plans: every work in one pack, no pack over its budget, hardly a token twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("transformers")

from jatdae.models.hf.planning import Work, common_length, grow_tree, plan, plan_padded, token_ids, trie_order

sequences = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=12).map(tuple), min_size=1, max_size=25, unique=True
)


def work(ids: tuple[int, ...], first: int) -> Work:
    return Work(token_ids(ids), tuple((row, 0) for row in range(min(first, len(ids) - 1), len(ids))))


def distinct(ids: list[tuple[int, ...]], depth: int = 0) -> int:
    return len({sequence[: n + 1] for sequence in ids for n in range(depth, len(sequence))})


@given(sequences, st.integers(0, 6), st.integers(1, 40))
def test_every_work_is_in_one_pack_and_no_pack_exceeds_the_budget(
    ids: list[tuple[int, ...]], first: int, budget: int
) -> None:
    works = [work(sequence, first) for sequence in ids]
    packs = plan(works, budget=budget, row_limit=10**6)
    assert sorted(k for pack in packs for k in pack.members) == list(range(len(works)))
    for pack in packs:
        members = [ids[k] for k in pack.members]
        assert all(sequence[: len(pack.prefix)] == tuple(pack.prefix) for sequence in members)
        assert all(works[k].first_row >= len(pack.prefix) for k in pack.members)
        assert len(members) == 1 or distinct(members, len(pack.prefix)) <= budget


@given(st.lists(st.lists(st.sampled_from([0, 1, 70_000]), max_size=200).map(tuple), max_size=30))
def test_the_order_of_a_trie_is_that_of_the_ids(ids: list[tuple[int, ...]]) -> None:
    """Sequences may be equal, empty, or share any beginning."""
    order = trie_order([token_ids(sequence) for sequence in ids])
    assert sorted(order) == list(range(len(ids)))
    assert [ids[place] for place in order] == sorted(ids)


@given(st.integers(1, 300), st.integers(1, 10))
def test_long_beginnings_are_sorted_by_what_follows_them(shared: int, count: int) -> None:
    ids = [(7,) * (shared * (1 + k % 2)) + (count - k,) for k in range(count)]
    assert [ids[place] for place in trie_order([token_ids(sequence) for sequence in ids])] == sorted(ids)


@given(sequences, st.integers(0, 3))
def test_a_tree_node_sees_its_own_sequence_and_nothing_else(ids: list[tuple[int, ...]], cached: int) -> None:
    ids = sorted(sequence for sequence in ids if len(sequence) > cached and sequence[:cached] == (0,) * cached)
    if not ids:
        return
    tree = grow_tree([token_ids(sequence) for sequence in ids], cached)
    assert len(tree.tokens) == distinct(ids, cached)
    for sequence, path in zip(ids, tree.paths, strict=True):
        assert tuple(tree.tokens[path]) == sequence[cached:]
        assert list(tree.positions[path]) == list(range(cached, len(sequence)))
        assert sorted(np.flatnonzero(tree.allowed[path[-1]])) == sorted(path)


def test_several_few_shot_heads_are_each_computed_once() -> None:
    """Given 9 subjects with a head of 300 tokens and 12 questions each, then hardly more than distinct tokens run."""
    ids = [tuple([subject] * 300 + [100 + question] * 40) for subject in range(9) for question in range(12)]
    packs = plan([work(sequence, 339) for sequence in ids], budget=128, row_limit=10**6)
    computed, before = 0, token_ids(())
    for pack in packs:
        shared = common_length(pack.prefix, before)
        computed += len(pack.prefix) - shared + distinct([ids[k] for k in pack.members], len(pack.prefix))
        before = pack.prefix
    assert computed <= 1.02 * distinct(ids)


def test_outputs_count_against_a_limit_of_their_own() -> None:
    ids = [tuple([k] * 10) for k in range(20)]
    packs = plan([work(sequence, 0) for sequence in ids], budget=10**6, row_limit=50)
    assert {len(pack.members) for pack in packs} == {5}


@given(sequences, st.integers(1, 40))
def test_padded_batches_hold_all_works_within_the_budget(ids: list[tuple[int, ...]], budget: int) -> None:
    packs = plan_padded([work(sequence, 0) for sequence in ids], budget=budget)
    assert sorted(k for pack in packs for k in pack.members) == list(range(len(ids)))
    for pack in packs:
        size = max(len(ids[k]) for k in pack.members) * len(pack.members)
        assert len(pack.members) == 1 or size <= budget
