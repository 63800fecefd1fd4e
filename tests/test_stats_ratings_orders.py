"""Two verdicts by place, one an order, as one outcome."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.stats.ratings import Outcome, combine_orders, summarise_orders

FIRST = ["A", "A", "B", "A", "tie", "B", "A", "A"]
SECOND = ["B", "A", "A", "A", "A", "B", "B", "tie"]
words = st.sampled_from(["A", "A_much", "tie", "B", "B_much"])


def test_the_published_pairs_give_the_published_outcomes() -> None:
    outcomes = [combine_orders(*pair) for pair in zip(FIRST, SECOND, strict=True)]
    assert [outcome.score for outcome in outcomes if outcome] == [1, 0.5, 0, 0.5, 0.25, 0.5, 1, 0.75]
    orders = summarise_orders(zip(FIRST, SECOND, strict=True))
    assert (orders.comparisons, orders.consistent, orders.inconsistent, orders.leans) == (8, 3, 3, 2)
    assert orders.first_wins.value == 9 / 14 and orders.first_wins.n == 14
    assert orders.consistency.value == 3 / 8


@pytest.mark.parametrize(
    ("first", "second", "score", "kind"),
    [
        ("A", "B", 1.0, "consistent"),
        ("B", "A", 0.0, "consistent"),
        ("A", "A", 0.5, "inconsistent"),
        ("B", "B", 0.5, "inconsistent"),
        ("tie", "tie", 0.5, "tie"),
        ("A", "tie", 0.75, "lean"),
        ("tie", "B", 0.75, "lean"),
        ("B", "tie", 0.25, "lean"),
        ("tie", "A", 0.25, "lean"),
        ("A_much", "B", 1.0, "consistent"),
    ],
)
def test_each_pair_of_verdicts_has_its_outcome(first, second, score, kind) -> None:
    assert combine_orders(first, second) == Outcome(score, kind)


def test_a_missing_verdict_is_no_outcome() -> None:
    assert combine_orders("A", None) is None and combine_orders(None, None) is None
    orders = summarise_orders([("A", None), ("A", "B")])
    assert (orders.comparisons, orders.excluded, orders.consistency.value) == (1, 1, 1)
    assert summarise_orders([("A", None)]).consistency is None


def test_a_judge_that_always_prefers_the_first_text_is_never_consistent() -> None:
    orders = summarise_orders([("A", "A")])
    assert (orders.inconsistent, orders.consistency.value, orders.flips.value) == (1, 0, 1)
    assert orders.first_wins.value == 1
    assert summarise_orders([("tie", "tie")]).first_wins is None


def test_the_verdicts_of_one_item_are_one_cluster() -> None:
    pairs = [("A", "B"), ("A", "B"), ("A", "A"), ("A", "A")] * 10
    by_item = summarise_orders(pairs, [f"{at // 4}-{at % 4 // 2}" for at in range(40)])
    alone = summarise_orders(pairs)
    assert by_item.consistency.clusters == 20
    assert by_item.consistency.high - by_item.consistency.low > alone.consistency.high - alone.consistency.low


@given(words, words)
def test_exchanging_the_models_turns_the_outcome_round(first, second) -> None:
    there, back = combine_orders(first, second), combine_orders(second, first)
    assert there and back
    assert there.score + back.score == 1 and there.kind == back.kind


@pytest.mark.parametrize("word", ["a", "draw", "", "_much", "A\ud800", "tie\x00"])
def test_another_word_is_refused(word) -> None:
    with pytest.raises(RequestError, match="A, B or tie"):
        combine_orders(word, "A")
