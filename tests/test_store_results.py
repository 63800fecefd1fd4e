"""Runs own results, results own samples; all can be looked back on."""

from __future__ import annotations

from pathlib import Path

import pytest

from jatdae.errors import RequestError, StoreError
from jatdae.models.base import ModelIdentity
from jatdae.store import Store
from jatdae.types import Estimate, Outcome, Protocol, Result, Sample

MODEL = ModelIdentity("hf:./모델", {"weights": "aaa"})
OTHER = ModelIdentity("hf:./다른-모델", {"weights": "bbb"})
PROTOCOL = Protocol("letter", shots=5, options={"cue": "정답:"})


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path) as opened:
        opened.remember_model(MODEL)
        opened.remember_model(OTHER)
        yield opened


@pytest.fixture
def run(store: Store) -> int:
    return store.start_run("jatdae run kmmlu/accounting", {"jatdae": "0.1"}, {"cpu": "2 cores"})


def start(store: Store, run: int, *, task: str = "kmmlu/accounting", model: ModelIdentity = MODEL) -> int:
    return store.start_result(
        run,
        task=task,
        model_key=model.key,
        mode="letter",
        protocol=PROTOCOL,
        fingerprint="f1",
        data_hash="d1",
        task_version="1",
    )


def measured(*, complete: bool = True) -> Result:
    accuracy = Estimate(0.1 + 0.2, 0.05, 0.2, None, 100, method="wilson")
    return Result(
        task="kmmlu/accounting",
        model=MODEL.reference,
        protocol=PROTOCOL,
        fingerprint="f1",
        title="회계",
        headline="accuracy",
        estimates={"accuracy": accuracy},
        rates={},
        floors={"majority": accuracy},
        breakdown={"group": {"가": accuracy}},
        items=100,
        complete=complete,
        notes=("a note",),
    )


def sample(item: str, *, seed: int | None = None, outcome: Outcome = Outcome.RIGHT) -> Sample:
    return Sample(item, outcome, "A", "A", scores={"accuracy": 1.0}, seed=seed)


def test_a_finished_result_is_found_with_all_that_it_says(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.finish_result(result_id, measured())

    stored = store.result(result_id)

    assert stored.result == measured()
    assert (stored.run_id, stored.task, stored.model_key, stored.mode) == (run, "kmmlu/accounting", MODEL.key, "letter")
    assert (stored.fingerprint, stored.data_hash, stored.task_version) == ("f1", "d1", "1")
    assert (stored.status, stored.model_reference) == ("done", MODEL.reference)


def test_an_unfinished_result_shows_its_protocol_and_samples_but_no_numbers(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.add_samples(result_id, [sample("q1")])

    assert store.result(result_id).status == "running"
    assert store.result(result_id).result is None
    assert store.protocol(result_id) == PROTOCOL
    assert list(store.samples(result_id)) == [sample("q1")]


def test_a_result_with_a_failed_request_is_incomplete(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.finish_result(result_id, measured(complete=False))

    assert store.result(result_id).status == "incomplete"


def test_a_finished_result_cannot_be_finished_again(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.finish_result(result_id, measured())

    with pytest.raises(StoreError, match="still running"):
        store.finish_result(result_id, measured(complete=False))

    assert store.result(result_id).status == "done"


@pytest.mark.parametrize(("ending", "left"), [("interrupted", "interrupted"), ("failed", "failed")])
def test_a_run_that_ends_early_marks_the_results_it_leaves(store: Store, run: int, ending, left: str) -> None:
    done, open_one = start(store, run), start(store, run)
    store.finish_result(done, measured())

    store.end_run(run, ending)

    assert store.runs()[0].status == ending
    assert store.runs()[0].ended is not None
    assert [stored.status for stored in store.results()] == [left, "done"]
    assert store.result(open_one).result is None


def test_runs_come_newest_first_with_their_versions_and_machine(store: Store, run: int) -> None:
    later = store.start_run("jatdae run klue/nli", {}, {})

    newest, oldest = store.runs()

    assert (newest.id, newest.status, newest.ended) == (later, "running", None)
    assert (oldest.id, oldest.command) == (run, "jatdae run kmmlu/accounting")
    assert (oldest.versions, oldest.machine) == ({"jatdae": "0.1"}, {"cpu": "2 cores"})


def test_results_are_chosen_by_task_model_and_run(store: Store, run: int) -> None:
    later = store.start_run("jatdae run", {}, {})
    first = start(store, run)
    second = start(store, run, task="konubench", model=OTHER)
    third = start(store, later, model=OTHER)

    def ids(**choice) -> list[int]:
        return [stored.id for stored in store.results(**choice)]

    assert ids() == [third, second, first]
    assert ids(task="konubench") == [second]
    assert ids(model=OTHER.reference) == ids(model=OTHER.key) == [third, second]
    assert ids(run=run) == [second, first]
    assert ids(task="kmmlu/accounting", model=OTHER.key, run=run) == []


def test_a_result_keeps_the_name_under_which_its_model_ran(store: Store, run: int) -> None:
    before = start(store, run)
    store.remember_model(ModelIdentity("hf:./옮긴-모델", MODEL.facts))
    after = start(store, run)

    assert store.result(before).model_reference == "hf:./모델"
    assert store.result(after).model_reference == "hf:./옮긴-모델"


def test_samples_come_by_item_and_seed_whatever_the_order_they_came_in(store: Store, run: int) -> None:
    result_id, other = start(store, run), start(store, run)
    items = ["", *(f"문항-{n:04}" for n in range(1200))]
    written = [sample(item, seed=seed) for item in items for seed in (None, 1234, 308)]
    for begin in range(0, len(written), 1000):
        store.add_samples(result_id, written[::-1][begin : begin + 1000])
    store.add_samples(other, [sample("문항-0001")])

    read = list(store.samples(result_id))

    assert read == sorted(written, key=lambda one: (one.item, "" if one.seed is None else str(one.seed)))


def test_samples_may_be_added_while_they_are_read(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.add_samples(result_id, [sample("q1"), sample("q2")])
    reading = store.samples(result_id)
    next(reading)

    store.add_samples(result_id, [sample("q3")])

    assert next(reading) == sample("q2")


def test_a_later_sample_of_an_item_takes_the_place_of_the_earlier(store: Store, run: int) -> None:
    result_id = start(store, run)
    store.add_samples(result_id, [sample("q1", outcome=Outcome.FAILED), sample("q2")])

    store.add_samples(result_id, [sample("q1")])

    assert list(store.samples(result_id)) == [sample("q1"), sample("q2")]


def test_one_batch_that_holds_an_item_twice_is_refused_whole(store: Store, run: int) -> None:
    result_id = start(store, run)

    with pytest.raises(StoreError, match="'q1' twice for seed 308"):
        store.add_samples(result_id, [sample("q1", seed=308), sample("q1"), sample("q1", seed=308)])

    assert list(store.samples(result_id)) == []


def test_ids_that_do_not_exist_are_named(store: Store, run: int) -> None:
    with pytest.raises(RequestError, match="no result 99"):
        store.result(99)
    with pytest.raises(RequestError, match="no result 99"):
        store.samples(99)
    with pytest.raises(StoreError, match="no run 99"):
        store.end_run(99, "done")
    with pytest.raises(StoreError, match="run or result that it lacks"):
        start(store, 99)
    with pytest.raises(StoreError, match="run or result that it lacks"):
        store.add_samples(99, [sample("q1")])
    with pytest.raises(StoreError, match="knows no model"):
        start(store, run, model=ModelIdentity("hf:unknown", {"weights": "ccc"}))
