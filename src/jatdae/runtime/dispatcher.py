"""The one place where requests meet a backend.

Item coroutines await `ItemModel.score` and `ItemModel.generate`. What they wait for is collected until nothing else can
run, looked up in the store, and the rest is handed to the backend in one call, so that the backend can share prefixes
and fill its batches. A remote backend is asked request by request instead, many at once and without waiting for the
slowest. Answers are stored as they come, before anybody sees them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from jatdae.errors import Interrupted, JatdaeError, RequestFailed
from jatdae.models.base import AnyBackend, Backend, RemoteBackend
from jatdae.runtime.traffic import Caller, Traffic
from jatdae.store import Store, request_key
from jatdae.types import Answer, Completion, Generate, Request, Score, Scores


@dataclass(slots=True)
class Counts:
    """How many requests came from the store, were answered by the backend, or failed."""

    stored: int = 0
    asked: int = 0
    failed: int = 0


@dataclass(slots=True)
class _Waiting:
    request: Request
    future: asyncio.Future[Answer]


Part = list[tuple[int, Answer | RequestFailed]]


class Dispatcher:
    """Answers requests of one model from the store or its backend. Use as an async context manager.

    Dispatchers of several remote models share one `traffic`, and with it the providers' limits and the budget.
    """

    def __init__(
        self,
        backend: AnyBackend,
        store: Store,
        on_answers: Callable[[Counts], None] | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self._backend, self._store, self._traffic = backend, store, traffic
        self._model_key = backend.identity.key
        self._on_answers = on_answers or (lambda counts: None)
        self._new: dict[str, _Waiting] = {}
        self._open: dict[str, _Waiting] = {}
        self._arrived = asyncio.Event()
        self._stopping = threading.Event()
        self._loop_task: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._arrivals: list[tuple[str, Request, Answer | RequestFailed]] = []
        self.counts = Counts()

    async def __aenter__(self) -> Dispatcher:
        self._store.remember_model(self._backend.identity)
        serve = self._serve_remote if isinstance(self._backend, RemoteBackend) else self._serve
        self._loop_task = asyncio.create_task(serve())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        self._arrived.set()
        if self._loop_task is not None:
            await self._loop_task

    def stop(self) -> None:
        """Finish what the backend is computing now, store it, and ask nothing more."""
        self._stopping.set()
        self._arrived.set()

    def for_item(self) -> ItemModel:
        """A model handle that remembers which requests were asked through it."""
        return ItemModel(self)

    def key_of(self, request: Request) -> str:
        """The store key of a request to this model."""
        return request_key(self._model_key, request)

    async def ask(self, key: str, request: Request) -> Answer:
        """The answer. Raises RequestFailed if this request got none, Interrupted after a stop."""
        if self._stopping.is_set():
            raise Interrupted
        waiting = self._new.get(key) or self._open.get(key)
        if waiting is None:
            waiting = self._new[key] = _Waiting(request, asyncio.get_running_loop().create_future())
            self._arrived.set()
        return await asyncio.shield(waiting.future)

    async def _serve_remote(self) -> None:
        """Start a call for each request that the store does not know, as it comes."""
        backend = cast(RemoteBackend, self._backend)
        caller = Caller(backend, self._traffic or Traffic())
        try:
            while not self._stopping.is_set():
                await self._arrived.wait()
                await asyncio.sleep(0)
                self._arrived.clear()
                if self._stopping.is_set():
                    break
                new, self._new = self._new, {}
                self._open.update(new)
                for key, request in self._from_store(new):
                    call = asyncio.create_task(self._call(caller, key, request))
                    self._calls.add(call)
                    call.add_done_callback(self._calls.discard)
        except BaseException as error:
            self._release(error)
            raise
        finally:
            # What is under way has been paid for: it is awaited and stored. Nothing new is begun.
            await asyncio.gather(*self._calls, return_exceptions=True)
            self._land()
            self._open.update(self._new)
            self._release(Interrupted())
            await backend.close()

    async def _call(self, caller: Caller, key: str, request: Request) -> None:
        try:
            if not isinstance(request, Generate):
                raise RequestFailed("a remote model gives no log-likelihoods", kind="capability")
            answer: Answer | RequestFailed = await caller.ask(request, self._stopping.is_set)
        except RequestFailed as error:
            answer = error
        except BaseException as error:
            self._resolve(key, error)
            if isinstance(error, Exception):
                return
            raise
        self._arrivals.append((key, request, answer))
        if len(self._arrivals) == 1:
            asyncio.get_running_loop().call_soon(self._land)

    def _land(self) -> None:
        """Store what has come since the last time, in one transaction."""
        arrivals, self._arrivals = self._arrivals, []
        if not arrivals:
            return
        rest = [(key, request) for key, request, _ in arrivals]
        try:
            self._take(rest, [(index, answer) for index, (_, _, answer) in enumerate(arrivals)])
        except JatdaeError as error:
            self._stopping.set()
            self._arrived.set()
            self._release(error)

    async def _serve(self) -> None:
        try:
            while not self._stopping.is_set():
                await self._arrived.wait()
                await self._settle()
                self._arrived.clear()
                self._open, self._new = self._new, {}
                rest = self._from_store(self._open)
                if rest and not self._stopping.is_set():
                    await self._from_backend(rest)
                self._release(RequestFailed("the backend gave no answer", kind="unanswered"))
        except BaseException as error:
            self._stopping.set()
            self._release(error)
            raise
        finally:
            self._open.update(self._new)
            self._release(Interrupted())

    async def _settle(self) -> None:
        """Let every coroutine that can run reach its next request, so that the batch is as large as it can be."""
        seen = -1
        while seen != len(self._new):
            seen = len(self._new)
            await asyncio.sleep(0)

    def _from_store(self, asked: Mapping[str, _Waiting]) -> list[tuple[str, Request]]:
        """Answer what the store knows; returns the rest."""
        requests = {key: waiting.request for key, waiting in asked.items()}
        known = self._store.answers(list(requests))
        for key, answer in known.items():
            self._resolve(key, answer)
        self.counts.stored += len(known)
        if known:
            self._on_answers(self.counts)
        return [(key, request) for key, request in requests.items() if key not in known]

    async def _from_backend(self, rest: Sequence[tuple[str, Request]]) -> None:
        """Run the backend in a thread of its own and take its parts as they come."""
        loop = asyncio.get_running_loop()
        parts: asyncio.Queue[Part | None] = asyncio.Queue()

        def work() -> None:
            try:
                for part in cast(Backend, self._backend).answer([request for _, request in rest]):
                    loop.call_soon_threadsafe(parts.put_nowait, part)
                    if self._stopping.is_set():
                        break
            finally:
                loop.call_soon_threadsafe(parts.put_nowait, None)

        working = loop.run_in_executor(None, work)
        while (part := await parts.get()) is not None:
            self._take(rest, part)
        await working
        if self._stopping.is_set():
            self._release(Interrupted())

    def _take(self, rest: Sequence[tuple[str, Request]], part: Part) -> None:
        """Store a part's answers, then wake those who wait for them."""
        answered = [(*rest[index], answer) for index, answer in part if not isinstance(answer, RequestFailed)]
        self._store.remember(self._model_key, answered)
        for index, answer in part:
            key, _ = rest[index]
            if isinstance(answer, RequestFailed):
                self._store.record_failure(key, self._model_key, answer.kind, str(answer))
            self._resolve(key, answer)
        self.counts.asked += len(answered)
        self.counts.failed += len(part) - len(answered)
        self._on_answers(self.counts)

    def _resolve(self, key: str, answer: Answer | BaseException) -> None:
        waiting = self._open.pop(key, None)
        if waiting is None or waiting.future.done():
            return
        if isinstance(answer, BaseException):
            waiting.future.set_exception(answer)
            waiting.future.exception()  # marked as seen: nobody may be waiting any more
        else:
            waiting.future.set_result(answer)

    def _release(self, error: BaseException) -> None:
        """Let nobody wait for ever: whoever is still waiting gets the error."""
        for key in list(self._open):
            self._resolve(key, error)


class ItemModel:
    """The model as one item's coroutine sees it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self.requests: list[str] = []
        self.cut_tokens = 0
        self.merged = False

    async def score(self, request: Score) -> Scores:
        return cast(Scores, await self._ask(request))

    async def generate(self, request: Generate) -> Completion:
        return cast(Completion, await self._ask(request))

    async def _ask(self, request: Request) -> Answer:
        key = self._dispatcher.key_of(request)
        self.requests.append(key)
        answer = await self._dispatcher.ask(key, request)
        self.cut_tokens += answer.cut_tokens
        self.merged |= isinstance(answer, Scores) and answer.merged
        return answer
