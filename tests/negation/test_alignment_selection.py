"""Selection and quotas: what must hold for any pool, exhaustive search as the other implementation, the real pool."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.negation.alignment import (
    CLASSES,
    CONVENTIONS,
    ItemLabels,
    Quota,
    class_counts,
    count_items,
    gold_labels,
    largest_remainder,
    next_items,
    read_benchmark,
    reference_study,
    select,
    select_and_measure,
)
from jatdae.negation.alignment.quotas import combined
from jatdae.negation.distribution import ClusterCounts, Distribution
from jatdae.stats import kl_divergence

TYPES, CLAUSES = CLASSES["types"], CLASSES["clauses"]
STEERED = (CONVENTIONS["SN+LN"], CONVENTIONS["c"])
REFERENCE = reference_study().distribution

LABELS = st.tuples(
    st.lists(st.sampled_from([*TYPES, "아니다"]), min_size=1, max_size=3),
    st.lists(st.sampled_from(TYPES), max_size=1),
    st.sampled_from([*CLAUSES[1:], "대등절 일부", None]),
)
POOLS = st.lists(LABELS, min_size=12, max_size=40).map(
    lambda rows: [ItemLabels(f"{n}", f"{n}", tuple(a), tuple(b), c) for n, (a, b, c) in enumerate(rows)]
)


def distance(corpus: Distribution, items: Sequence[ItemLabels]) -> float:
    """The sum of both divergences from a corpus, by the function for arrays."""
    total = 0.0
    for way in STEERED:
        counted = count_items(items, way).totals(way.kind)
        if not counted:
            return math.inf
        shares = list(class_counts(corpus, way.kind).values())
        total += kl_divergence(shares, [counted.get(label, 0) for label in CLASSES[way.kind]])
    return total


def corpus_like(pool: Sequence[ItemLabels]) -> Distribution:
    """A corpus that has, in other numbers, exactly the classes of the pool."""
    totals = [count_items(pool, way).totals(way.kind) for way in STEERED]
    types, clauses = ({label: 1 + 7 * rank for rank, label in enumerate(sorted(counts))} for counts in totals)
    return Distribution("corpus", "", (ClusterCounts("all", 100, 10, types, clauses),))


def chosen_from(pool: Sequence[ItemLabels], ids: Sequence[str]) -> list[ItemLabels]:
    return [item for item in pool if item.idx in set(ids)]


@settings(max_examples=60, deadline=None)
@given(POOLS.filter(lambda pool: any(item.clause for item in pool) and distance(corpus_like(pool), pool) < 99))
def test_a_selection_is_never_worse_than_the_average_random_one(pool: list[ItemLabels]) -> None:
    corpus, count = corpus_like(pool), len(pool) // 2

    selected = select(pool, corpus, count)

    drawn = [distance(corpus, random.Random(seed).sample(pool, count)) for seed in range(30)]
    assert len(set(selected.ids)) == len(selected.ids) == count
    assert distance(corpus, chosen_from(pool, selected.ids)) <= sum(drawn) / len(drawn)


@settings(max_examples=30, deadline=None)
@given(POOLS.filter(lambda pool: any(item.clause for item in pool)), st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(pool: list[ItemLabels], shuffler: random.Random) -> None:
    corpus, count = corpus_like(pool), len(pool) // 3
    turned = pool[:]
    shuffler.shuffle(turned)

    assert set(select(turned, corpus, count).ids) == set(select(pool, corpus, count).ids)


def test_small_pools_are_solved_nearly_as_well_as_by_trying_all() -> None:
    # Given 20 pools of 11 items, of which 462 choices of 5 or 6 can be tried
    gaps = []
    for seed in range(20):
        draw = random.Random(seed)
        pool = [
            ItemLabels(f"{n}", f"{n}", tuple(draw.choices(TYPES[:3], k=2)), (), draw.choice(CLAUSES[1:3]))
            for n in range(11)
        ]
        corpus = corpus_like(pool)
        best = min(distance(corpus, choice) for choice in itertools.combinations(pool, 6))
        gaps.append(distance(corpus, chosen_from(pool, select(pool, corpus, 6).ids)) - best)

    assert min(gaps) > -1e-9
    assert sum(gap < 1e-9 for gap in gaps) >= 15
    assert max(gaps) < 0.02


def test_what_the_pool_cannot_fill_is_said() -> None:
    # Given a corpus half of whose negations forbid, and a pool with one such item and none with 인용절
    pool = [ItemLabels(f"{n}", f"{n}", ("말다" if n == 0 else "안 장형",), (), "관형절") for n in range(10)]
    corpus = Distribution(
        "corpus", "", (ClusterCounts("a", 9, 9, {"말다": 5, "안 장형": 5}, {"관형절": 3, "인용절": 1}),)
    )

    found = select_and_measure(corpus, pool, 4)

    quotas = {
        quota.label: (quota.wanted, quota.chosen, quota.available, quota.lacking) for quota in found.selection.quotas
    }
    assert quotas["말다"] == (2, 1, 1, 1)
    assert quotas["안 장형"] == (2, 3, 9, 0)
    assert quotas["인용절"] == (1, 0, 0, 1)
    assert "0" in found.selection.ids
    assert found.after["c"] is None
    assert found.after["SN"] == pytest.approx(0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75))


def test_a_class_lacks_what_is_not_in_the_pool_and_not_what_was_left_in_it() -> None:
    assert Quota("types", "말다", wanted=5, chosen=2, available=3).lacking == 2
    assert Quota("types", "말다", wanted=5, chosen=2, available=9).lacking == 0


@pytest.mark.parametrize("count", [0, -1, 11])
def test_a_number_that_cannot_be_selected_is_refused(count: int) -> None:
    pool = [ItemLabels(f"{n}", f"{n}", ("안 장형",), (), "관형절") for n in range(10)]
    with pytest.raises(RequestError, match="from 1 to 10"):
        select(pool, REFERENCE, count)


def test_a_pool_without_any_class_of_the_corpus_is_refused() -> None:
    with pytest.raises(RequestError, match="has none of the types"):
        select([ItemLabels("1", "1", ("아니다",), (), "관형절")], REFERENCE, 1)


def test_items_without_labels_are_not_taken_to_make_proportions_easy() -> None:
    # Given a pool in which a hundred items have labels and a hundred, copular ones, have none that count
    draw = random.Random(4)
    pool = [
        ItemLabels(
            f"{n}",
            f"{n}",
            tuple(draw.choices(TYPES[:4], k=2)) if n % 2 else ("아니다",),
            (),
            draw.choice(CLAUSES[1:4]) if n % 2 else None,
        )
        for n in range(200)
    ]

    chosen = chosen_from(pool, select(pool, corpus_like(pool), 40).ids)

    # Then there are at least as many labels as 40 items have on average
    assert sum(count_items(chosen, CONVENTIONS["SN+LN"]).totals("types").values()) >= 40
    assert sum(count_items(chosen, CONVENTIONS["c"]).totals("clauses").values()) >= 20


def test_selection_brings_the_real_pool_to_the_corpus(upstream: Path) -> None:
    path = upstream / "konubench" / "train.json"
    if not path.is_file():
        pytest.skip(f"no {path}")
    pool = gold_labels(read_benchmark(path).records)

    found = select_and_measure(REFERENCE, pool, 500)

    assert found.after["SN+LN"] < 1e-4 < 0.01 < found.before["SN+LN"]
    assert found.after["c"] < 1e-4 < 0.006 < found.before["c"]
    assert found == select_and_measure(REFERENCE, pool, 500)
    assert not any(quota.lacking for quota in found.selection.quotas)


COUNTS = st.lists(st.integers(0, 30), min_size=3, max_size=3)


@settings(deadline=None)
@given(COUNTS, COUNTS.filter(any), st.integers(1, 8))
def test_no_other_next_items_come_nearer(present: list[int], target: list[int], count: int) -> None:
    labels = TYPES[:3]
    corpus = Distribution(
        "corpus", "", (ClusterCounts("a", 9, 9, dict(zip(labels, target, strict=True)), {"주절": 1}),)
    )
    benchmark = Distribution("mine", "", (ClusterCounts("a", 9, 9, dict(zip(labels, present, strict=True))),))

    found = next_items(benchmark, corpus, count)

    added = [found.types[label] for label in labels]
    others = [o for o in itertools.product(range(count + 1), repeat=3) if sum(o) == count]
    values = [kl_divergence(target, [p + o for p, o in zip(present, other, strict=True)]) for other in others]
    assert sum(added) == sum(found.clauses.values()) == count
    assert kl_divergence(target, [p + a for p, a in zip(present, added, strict=True)]) <= min(values) + 1e-9


def test_an_empty_benchmark_is_filled_in_the_corpus_proportions() -> None:
    found = next_items(Distribution("mine", "", ()), REFERENCE, 1000)

    assert found.types == pytest.approx(
        {"안 단형": 239, "안 장형": 506, "못 단형": 51, "못 장형": 165, "말다": 39}, abs=2
    )
    assert found.clauses["관형절"] == pytest.approx(332, abs=2)
    with pytest.raises(RequestError, match="at least 1"):
        next_items(Distribution("mine", "", ()), REFERENCE, 0)


@example([2, 2, 2], [1, 1, 1])
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=5).filter(any),
    st.lists(st.integers(1, 9), min_size=1, max_size=6),
)
def test_a_table_has_both_margins(rows: list[int], shares: list[int]) -> None:
    total = sum(rows)
    margins = largest_remainder({f"c{n}": share for n, share in enumerate(shares)}, total)
    names = {f"r{n}": row for n, row in enumerate(rows)}

    cells = combined(names, margins)

    assert sum(margins.values()) == total
    assert {row: sum(cells[row, column] for column in margins) for row in names} == names
    assert {column: sum(cells[row, column] for row in names) for column in margins} == margins
    assert all(count >= 0 for count in cells.values())


def test_quotas_are_whole_and_keep_the_sum() -> None:
    assert largest_remainder({"가": 1, "나": 1, "다": 1}, 10) == {"가": 4, "나": 3, "다": 3}
    assert largest_remainder({"가": 0.5, "나": 0.3, "다": 0.2}, 7) == {"가": 4, "나": 2, "다": 1}
