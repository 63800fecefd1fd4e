"""Traffic to providers: how much at once, how often, and when to try again. The one retry layer.

Models of one provider share a lane: its limits bound them together, and when it says to wait, all of them wait.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from jatdae.errors import Interrupted, RequestFailed, TransientFailure
from jatdae.models.base import RemoteBackend
from jatdae.models.options import RemoteOptions
from jatdae.runtime.budget import Budget
from jatdae.types import Completion, Generate

JITTER = 0.25
LONGEST_WAIT = 120.0
"""Seconds; a provider that asks for more gets no more than this between two attempts."""
TERMINAL_LIMIT = 5
"""Refusals in a row after which a model is not asked any more: a key has run out, a name is wrong."""


class Lane:
    """One provider's traffic: requests in flight, requests and tokens a minute, and pauses that it asked for.

    It outlives the event loop of one stage of a run: limits and pauses go on in the next.
    """

    def __init__(self, concurrency: int, options: RemoteOptions) -> None:
        self._concurrency, self._options = concurrency, options
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(concurrency)
        self._next_request = self._next_tokens = self._paused_until = 0.0

    async def __aenter__(self) -> None:
        if self._loop is not asyncio.get_running_loop():
            self._loop, self._slots = asyncio.get_running_loop(), asyncio.Semaphore(self._concurrency)
        await self._slots.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._slots.release()

    async def turn(self, tokens: int, stopping: Callable[[], bool]) -> None:
        """Wait until the provider's limits allow a request of about so many tokens, or the run is being stopped."""
        while not stopping() and (wait := self._reserve(tokens)) > 0:
            await _sleep(wait, stopping)

    def pause(self, seconds: float) -> None:
        """Let nobody ask for a while."""
        self._paused_until = max(self._paused_until, _now() + seconds)

    def _reserve(self, tokens: int) -> float:
        """Seconds yet to wait; 0 when the turn has been taken."""
        now = _now()
        wait = max(self._paused_until, self._next_request, self._next_tokens) - now
        if wait > 0:
            return wait
        if self._options.requests_per_minute:
            self._next_request = now + 60 / self._options.requests_per_minute
        if self._options.tokens_per_minute:
            self._next_tokens = now + 60 * tokens / self._options.tokens_per_minute
        return 0.0


@dataclass(slots=True)
class Traffic:
    """The lanes of a run, and its budget."""

    budget: Budget = field(default_factory=Budget)
    jitter: Callable[[], float] = random.Random(0).random  # noqa: S311
    _lanes: dict[tuple[str, ...], Lane] = field(default_factory=dict)

    def lane(self, backend: RemoteBackend) -> Lane:
        """The lane of a model's provider: of one backend, server and vendor."""
        facts = backend.identity.facts
        vendor = facts.get("model", "").split("/")[0] if facts.get("backend") == "litellm" else ""
        key = (facts.get("backend", ""), facts.get("base_url", ""), vendor)
        if key not in self._lanes:
            self._lanes[key] = Lane(backend.concurrency, backend.options)
        return self._lanes[key]


class Caller:
    """Asks one remote model, again where that may help, and not at all once it has refused too often."""

    def __init__(self, backend: RemoteBackend, traffic: Traffic) -> None:
        self._backend, self._traffic = backend, traffic
        self._lane = traffic.lane(backend)
        self._refusals = 0

    async def ask(self, request: Generate, stopping: Callable[[], bool]) -> Completion:
        """The answer. Raises RequestFailed with the last failure, Interrupted when the run is being stopped."""
        options, attempt = self._backend.options, 0
        while True:
            try:
                return await self._attempt(request, stopping)
            except TransientFailure as error:
                if attempt == options.max_retries:
                    raise RequestFailed(f"{error} ({attempt + 1} attempts)", kind=error.kind) from None
                wait = self._wait(attempt, error.retry_after)
            attempt += 1
            await _sleep(wait, stopping)

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the next attempt: what the server asks for, else 2, 4, 8 ... times the base; with jitter."""
        spread = 1 + JITTER * (2 * self._traffic.jitter() - 1)
        if retry_after is None:
            return min(self._backend.options.backoff_seconds * 2**attempt * spread, LONGEST_WAIT)
        self._lane.pause(min(retry_after, LONGEST_WAIT))
        return min(retry_after * (1 + JITTER * self._traffic.jitter()), LONGEST_WAIT)

    async def _attempt(self, request: Generate, stopping: Callable[[], bool]) -> Completion:
        async with self._lane:
            await self._lane.turn(_tokens(request), stopping)
            if stopping():
                raise Interrupted
            if self._refusals >= TERMINAL_LIMIT:
                name = self._backend.identity.reference
                raise RequestFailed(
                    f"{name} refused {self._refusals} requests in a row and is not asked", kind="aborted"
                )
            return await self._paid(request)

    async def _paid(self, request: Generate) -> Completion:
        worst = self._backend.worst_cost(request)
        self._traffic.budget.reserve(worst)
        cost: float | None = 0.0
        try:
            answer = await self._backend.ask(request)
            cost = answer.cost_usd
        except TransientFailure:
            raise
        except RequestFailed:
            self._refusals += 1
            raise
        finally:
            self._traffic.budget.settle(worst, cost)
        self._refusals = 0
        return answer


async def _sleep(seconds: float, stopping: Callable[[], bool]) -> None:
    """Sleep, but notice within half a second that the run is being stopped."""
    end = _now() + seconds
    while not stopping() and (left := end - _now()) > 0:
        await asyncio.sleep(min(left, 0.5))


def _tokens(request: Generate) -> int:
    """A rough size: Korean runs at about one token for every one or two characters."""
    prompt = request.prompt
    length = len(prompt) if isinstance(prompt, str) else sum(len(message.content) for message in prompt)
    return length // 2 + request.sampling.max_tokens


def _now() -> float:
    return asyncio.get_running_loop().time()
