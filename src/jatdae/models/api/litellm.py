"""`litellm:` asks whatever provider litellm knows: `openrouter/VENDOR/MODEL`, `anthropic/...`, `gemini/...`."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jatdae.errors import RequestFailed
from jatdae.models.api.backend import ApiBackend
from jatdae.models.api.complaints import (
    Complaint,
    Speaker,
    complaint_of,
    environment_secrets,
    failure_of,
    is_filtered,
    retry_after_seconds,
)
from jatdae.models.api.litellm_door import (
    is_free,
    load_litellm,
    provider_of,
    release_clients,
    use_clients,
    worst_cost_of,
)
from jatdae.models.api.parameters import body_of
from jatdae.models.api.replies import UnusableReply, completion_of, price
from jatdae.models.api.server import shown_address
from jatdae.models.base import ModelReference
from jatdae.models.options import RemoteOptions
from jatdae.types import Completion, Generate

_NO_KEY = "none"
"""What is sent to a server of one's own where no key is set; litellm wants some."""
_BROKEN_REPLY = re.compile(
    r"expecting (?:value|property|',')|unterminated string|invalid (?:control character|response object)"
    r"|empty or invalid response|recursion|jsondecode|validation error|extra data",
    re.IGNORECASE,
)
_LOST = re.compile(r"connection error|server disconnected|connect call failed|cannot connect", re.IGNORECASE)
"""litellm reports most that goes wrong on the way as an error of the server; its words tell what it was."""
_PREFIX = re.compile(r"^litellm\.\w{1,60}: (?:\w{1,60}: ){0,3}(?:\w{1,60}Exception - )?")


class LiteLlmBackend(ApiBackend):
    """A model that litellm asks. One attempt a question: litellm's retries are off."""

    def __init__(self, reference: ModelReference, options: RemoteOptions) -> None:
        self._litellm = load_litellm()
        self._provider, address = provider_of(reference.name, options.base_url)
        shown = shown_address(address) if address else ""
        super().__init__(reference, options, shown, Speaker(reference.name, environment_secrets()))
        self.settings: Mapping[str, str] = {"provider": self._provider, **({"base_url": shown} if shown else {})}

    async def ask(self, request: Generate) -> Completion:
        """One attempt, ended after `timeout_seconds`.

        A refused parameter is left out and the model asked again at once, as part of the attempt. A prompt that the
        provider's content policy refuses is answered with an empty text that ends by `filter`. Raises TransientFailure
        or RequestFailed.
        """
        import openai

        started = time.monotonic()
        use_clients(self)
        try:
            async with asyncio.timeout(self.options.timeout_seconds):
                response = await self._adapted(self._body(request))
        except TimeoutError:
            raise self._timed_out() from None
        except openai.OpenAIError as error:
            if self._is_filtered(error):
                return Completion("", "filter", seconds=time.monotonic() - started)
            raise self._failure(error) from None
        return self._completion(response, request, time.monotonic() - started)

    async def close(self) -> None:
        """Close this loop's connections once none of the models that were asked in it needs them any more."""
        await release_clients(self)

    def worst_cost(self, request: Generate) -> float | None:
        """By litellm's price table: a token a character of the prompt, and all of `max_tokens`."""
        return worst_cost_of(self._reference.name, request)

    def _body(self, request: Generate) -> dict[str, Any]:
        body, effort = body_of(self._reference.name, request), self._reference.revision
        if effort is not None and self._provider == "openrouter":
            body["extra_body"] = {"reasoning": {"effort": effort}}
        elif effort is not None:
            body["reasoning_effort"] = effort
        return body

    async def _adapted(self, body: Mapping[str, Any]) -> Any:
        """The answer to a body without what this model refuses. Each round leaves out one more, so it ends."""
        import openai

        while True:
            sent = self._adaptation.applied(body)
            try:
                return await self._litellm.acompletion(**sent, **self._fixed())
            except openai.BadRequestError as error:
                if not self._adaptation.learn(_complaint_of(error), sent):
                    raise

    def _fixed(self) -> dict[str, Any]:
        """What every call says beside its request."""
        fixed: dict[str, Any] = {"timeout": self.options.timeout_seconds, "num_retries": 0, "max_retries": 0}
        if self.options.base_url is not None:
            fixed["api_base"] = self.options.base_url
            if not os.environ.get(f"{self._provider.upper()}_API_KEY"):
                fixed["api_key"] = _NO_KEY
        return fixed

    def _completion(self, response: Any, request: Generate, seconds: float) -> Completion:
        document = response.model_dump() if hasattr(response, "model_dump") else response
        if error := _error_of_choice(document):
            raise failure_of(complaint_of({"error": error}), self._speaker)
        try:
            completion = completion_of(document, request.sampling.stop, seconds)
        except UnusableReply as error:
            raise self._lost(f"sent no chat completion, {error}", "", "malformed") from None
        # The provider's own figure, where there is one, before that of the table.
        if completion.cost_usd is not None:
            return completion
        known = price(getattr(response, "_hidden_params", {}).get("response_cost"))
        return replace(completion, cost_usd=known if known or is_free(self._reference.name) else None)

    def _is_filtered(self, error: Exception) -> bool:
        blocked = isinstance(error, self._litellm.exceptions.ContentPolicyViolationError)
        return blocked or is_filtered(_complaint_of(error))

    def _failure(self, error: Exception) -> RequestFailed:
        """One of ours for one of litellm's: by its class where the class says more than the status does."""
        import openai

        if isinstance(error, openai.APITimeoutError):
            return self._timed_out()
        complaint = _complaint_of(error)
        if isinstance(error, self._litellm.exceptions.ContextWindowExceededError):
            return RequestFailed(self._speaker.message("refused the prompt", complaint.words), kind="overlong")
        if 200 <= complaint.status < 300 or (complaint.status in (0, 500) and _BROKEN_REPLY.search(complaint.words)):
            return self._lost("sent no chat completion", complaint.words, "malformed")
        if isinstance(error, openai.APIConnectionError) or (complaint.status == 500 and _LOST.search(complaint.words)):
            return self._lost("could not be reached or broke off", complaint.words, "connection")
        return failure_of(complaint, self._speaker, _retry_after(error))


def _complaint_of(error: Exception) -> Complaint:
    """What litellm's error says, with the code and the parameter of the server's own error, where it kept that."""
    status, words = getattr(error, "status_code", 0), str(getattr(error, "message", "") or error)
    body = getattr(error, "body", None)
    told = complaint_of(body if isinstance(body, Mapping) else {}, status if isinstance(status, int) else 0)
    return replace(told, words=_PREFIX.sub("", words).partition("Traceback (most")[0])


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    told = getattr(error, "litellm_response_headers", None) or {}
    return retry_after_seconds(headers.get("retry-after") or told.get("retry-after"))


def _error_of_choice(document: object) -> Mapping[str, Any] | None:
    """The error that a provider put in place of its first choice; litellm keeps it beside an empty message."""
    try:
        error = document["choices"][0]["provider_specific_fields"]["error"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return None
    return error if isinstance(error, Mapping) else None
