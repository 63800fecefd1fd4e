"""Samples page by page: all of them, once, in order, whatever the filter."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.errors import RequestError
from jatdae.store import Store, paging, request_key
from jatdae.store.paging import SampleFilter, find_sample, neighbours, outcome_counts, sample_page
from jatdae.types import Message, OptionScore, Outcome, Protocol, Sample, Score, Scores

rows = st.lists(
    st.tuples(
        st.text("가나0/'%", max_size=3),
        st.sampled_from([None, 0, 7]),
        st.sampled_from(list(Outcome)),
        st.sampled_from("xy"),
    ),
    unique_by=lambda row: row[:2],
    max_size=30,
)


def stored(store: Store, samples: list[Sample]) -> int:
    store.remember_model(SimpleNamespace(key="k", reference="hf:m", facts={}))
    facts = {"fingerprint": "f", "data_hash": "d", "task_version": "1"}
    run = store.start_run("jatdae run", {}, {})
    result = store.start_result(run, task="t", model_key="k", mode="letter", protocol=Protocol(mode="letter"), **facts)
    store.add_samples(result, samples)
    return result


def every_page(store: Store, result: int, chosen: SampleFilter, size: int) -> list[Sample]:
    found: list[Sample] = []
    after = None
    while True:
        page = sample_page(store, result, chosen, after=after, size=size)
        found += page.samples
        if page.next is None:
            return found
        after = page.next


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 7), st.sets(st.sampled_from(list(Outcome))), st.sampled_from(["", "x"]))
def test_pages_hold_every_chosen_sample_once_and_in_order(tmp_path_factory, entries, size, kinds, group):
    samples = [Sample(item, kind, "A", "B", {}, group=own, seed=seed) for item, seed, kind, own in entries]
    with Store.open(tmp_path_factory.mktemp("s")) as store:
        result = stored(store, samples)
        chosen = SampleFilter(tuple(kind.value for kind in kinds), group)

        found = every_page(store, result, chosen, size)

        expected = [
            one
            for one in store.samples(result)
            if (not kinds or one.outcome in kinds) and (not group or one.group == group)
        ]
        assert found == expected
        assert outcome_counts(store, result) == Counter(one.outcome.value for one in samples)


def test_a_search_stops_after_a_stretch_says_so_and_can_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(paging, "STRETCH", 40)
    monkeypatch.setattr(paging, "CHUNK", 15)
    with Store.open(tmp_path) as store:
        result = stored(
            store, [Sample(f"{at:03}", Outcome.WRONG, "A", "B", detail={"n": f"<{at}>"}) for at in range(100)]
        )

        first = sample_page(store, result, SampleFilter(text="<97>"), size=5)
        found = every_page(store, result, SampleFilter(text="<97>"), 5)

    assert (first.samples, first.searched, first.next) == ((), 40, ("039", ""))
    assert [one.item for one in found] == ["097"]


def test_a_search_finds_text_of_the_prompt_whatever_its_case(tmp_path):
    with Store.open(tmp_path) as store:
        store.remember_model(SimpleNamespace(key="k", reference="hf:m", facts={}))
        request = Score((Message("user", "What is KTX?"),), (" A",))
        key = request_key("k", request)
        store.remember("k", [(key, request, Scores((OptionScore(-1.0, 1, True),)))])
        result = stored(
            store, [Sample("1", Outcome.RIGHT, "A", "A", requests=(key,)), Sample("2", Outcome.RIGHT, "A", "A")]
        )

        found = sample_page(store, result, SampleFilter(text="ktx"))

    assert [one.item for one in found.samples] == ["1"]


def test_a_sample_knows_its_neighbours_of_the_same_outcome(tmp_path):
    kinds = [Outcome.RIGHT, Outcome.WRONG, Outcome.RIGHT, Outcome.WRONG]
    with Store.open(tmp_path) as store:
        result = stored(store, [Sample(str(at), kind, "A", "B", seed=1) for at, kind in enumerate(kinds)])

        assert neighbours(store, result, ("wrong",), "1", "1") == (None, ("3", "1"))
        assert neighbours(store, result, (), "1", "1") == (("0", "1"), ("2", "1"))
        assert find_sample(store, result, "2").item == "2"
        assert find_sample(store, result, "2", "9") is None


def test_an_unknown_result_is_refused(tmp_path):
    with Store.open(tmp_path) as store, pytest.raises(RequestError):
        sample_page(store, 5, SampleFilter())
