"""A chat completion server on loopback that answers well, or badly in ways that real servers do.

It runs in a thread of its own and speaks just enough HTTP/1.1 to be fast. Which fault a request meets is a function of
the seed, the request's body and how often that body has come, so that any order of requests meets the same faults.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Body = dict[str, Any]


class Fault(StrEnum):
    """What may go wrong. `GOOD` is no fault; it fills the places of a script."""

    GOOD = "good"
    RATE_LIMIT = "429 with Retry-After"
    SERVER_ERROR = "500"
    HANG = "no answer"
    RESET = "connection reset"
    HALF_JSON = "half a JSON"
    WRONG_SHAPE = "JSON of a wrong shape"
    DRIP = "an answer that drips in slowly"
    ERROR_BODY = "200 with an error in it"
    HTML = "HTML in place of JSON"


FAULTS = tuple(fault for fault in Fault if fault is not Fault.GOOD)


@dataclass(frozen=True, slots=True)
class Raw:
    """Any answer at all, for scripts: bytes as they stand, anything else as JSON."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def echo(body: Body) -> str:
    """The default reply: a pure function of the messages."""
    told = json.dumps(body.get("messages"), sort_keys=True)
    return "답 " + hashlib.sha256(told.encode()).hexdigest()[:12]


def body_key(body: Body) -> str:
    """How `answered` and `seen` name a request: by a digest of all its body."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def chat_completion(text: str, **message: object) -> Body:
    """A well-formed answer; its token counts are the characters of its text."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": len(text), "total_tokens": 7 + len(text)}
    named = {"id": "one", "object": "chat.completion", "created": 1, "model": "served"}
    return {**named, "choices": [choice], "usage": usage}


class FaultyServer:
    """Use as a context manager; `base_url` is the API's root. `reply` gives a text, or a raw answer of any kind.

    `script` gives the first requests, in the order of their arrival, a fault or a raw answer each. After it, a share
    `fault_rate` of requests meets one of `faults`, but none more than `longest_streak` in a row. `latency` is in
    seconds, before every answer. `requests` holds all bodies, `headers` theirs, `seen` counts bodies by `body_key` and
    `answered` those that were answered well and whole.
    """

    def __init__(
        self,
        reply: Callable[[Body], str | Raw] = echo,
        *,
        script: Sequence[Fault | Raw] = (),
        fault_rate: float = 0.0,
        faults: Sequence[Fault] = FAULTS,
        seed: int = 0,
        latency: float = 0.0,
        retry_after: str = "0.05",
        longest_streak: int = 3,
    ) -> None:
        self._reply, self._script, self._faults = reply, list(script), tuple(faults)
        self._fault_rate, self._seed, self._latency = fault_rate, seed, latency
        self._retry_after, self._longest_streak = retry_after, longest_streak
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.injected: Counter[Fault] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.base_url = ""
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> FaultyServer:
        self._thread.start()
        if not self._started.wait(10):
            raise RuntimeError("the server has not started")
        return self

    def __exit__(self, *_: object) -> None:
        if self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def fault_of(self, key: str, attempt: int) -> Fault:
        """What the `attempt`-th coming (from 0) of a body meets."""
        digest = hashlib.sha256(f"{self._seed}/{key}/{attempt % (self._longest_streak + 1)}".encode()).digest()
        # Every so many attempts one is always good, so that no request is cursed for ever.
        if attempt % (self._longest_streak + 1) == self._longest_streak:
            return Fault.GOOD
        if int.from_bytes(digest[:8]) / 2**64 >= self._fault_rate:
            return Fault.GOOD
        return self._faults[int.from_bytes(digest[8:12]) % len(self._faults)]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                await self._converse(reader, writer)
            finally:
                connections.discard(task)
                writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0, backlog=1024, limit=2**24)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._started.set()
        await self._stop.wait()
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer request after request on one connection, until somebody hangs up."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                data = await reader.readexactly(int(headers.get("content-length", "0")))
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                try:
                    fault = await self._answer(head[0].split(" ")[1], headers, data, writer)
                    if fault is Fault.HANG:
                        await _until_gone(reader)
                        return
                finally:
                    self.in_flight -= 1

    async def _answer(self, path: str, headers: dict[str, str], data: bytes, writer: asyncio.StreamWriter) -> Fault:
        """Send what is due; tells what was wrong with it."""
        body = json.loads(data) if data else {}
        key = body_key(body)
        attempt = self.seen[key]
        self.seen[key] += 1
        self.requests.append(body)
        self.headers.append(headers)
        self.paths.append(path)
        # The answer is decided on before anything is waited for: a script goes by the order of arrival.
        planned = self._script.pop(0) if self._script else self.fault_of(key, attempt)
        await asyncio.sleep(self._latency)
        if path.partition("?")[0] != "/v1/chat/completions":
            await _send(writer, Raw({"error": {"message": f"no such path {path}"}}, 404))
        elif isinstance(planned, Raw):
            await _send(writer, planned)
        elif planned is Fault.GOOD:
            replied = self._reply(body)
            await _send(writer, Raw(chat_completion(replied)) if isinstance(replied, str) else replied)
            self.answered[key] += isinstance(replied, str)
        else:
            self.injected[planned] += 1
            await self._fail(planned, body, writer)
            return planned
        return Fault.GOOD

    async def _fail(self, fault: Fault, body: Body, writer: asyncio.StreamWriter) -> None:
        replied = self._reply(body)
        whole = json.dumps(chat_completion(replied)).encode() if isinstance(replied, str) else replied.data()
        if fault is Fault.RESET:
            _reset(writer)
        elif fault is Fault.DRIP:
            await _drip(writer, whole)
        elif fault is not Fault.HANG:
            await _send(writer, self._bad_answer(fault, whole))

    def _bad_answer(self, fault: Fault, whole: bytes) -> Raw:
        return {
            Fault.RATE_LIMIT: Raw({"error": {"message": "slow down"}}, 429, {"Retry-After": self._retry_after}),
            Fault.SERVER_ERROR: Raw({"error": {"message": "a fault of ours"}}, 500),
            Fault.HALF_JSON: Raw(whole[: len(whole) // 2]),
            Fault.WRONG_SHAPE: Raw({"choices": [{"text": "an older form"}]}),
            Fault.ERROR_BODY: Raw({"error": {"code": 502, "message": "the provider is overloaded"}}),
            Fault.HTML: Raw(b"<html><body>Bad gateway</body></html>", 200, {"Content-Type": "text/html"}),
        }[fault]


async def _send(writer: asyncio.StreamWriter, raw: Raw) -> None:
    data = raw.data()
    named = {"Content-Type": "application/json", "Content-Length": str(len(data)), **raw.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    writer.write(f"HTTP/1.1 {raw.status} .\r\n{head}\r\n".encode() + data)
    await writer.drain()


async def _drip(writer: asyncio.StreamWriter, whole: bytes) -> None:
    """A byte every 50 ms: each is early enough for a timeout between bytes, and the whole takes for ever."""
    writer.write(f"HTTP/1.1 200 .\r\nContent-Type: application/json\r\nContent-Length: {len(whole)}\r\n\r\n".encode())
    for byte in whole:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)
        if writer.is_closing():
            return


async def _until_gone(reader: asyncio.StreamReader) -> None:
    """Say nothing until the client has hung up."""
    while not reader.at_eof():
        await asyncio.sleep(0.02)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with an RST: lingering for zero seconds throws away what is under way."""
    own: socket.socket = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
