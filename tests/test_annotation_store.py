"""The annotation tables: nothing that was said is lost, the latest answer of a rater counts."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.errors import RequestError, StoreError
from jatdae.store import Store
from jatdae.store.annotations import Annotations, NewUnit

UNITS = [NewUnit(f"u{number}", {"text": f"글 {number}"}, {"model": f"비밀-{number}"}) for number in range(4)]
ODD = st.text(max_size=8) | st.sampled_from(["김서연", "\ud800", "a\x00b", "'; DROP TABLE annotations; --", "\u202e"])


def made(folder: Path, name: str = "묶음") -> tuple[Store, Annotations, int]:
    store = Store.open(folder)
    tables = Annotations(store)
    return store, tables, tables.create(name, "rubric", {"seed": "s"}, UNITS).id


def test_a_set_comes_back_as_it_was_made_and_bodies_never_hold_the_secret(tmp_path: Path) -> None:
    store, tables, made_set = made(tmp_path)

    with store:
        assert tables.set("묶음").settings == {"seed": "s"}
        assert tables.unit_names(made_set) == ["u0", "u1", "u2", "u3"]
        assert tables.body(made_set, "u2") == {"text": "글 2"}
        assert tables.secrets(made_set)["u2"] == {"model": "비밀-2"}


def test_a_name_is_given_once_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    store, tables, _ = made(tmp_path)

    with store:
        with pytest.raises(RequestError, match="is there already"):
            tables.create("묶음", "pairs", {}, UNITS)
        with pytest.raises(RequestError, match="did you mean '묶음'"):
            tables.set("묶은")
        with pytest.raises(StoreError):
            tables.say(1, "no such unit", "김서연", {})
        assert len(tables.sets()) == 1


@settings(max_examples=40, deadline=None)
@given(said=st.lists(st.tuples(st.sampled_from(["u0", "u1", "u2"]), ODD, st.integers(0, 10)), max_size=12))
def test_the_latest_answer_counts_and_the_history_stays(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, int]]
) -> None:
    store, tables, made_set = made(tmp_path_factory.mktemp("store"))
    with store:
        for unit, rater, score in said:
            tables.say(made_set, unit, rater, {"score": score})

        expected = {}
        for unit, rater, score in said:
            expected[rater.encode("utf-8", "backslashreplace").decode(), unit] = score
        found = {(one.rater, one.unit): one.value["score"] for one in tables.latest(made_set)}

        assert found == expected
        assert [one.value["score"] for one in tables.history(made_set)] == [score for *_, score in said]
        assert sum(tables.done_by_rater(made_set).values()) == len(expected)
        for rater in {rater for _, rater, _ in said}:
            mine = tables.latest(made_set, rater)
            assert {one.unit for one in mine} == {unit for unit, other, _ in said if other == rater}


def _speak(folder: Path, rater: str, count: int) -> None:
    with Store.open(folder) as store:
        tables = Annotations(store)
        for number in range(count):
            tables.say(1, f"u{number % 4}", rater, {"score": number})


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    store, tables, made_set = made(tmp_path)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_speak, args=(tmp_path, rater, 60)) for rater in ("가", "나")]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)

    with store:
        told = tables.history(made_set)
        assert len(told) == 120
        for rater in ("가", "나"):
            assert [one.value["score"] for one in told if one.rater == rater] == list(range(60))
        assert {one.value["score"] for one in tables.latest(made_set, "가")} == {56, 57, 58, 59}
