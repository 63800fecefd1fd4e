"""The split of a release, against the order of the published files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.negation.construction.splitting import choose_held_out, split_items, split_sizes

HELD_OUT = """
    5051 3212 4064 286 284 2567 2062 500 1853 1120 1976 2371 4478 2440 711 1426 4850 4855 1882 2379 3327 702 222 2788
    4035 1946 2604 914 1759 4428 1868 2972 592 2347 836 1451 3939 386 G139 1953 3035 2464 1522 902 2344 2021 5001
    2186 3698 1906
""".split()  # noqa: SIM905 - fifty quoted words would hide what they are


def test_the_published_order_of_all_three_splits_comes_out(upstream: Path) -> None:
    # Given the ids of the published files, in an order that tells nothing of the split
    released = {
        name: [item["idx"] for item in json.loads((upstream / "konubench" / f"{name}.json").read_text("utf-8"))]
        for name in ("train", "val", "test")
    }
    ids = sorted(idx for part in released.values() for idx in part)

    # When they are split with the published ids for people
    found = split_items(ids, HELD_OUT, {"train": 2500, "val": 1000, "test": 1284})

    # Then every position is the published one.
    assert found == released
    assert found["train"][:5] == ["2532", "389", "1533", "3646", "2228"]
    assert split_items(ids, HELD_OUT, {"train": 2500, "val": 1000, "test": 1284}, seed=43) != released


IDS = st.sets(st.from_regex(r"G?[1-9][0-9]{0,3}", fullmatch=True), min_size=4, max_size=60)


@given(IDS, st.data())
def test_every_item_is_in_one_split_and_the_order_given_does_not_matter(ids: set[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(sorted(ids)))
    train, val = len(ids) // 2, len(ids) // 4
    sizes = {"train": train, "val": val, "test": len(ids) - train - val}
    held = choose_held_out(ids, sizes["test"] // 2)

    found = split_items(order, held, sizes)

    assert sorted(idx for part in found.values() for idx in part) == sorted(ids)
    assert {name: len(part) for name, part in found.items()} == sizes
    assert found["test"][len(found["test"]) - len(held) :] == held
    assert found == split_items(sorted(ids), reversed(held), sizes)


@pytest.mark.parametrize(
    ("ids", "held", "sizes", "told"),
    [
        (["1", "1"], [], {"train": 1, "val": 0, "test": 1}, "id 1 stands twice"),
        (["1", "2"], ["7"], {"train": 1, "val": 0, "test": 1}, "7 is held out"),
        (["1", "2"], [], {"train": 1, "val": 0, "test": 2}, "sum to 2"),
        (["1", "2"], ["1", "2"], {"train": 1, "val": 0, "test": 1}, "2 items are held out"),
    ],
)
def test_sizes_and_ids_that_do_not_fit_are_refused(
    ids: list[str], held: list[str], sizes: dict[str, int], told: str
) -> None:
    with pytest.raises(RequestError, match=told):
        split_items(ids, held, sizes)


def test_a_split_that_would_be_empty_is_refused() -> None:
    assert split_sizes({"train": 0.5, "val": 0.2, "test": 0.3}, 14) == {"train": 7, "val": 3, "test": 4}
    with pytest.raises(RequestError, match="split val would be empty"):
        split_sizes({"train": 0.8, "val": 0.05, "test": 0.15}, 4)
