"""`openai:` asks any OpenAI-compatible server: the official one, OpenRouter, vLLM, llama.cpp, a server of one's own.

It speaks to `POST {base_url}/chat/completions` directly, so that every failure is known for what it is.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.models.api.backend import ApiBackend
from jatdae.models.api.complaints import (
    Complaint,
    Speaker,
    complaint_in,
    complaint_of,
    environment_secrets,
    failure_of,
    is_filtered,
    retry_after_seconds,
)
from jatdae.models.api.parameters import body_of
from jatdae.models.api.replies import UnusableReply, completion_of
from jatdae.models.api.server import Server
from jatdae.models.base import ModelReference
from jatdae.models.options import RemoteOptions
from jatdae.types import Completion, Generate

if TYPE_CHECKING:
    import httpx2

LARGEST_REPLY = 32 * 2**20
"""Bytes; no chat completion is longer."""
CONNECT_SECONDS = 20.0


class _Refused(Exception):
    """A server's complaint, before it is known whether leaving out a parameter helps."""

    def __init__(self, complaint: Complaint, retry_after: float | None) -> None:
        self.complaint, self.retry_after = complaint, retry_after
        super().__init__(complaint.words)


class OpenAiBackend(ApiBackend):
    """A model at an OpenAI-compatible server. `key` is sent as a bearer token, unless it is empty."""

    def __init__(self, reference: ModelReference, options: RemoteOptions, server: Server, key: str) -> None:
        secrets = environment_secrets() + ((server.password,) if server.password else ())
        super().__init__(reference, options, server.shown, Speaker(server.host, secrets))
        self._server, self._key = server, key
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.settings: Mapping[str, str] = {"base_url": server.shown}

    async def ask(self, request: Generate) -> Completion:
        """One attempt, ended after `timeout_seconds` however slowly bytes drip in.

        A refused parameter is left out and the model asked again at once, as part of the attempt. A prompt that the
        provider's content policy refuses is answered with an empty text that ends by `filter`. Raises TransientFailure
        or RequestFailed.
        """
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.options.timeout_seconds):
                document = await self._adapted(self._body(request))
        except TimeoutError:
            raise self._timed_out() from None
        except _Refused as refused:
            if is_filtered(refused.complaint):
                return Completion("", "filter", seconds=time.monotonic() - started)
            raise failure_of(refused.complaint, self._speaker, refused.retry_after) from None
        try:
            return completion_of(document, request.sampling.stop, time.monotonic() - started)
        except UnusableReply as error:
            raise self._malformed(str(error), f"it has {', '.join(document)}") from None

    async def close(self) -> None:
        """Close the connections; the next question opens others."""
        client, self._client, self._loop = self._client, None, None
        if client is not None:
            await client.aclose()

    def worst_cost(self, request: Generate) -> float | None:
        """None: a server of this kind states no prices beforehand."""
        return None

    def _body(self, request: Generate) -> dict[str, Any]:
        body, effort = body_of(self._reference.name, request), self._reference.revision
        if effort is not None and self._server.is_openrouter:
            body["reasoning"] = {"effort": effort}
        elif effort is not None:
            body["reasoning_effort"] = effort
        return body

    async def _adapted(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer to a body without what this model refuses. Each round leaves out one more, so it ends."""
        while True:
            sent = self._adaptation.applied(body)
            try:
                return self._read(*await self._post(sent))
            except _Refused as refused:
                if not self._adaptation.learn(refused.complaint, sent):
                    raise

    async def _post(self, body: Mapping[str, Any]) -> tuple[int, bytes, float | None]:
        """Status, body and the wait that is asked for."""
        import httpx2

        content = json.dumps(body, ensure_ascii=False).encode()
        try:
            async with self._connections().stream("POST", self._server.endpoint, content=content) as response:
                asked = retry_after_seconds(response.headers.get("Retry-After"))
                return response.status_code, await self._body_of(response), asked
        except httpx2.TimeoutException:
            raise self._timed_out() from None
        except httpx2.DecodingError as error:
            raise self._malformed("the reply cannot be decompressed", str(error)) from None
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            raise RequestFailed(self._speaker.message("cannot be asked", str(error)), kind="refused request") from None
        except httpx2.TransportError as error:
            what = f"could not be reached or broke off ({type(error).__name__})"
            raise TransientFailure(self._speaker.message(what, str(error)), kind="connection") from None

    async def _body_of(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        async for chunk in response.aiter_bytes():
            data += chunk
            if len(data) > LARGEST_REPLY:
                raise self._malformed(f"the reply is larger than {LARGEST_REPLY} bytes", "")
        return bytes(data)

    def _read(self, status: int, data: bytes, retry_after: float | None) -> Mapping[str, Any]:
        """The JSON object of an answer. Raises _Refused for an error in it, TransientFailure for what is no JSON."""
        if not 200 <= status < 300:
            raise _Refused(complaint_in(data, status), retry_after)
        try:
            document: Any = json.loads(data)
        except (ValueError, RecursionError):
            raise self._malformed("the reply is no JSON", data[:4096].decode("utf-8", "replace")) from None
        if not isinstance(document, dict):
            raise self._malformed("the reply is no JSON object", "")
        if error := _error_in(document):
            raise _Refused(complaint_of(error), retry_after)
        return document

    def _connections(self) -> httpx2.AsyncClient:
        """This loop's client: connections belong to the loop that opened them."""
        import httpx2

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            # Compression is declined, so that no small reply can grow beyond all bounds while it is unpacked.
            headers = {"User-Agent": "jatdae", "Content-Type": "application/json", "Accept-Encoding": "identity"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            seconds = self.options.timeout_seconds
            self._client = httpx2.AsyncClient(
                headers=headers,
                timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=self.concurrency),
            )
            self._loop = loop
        return self._client

    def _malformed(self, what: str, words: str) -> TransientFailure:
        return self._lost(f"sent no chat completion, {what}", words, "malformed")


def _error_in(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The error in an answer with a good status: at its top, or in place of the first choice."""
    if document.get("error"):
        return document
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) and first.get("error") else None
