"""`litellm:` asks whatever provider litellm knows: `openrouter/VENDOR/MODEL`, `anthropic/...`, `gemini/...`."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.models.api.complaints import (
    Complaint,
    Speaker,
    environment_secrets,
    failure_of,
    is_filtered,
    retry_after_seconds,
)
from jatdae.models.api.litellm_door import load_litellm, provider_of, worst_cost_of
from jatdae.models.api.parameters import Adaptation, body_of, messages_of
from jatdae.models.api.replies import UnusableReply, completion_of, price
from jatdae.models.api.server import shown_address
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.options import RemoteOptions
from jatdae.types import Completion, Generate, Request, canonical

_NO_KEY = "none"
"""What is sent to a server of one's own where no key is set; litellm wants some."""
_BROKEN_REPLY = ("jsondecode", "validation error", "expecting value", "unterminated string", "'nonetype'", "json")


class LiteLlmBackend:
    """A model that litellm asks. One attempt a question: litellm's retries are off."""

    capabilities = Capabilities(chat=True)

    def __init__(self, reference: ModelReference, options: RemoteOptions) -> None:
        self.options = options
        self._reference, self._litellm = reference, load_litellm()
        self._provider, address = provider_of(reference.name, options.base_url)
        self._adaptation = Adaptation()
        self._speaker = Speaker(reference.name, environment_secrets())
        shown = shown_address(address) if address else ""
        facts = {
            "backend": reference.backend,
            "base_url": shown,
            "model": reference.name,
            "effort": reference.revision or "",
        }
        self.identity = ModelIdentity(str(reference), facts)
        self.settings: Mapping[str, str] = {"provider": self._provider, **({"base_url": shown} if shown else {})}

    @property
    def concurrency(self) -> int:
        return self.options.concurrency

    @property
    def notes(self) -> Sequence[str]:
        return tuple(f"{self._reference}: {note}" for note in self._adaptation.notes)

    async def ask(self, request: Generate) -> Completion:
        """One attempt, ended after `timeout_seconds`.

        A refused parameter is left out and the model asked again at once, as part of the attempt. A prompt that the
        provider's content policy refuses is answered with an empty text that ends by `filter`. Raises TransientFailure
        or RequestFailed.
        """
        import openai

        started = time.monotonic()
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
        """Nothing: litellm's connections belong to all of its models, and it closes them when the program ends."""

    def worst_cost(self, request: Generate) -> float | None:
        """By litellm's price table: a token a character of the prompt, and all of `max_tokens`."""
        return worst_cost_of(self._reference.name, request)

    def preview(self, request: Request) -> list[Sent]:
        """The messages as JSON. Raises RequestFailed for a Score."""
        if not isinstance(request, Generate):
            raise RequestFailed(f"{self._reference} gives no log-likelihoods", kind="unsupported")
        return [Sent(canonical(messages_of(request.prompt)), ())]

    def random_like(self, seed: int) -> None:
        return None

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
        try:
            completion = completion_of(document, request.sampling.stop, seconds)
        except UnusableReply as error:
            words = json.dumps(document, default=str)
            message = self._speaker.message(f"sent no chat completion, {error}", words)
            raise TransientFailure(message, kind="malformed") from None
        # The provider's own figure, where there is one, before that of the table.
        known = price(getattr(response, "_hidden_params", {}).get("response_cost"))
        return completion if completion.cost_usd is not None else replace(completion, cost_usd=known)

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
        if isinstance(error, openai.APIConnectionError) or complaint.status == 0:
            broken = any(sign in complaint.words.lower() for sign in _BROKEN_REPLY)
            what = "sent no chat completion" if broken else "could not be reached or broke off"
            message = self._speaker.message(what, complaint.words)
            return TransientFailure(message, kind="malformed" if broken else "connection")
        return failure_of(complaint, self._speaker, _retry_after(error))

    def _timed_out(self) -> TransientFailure:
        message = f"{self._speaker.name} gave no answer within {self.options.timeout_seconds:g} seconds"
        return TransientFailure(message, kind="timeout")


def _complaint_of(error: Exception) -> Complaint:
    status, words = getattr(error, "status_code", 0), getattr(error, "message", "") or str(error)
    named = [getattr(error, name, None) for name in ("code", "param")]
    code, parameter = (value if isinstance(value, str) else "" for value in named)
    return Complaint(status if isinstance(status, int) else 0, str(words), code, parameter)


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    told = getattr(error, "litellm_response_headers", None) or {}
    return retry_after_seconds(headers.get("retry-after") or told.get("retry-after"))
