"""Requests of many coroutines are asked once, in one go, stored before they are seen, and drained on a stop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import ScriptedBackend, hashed

from jatdae.errors import Interrupted, ModelError, RequestFailed
from jatdae.runtime import Dispatcher, run_items
from jatdae.store import Store, request_key
from jatdae.types import Answer, Completion, Generate, Request, Sampling, Score


def question(number: int) -> Score:
    return Score(f"문제 {number}", (" 가", " 나"))


async def ask_all(dispatcher: Dispatcher, requests: list[Score]) -> list[Answer]:
    return list(await asyncio.gather(*(dispatcher.for_item().score(request) for request in requests)))


def run_once(store: Store, backend: ScriptedBackend, requests: list[Score]) -> list[Answer]:
    async def main() -> list[Answer]:
        async with Dispatcher(backend, store) as dispatcher:
            return await ask_all(dispatcher, requests)

    return asyncio.run(main())


def test_equal_requests_are_asked_once_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    requests = [question(number % 10) for number in range(100)]
    with Store.open(tmp_path) as store:
        first = ScriptedBackend()
        answers = run_once(store, first, requests)
        assert answers == [hashed(request) for request in requests]
        assert len(first.asked) == 10

        second = ScriptedBackend()
        assert run_once(store, second, requests) == answers
        assert second.asked == []


def test_all_that_wait_reach_the_backend_together(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Counting(ScriptedBackend):
        def answer(self, requests):  # type: ignore[no-untyped-def]
            sizes.append(len(requests))
            return super().answer(requests)

    with Store.open(tmp_path) as store:
        run_once(store, Counting(), [question(number) for number in range(500)])
    assert sizes == [500]


def test_two_models_never_share_an_answer(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        one, other = ScriptedBackend(name="one"), ScriptedBackend(name="other")
        run_once(store, one, [question(1)])
        run_once(store, other, [question(1)])
        assert len(other.asked) == 1


@pytest.mark.parametrize(
    "changed",
    [
        Generate("질문", Sampling(temperature=0.7)),
        Generate("질문", Sampling(max_tokens=17)),
        Generate("질문", Sampling(stop=("\n",))),
        Generate("질문", Sampling(seed=1)),
        Generate("질문", repeat=1),
        Generate("질문이"),
    ],
)
def test_any_change_of_prompt_or_sampling_is_another_question(changed: Generate) -> None:
    assert request_key("model", Generate("질문")) != request_key("model", changed)
    assert request_key("model", changed) != request_key("other", changed)


def test_a_failed_request_fails_its_item_only_and_is_asked_again(tmp_path: Path) -> None:
    def script(request: Request) -> Answer | RequestFailed:
        return RequestFailed("too long", kind="overlong") if request == question(3) else hashed(request)

    async def main(store: Store, backend: ScriptedBackend) -> list[str]:
        async def one(number: int, dispatcher: Dispatcher) -> str:
            try:
                await dispatcher.for_item().score(question(number))
                return "answered"
            except RequestFailed as error:
                return error.kind

        async with Dispatcher(backend, store) as dispatcher:
            return list(await asyncio.gather(*(one(number, dispatcher) for number in range(5))))

    with Store.open(tmp_path) as store:
        outcomes = asyncio.run(main(store, ScriptedBackend(script)))
        assert outcomes == ["answered", "answered", "answered", "overlong", "answered"]
        again = ScriptedBackend()
        asyncio.run(main(store, again))
        assert again.asked == [question(3)]


def test_a_backend_that_breaks_stops_everybody_with_its_error(tmp_path: Path) -> None:
    class Broken(ScriptedBackend):
        def answer(self, requests):  # type: ignore[no-untyped-def]
            yield [(0, hashed(requests[0]))]
            raise ModelError("the device is gone")

    with Store.open(tmp_path) as store:
        with pytest.raises(ModelError, match="the device is gone"):
            run_once(store, Broken(), [question(number) for number in range(4)])
        assert len(store.answers([request_key(Broken().identity.key, question(0))])) == 1


def test_a_stop_keeps_what_the_backend_has_finished(tmp_path: Path) -> None:
    async def main(store: Store, backend: ScriptedBackend) -> None:
        async with Dispatcher(backend, store, lambda counts: dispatcher.stop()) as dispatcher:
            await ask_all(dispatcher, [question(number) for number in range(64)])

    with Store.open(tmp_path) as store:
        backend = ScriptedBackend(part=8, delay=0.02)
        with pytest.raises(Interrupted):
            asyncio.run(main(store, backend))
        stored = store.counts()["responses"]
        assert 8 <= stored < 64
        again = ScriptedBackend()
        run_once(store, again, [question(number) for number in range(64)])
        assert len(again.asked) == 64 - stored


def test_a_conversation_of_several_turns_is_the_same_shape(tmp_path: Path) -> None:
    def echo(request: Request) -> Answer:
        assert isinstance(request, Generate)
        return Completion(f"{request.prompt}!", "stop")

    async def talk(dispatcher: Dispatcher, opening: str) -> str:
        model, text = dispatcher.for_item(), opening
        for _ in range(4):
            text = (await model.generate(Generate(text))).text
        assert len(model.requests) == 4
        return text

    async def main(store: Store) -> list[str]:
        async with Dispatcher(ScriptedBackend(echo), store) as dispatcher:
            return list(await asyncio.gather(*(talk(dispatcher, word) for word in ("가", "나", "다"))))

    with Store.open(tmp_path) as store:
        assert asyncio.run(main(store)) == ["가!!!!", "나!!!!", "다!!!!"]


@given(st.lists(st.integers(0, 50), max_size=120), st.integers(1, 20))
def test_items_run_within_the_window_and_none_is_lost(items: list[int], window: int) -> None:
    running, most = 0, 0

    async def work(item: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return item

    async def main() -> list[int]:
        return [result async for result in run_items(items, work, window)]

    assert sorted(asyncio.run(main())) == sorted(items)
    assert most <= window
