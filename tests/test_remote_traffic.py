"""Remote models: many calls at once, patience with what passes, none with what does not, and a hard budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from jatdae.errors import Interrupted, RequestError, RequestFailed, TransientFailure
from jatdae.models.base import Capabilities, ModelIdentity
from jatdae.models.options import RemoteOptions
from jatdae.runtime import Budget, Dispatcher, Traffic
from jatdae.store import Store
from jatdae.types import Completion, Generate, Request, Score

Reply = Callable[[Generate, int], Completion]


class Provider:
    """A remote model in this process. `reply` gets the request and how often it was asked before."""

    def __init__(self, reply: Reply, *, name: str = "remote", delay: float = 0.0, **options: float) -> None:
        self.options = RemoteOptions(**{"backoff_seconds": 0.01, **options})  # type: ignore[arg-type]
        self.identity = ModelIdentity(f"openai:{name}", {"backend": "openai", "model": name})
        self.capabilities = Capabilities(chat=True)
        self.settings: dict[str, str] = {}
        self.notes: Sequence[str] = ()
        self.price: float | None = None
        self.asked: list[Generate] = []
        self.in_flight = self.most_in_flight = 0
        self.closed = 0
        self._reply, self._delay = reply, delay

    @property
    def concurrency(self) -> int:
        return self.options.concurrency

    async def ask(self, request: Generate) -> Completion:
        before = self.asked.count(request)
        self.asked.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self._delay)
            return self._reply(request, before)
        finally:
            self.in_flight -= 1

    async def close(self) -> None:
        self.closed += 1

    def worst_cost(self, request: Generate) -> float | None:
        return self.price

    def preview(self, request: Request) -> list:
        return []

    def random_like(self, seed: int) -> None:
        return None


def _echo(request: Generate, before: int) -> Completion:
    return Completion(f"답: {request.prompt}", "stop", cost_usd=0.25)


def _ask_all(
    provider: Provider, folder: Path, prompts: Sequence[str], traffic: Traffic | None = None
) -> list[Completion | BaseException]:
    async def work() -> list[Completion | BaseException]:
        with Store.open(folder) as store:
            async with Dispatcher(provider, store, traffic=traffic) as dispatcher:
                model = dispatcher.for_item()
                asked = [model.generate(Generate(prompt)) for prompt in prompts]
                return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 30)

    return asyncio.run(work())


def test_calls_run_side_by_side_up_to_the_limit(tmp_path):
    provider = Provider(_echo, delay=0.02, concurrency=4)

    answers = _ask_all(provider, tmp_path, [str(number) for number in range(12)])

    assert [answer.text for answer in answers] == [f"답: {number}" for number in range(12)]
    assert provider.most_in_flight == 4
    assert provider.closed == 1


def test_a_chain_of_calls_does_not_wait_for_a_slow_neighbour(tmp_path):
    """Given one slow call, when another coroutine asks three times in a row, then it is done long before."""
    ended: list[str] = []

    class Uneven(Provider):
        async def ask(self, request: Generate) -> Completion:
            await asyncio.sleep(0.5 if request.prompt == "느림" else 0.01)
            return Completion("네", "stop")

    async def work() -> None:
        with Store.open(tmp_path) as store:
            async with Dispatcher(Uneven(_echo), store) as dispatcher:

                async def chain() -> None:
                    for turn in range(3):
                        await dispatcher.for_item().generate(Generate(f"{turn}번째"))
                    ended.append("chain")

                async def slow() -> None:
                    await dispatcher.for_item().generate(Generate("느림"))
                    ended.append("slow")

                await asyncio.gather(slow(), chain())

    asyncio.run(work())
    assert ended == ["chain", "slow"]


def test_what_passes_is_asked_again_and_what_was_answered_never(tmp_path):
    def moody(request: Generate, before: int) -> Completion:
        if before < 2:
            raise TransientFailure("429", kind="rate limit", retry_after=0.01)
        return _echo(request, before)

    provider = Provider(moody)
    first = _ask_all(provider, tmp_path, ["가", "나"])
    calls = len(provider.asked)
    second = _ask_all(provider, tmp_path, ["가", "나"])

    assert first == second
    assert calls == len(provider.asked) == 6


def test_a_fault_that_stays_is_reported_with_its_kind_and_the_others_go_on(tmp_path):
    def broken(request: Generate, before: int) -> Completion:
        if request.prompt == "나":
            raise TransientFailure("server error 500", kind="server")
        return _echo(request, before)

    provider = Provider(broken, max_retries=2)
    answers = _ask_all(provider, tmp_path, ["가", "나", "다"])

    assert isinstance(answers[1], RequestFailed)
    assert (answers[1].kind, str(answers[1])) == ("server", "server error 500 (3 attempts)")
    assert [answers[0].text, answers[2].text] == ["답: 가", "답: 다"]
    with Store.open(tmp_path) as store:
        assert store.counts() | {"responses": 2, "failures": 1} == store.counts()


def test_a_refusal_is_not_repeated_and_five_in_a_row_end_the_asking(tmp_path):
    def refuse(request: Generate, before: int) -> Completion:
        raise RequestFailed("the key is not valid", kind="login")

    provider = Provider(refuse, concurrency=1)
    answers = _ask_all(provider, tmp_path, [str(number) for number in range(9)])

    assert len(provider.asked) == 5
    assert [answer.kind for answer in answers] == ["login"] * 5 + ["aborted"] * 4


def test_a_login_that_expires_in_the_middle_loses_nothing_that_was_answered(tmp_path):
    expired = [False]

    def reply(request: Generate, before: int) -> Completion:
        if expired[0] or len(provider.asked) > 3:
            expired[0] = True
            raise RequestFailed("the login has expired", kind="login")
        return _echo(request, before)

    provider = Provider(reply, concurrency=1)
    first = _ask_all(provider, tmp_path, [str(number) for number in range(12)])
    renewed = Provider(_echo)
    second = _ask_all(renewed, tmp_path, [str(number) for number in range(12)])

    assert sum(isinstance(answer, Completion) for answer in first) == 3
    assert [answer.text for answer in second] == [f"답: {number}" for number in range(12)]
    assert len(renewed.asked) == 9


def test_the_budget_of_calls_is_never_passed(tmp_path):
    provider = Provider(_echo)
    traffic = Traffic(Budget(max_calls=3))

    answers = _ask_all(provider, tmp_path, [str(number) for number in range(8)], traffic)

    assert len(provider.asked) == 3
    assert [getattr(answer, "kind", "answered") for answer in answers].count("budget") == 5


def test_the_budget_of_money_counts_the_worst_case_before_and_the_true_cost_after(tmp_path):
    """Given calls that may cost 1 dollar and do cost 0.25, when 2 dollars are allowed, then one by one fit 5."""
    provider = Provider(_echo, concurrency=1)
    provider.price = 1.0
    traffic = Traffic(Budget(max_usd=2.0))

    answers = _ask_all(provider, tmp_path, [str(number) for number in range(8)], traffic)

    assert len(provider.asked) == 5
    assert traffic.budget.spent_usd == pytest.approx(1.25)
    assert [getattr(answer, "kind", "answered") for answer in answers] == ["answered"] * 5 + ["budget"] * 3


def test_a_budget_of_money_without_prices_asks_nothing(tmp_path):
    answers = _ask_all(Provider(_echo), tmp_path, ["가"], Traffic(Budget(max_usd=2.0)))

    assert isinstance(answers[0], RequestFailed)
    assert "budget.max_calls" in str(answers[0])


def test_models_of_one_provider_share_its_pause(tmp_path):
    """Given one model that is told to wait, when another of the same provider asks, then it waits too."""
    started: list[float] = []

    def limited(request: Generate, before: int) -> Completion:
        if not before:
            raise TransientFailure("429", kind="rate limit", retry_after=0.3)
        return _echo(request, before)

    def timed(request: Generate, before: int) -> Completion:
        started.append(asyncio.get_running_loop().time())
        return _echo(request, before)

    async def work() -> float:
        first, second = Provider(limited, name="하나"), Provider(timed, name="둘")
        traffic = Traffic()
        with Store.open(tmp_path) as store:
            async with (
                Dispatcher(first, store, traffic=traffic) as one,
                Dispatcher(second, store, traffic=traffic) as two,
            ):
                begun = asyncio.get_running_loop().time()
                waiting = asyncio.create_task(one.for_item().generate(Generate("가")))
                await asyncio.sleep(0.05)
                await two.for_item().generate(Generate("나"))
                await waiting
        return begun

    begun = asyncio.run(work())
    assert started[0] - begun >= 0.29


def test_one_traffic_serves_one_event_loop_after_another(tmp_path):
    traffic, provider = Traffic(), Provider(_echo, delay=0.01, concurrency=1)

    first = _ask_all(provider, tmp_path, ["가", "나"], traffic)
    second = _ask_all(provider, tmp_path, ["다", "라"], traffic)

    assert [answer.text for answer in (*first, *second)] == ["답: 가", "답: 나", "답: 다", "답: 라"]


def test_requests_a_minute_are_spread(tmp_path):
    provider = Provider(_echo, requests_per_minute=600)
    begun = asyncio.run(_clock())

    _ask_all(provider, tmp_path, [str(number) for number in range(4)])

    assert asyncio.run(_clock()) - begun >= 0.3


async def _clock() -> float:
    return asyncio.get_running_loop().time()


def test_stopping_lets_paid_calls_end_and_begins_no_other(tmp_path):
    provider = Provider(_echo, delay=0.1, concurrency=2)

    async def work() -> list[Completion | BaseException]:
        with Store.open(tmp_path) as store:
            async with Dispatcher(provider, store) as dispatcher:
                model = dispatcher.for_item()
                asked = [asyncio.create_task(model.generate(Generate(str(number)))) for number in range(6)]
                await asyncio.sleep(0.05)
                dispatcher.stop()
                return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(work())

    assert [type(answer) for answer in answers] == [Completion] * 2 + [Interrupted] * 4
    with Store.open(tmp_path) as store:
        assert store.counts()["responses"] == len(provider.asked) == 2


def test_a_remote_model_gives_no_log_likelihoods(tmp_path):
    async def work() -> None:
        with Store.open(tmp_path) as store:
            async with Dispatcher(Provider(_echo), store) as dispatcher:
                await dispatcher.for_item().score(Score("가", ("나",)))

    with pytest.raises(RequestFailed, match="log-likelihoods"):
        asyncio.run(work())


@pytest.mark.parametrize("fields", [{"max_usd": 0.0}, {"max_calls": 0}, {"max_usd": float("nan")}])
def test_a_cap_must_be_above_zero(fields):
    with pytest.raises(RequestError, match="above 0"):
        Budget(**fields)
