"""What has been asked once is answered from the store, and never with the answer to another question."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jatdae.errors import StoreError
from jatdae.models.base import ModelIdentity
from jatdae.store import Store, request_key
from jatdae.types import Answer, Completion, Generate, Message, OptionScore, Request, Sampling, Score, Scores

SMALL = ModelIdentity("hf:./작은-모델", {"weights": "aaa", "dtype": "bfloat16"})
LARGE = ModelIdentity("hf:./큰-모델", {"weights": "bbb", "dtype": "bfloat16"})
QUESTION = Score("물은 몇 도에서 끓나요?\n정답:", (" A", " B"))
VERDICT = Scores((OptionScore(-0.1, 1, True), OptionScore(-2.5, 1, False)), prompt_tokens=14)


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "잣대 store?#%") as opened:
        opened.remember_model(SMALL)
        opened.remember_model(LARGE)
        yield opened


def entry(model: ModelIdentity, request: Request, answer: Answer) -> tuple[str, Request, Answer]:
    return request_key(model.key, request), request, answer


def greetings(count: int) -> list[tuple[str, Request, Answer]]:
    return [entry(SMALL, Generate(f"인사 {n}"), Completion(f"안녕 {n}", "stop")) for n in range(count)]


def test_an_answer_is_found_again_with_what_was_asked(store: Store) -> None:
    known = entry(SMALL, QUESTION, VERDICT)

    store.remember(SMALL.key, [known])

    assert store.answers([known[0], "no such key"]) == {known[0]: VERDICT}
    assert store.exchange(known[0]) == (QUESTION, VERDICT)
    assert store.exchange("no such key") is None


def test_an_answer_outlives_the_process_that_stored_it(tmp_path: Path) -> None:
    known = entry(SMALL, QUESTION, VERDICT)
    with Store.open(tmp_path) as first:
        first.remember_model(SMALL)
        first.remember(SMALL.key, [known])

    with Store.open(str(tmp_path)) as second:
        assert second.answers([known[0]]) == {known[0]: VERDICT}


def test_two_models_never_share_an_answer(store: Store) -> None:
    store.remember(SMALL.key, [entry(SMALL, QUESTION, VERDICT)])

    assert store.answers([request_key(LARGE.key, QUESTION)]) == {}


GREETING = Generate((Message("user", "인사해 주세요."),), Sampling(max_tokens=16))


@pytest.mark.parametrize(
    "other",
    [
        replace(GREETING, repeat=1),
        replace(GREETING, prompt=(Message("user", "인사해 주세요!"),)),
        replace(GREETING, prompt=(Message("system", "인사해 주세요."),)),
        replace(GREETING, prompt="인사해 주세요."),
        *(
            replace(GREETING, sampling=replace(GREETING.sampling, **change))
            for change in ({"temperature": 0.7}, {"top_p": 0.9}, {"max_tokens": 17}, {"seed": 1}, {"stop": ("\n",)})
        ),
    ],
)
def test_whatever_changes_in_a_request_changes_its_key(other: Generate) -> None:
    assert request_key(SMALL.key, other) != request_key(SMALL.key, GREETING)


def test_a_second_answer_to_one_request_changes_nothing(store: Store) -> None:
    first = entry(SMALL, Generate("인사"), Completion("안녕", "stop"))
    store.remember(SMALL.key, [first])

    store.remember(SMALL.key, [entry(SMALL, Generate("인사"), Completion("잘 가", "stop"))])

    assert store.answers([first[0]]) == {first[0]: Completion("안녕", "stop")}


def test_a_failure_is_recorded_but_is_no_answer(store: Store) -> None:
    key = request_key(SMALL.key, QUESTION)

    store.record_failure(key, SMALL.key, "overlong", "prompt \udc80 of 9,000 tokens")
    store.record_failure(key, SMALL.key, "memory", "out of memory")

    assert store.answers([key]) == {}
    assert store.exchange(key) is None
    assert store.counts() == {"models": 2, "responses": 0, "failures": 2, "runs": 0, "results": 0, "samples": 0}


def test_more_keys_than_a_query_takes_are_all_found(store: Store) -> None:
    entries = greetings(2345)
    store.remember(SMALL.key, entries)

    assert store.answers([key for key, _, _ in entries]) == {key: answer for key, _, answer in entries}


def test_when_one_entry_is_unusable_none_is_kept(store: Store) -> None:
    good, (key, request, _) = greetings(2)

    with pytest.raises(ValueError, match="does not answer"):
        store.remember(SMALL.key, [good, (key, request, VERDICT)])

    assert store.counts()["responses"] == 0


def test_an_answer_with_too_few_options_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="does not answer"):
        store.remember(SMALL.key, [entry(SMALL, QUESTION, Scores(VERDICT.options[:1]))])


def test_a_key_of_another_model_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="is not the key of this request"):
        store.remember(LARGE.key, [entry(SMALL, QUESTION, VERDICT)])


def test_answers_of_a_model_that_was_never_introduced_are_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path) as empty, pytest.raises(StoreError, match="remember_model"):
        empty.remember(SMALL.key, greetings(1))


def test_text_that_is_not_valid_unicode_is_kept(store: Store) -> None:
    odd = entry(SMALL, Generate("말해 \udc80\0"), Completion("끊긴 글자 \ud83d", "length"))

    store.remember(SMALL.key, [odd])

    assert store.exchange(odd[0]) == odd[1:]


def test_threads_of_one_process_may_share_a_store(store: Store) -> None:
    parts = [greetings(400)[start::4] for start in range(4)]

    def write(part: list[tuple[str, Request, Answer]]) -> None:
        for known in part:
            store.remember(SMALL.key, [known])

    threads = [threading.Thread(target=write, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.counts()["responses"] == 400


def test_the_time_of_an_answer_comes_from_the_given_clock(tmp_path: Path) -> None:
    with Store.open(tmp_path, clock=lambda: datetime(2025, 3, 1, 9, 30, tzinfo=UTC)) as store:
        store.remember_model(SMALL)
        run = store.start_run("jatdae run", {}, {})
        store.end_run(run, "done")

        (only,) = store.runs()

    assert only.started == only.ended == "2025-03-01T09:30:00.000+00:00"
