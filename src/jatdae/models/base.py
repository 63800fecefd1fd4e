"""What a backend is, and how a model is named.

A model reference is `BACKEND:NAME[@REVISION]`; a bare name or path means `hf:`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol as TypingProtocol
from typing import runtime_checkable

from jatdae.errors import RequestError, RequestFailed, did_you_mean
from jatdae.models.options import RemoteOptions
from jatdae.types import Answer, Completion, Generate, Request, canonical, digest

BACKENDS = ("hf", "openai", "litellm", "claude-cli", "codex-cli")
REMOTE = frozenset(BACKENDS[1:])
"""Backends that ask somebody else: names are ids there, never paths here."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How hard a remote model is asked to reason: `litellm:openrouter/openai/gpt-5@high`."""


@dataclass(frozen=True, slots=True)
class ModelReference:
    """Where a model runs and what it is called there. The revision of a remote model is its reasoning effort."""

    backend: str
    name: str
    revision: str | None = None

    def __str__(self) -> str:
        return f"{self.backend}:{self.name}" + (f"@{self.revision}" if self.revision else "")


def parse_reference(text: str) -> ModelReference:
    """Read `BACKEND:NAME[@REVISION]`; a path that exists is a name as a whole, whatever signs it holds.

    Raises RequestError for an empty name or an unknown backend.
    """
    backend, colon, rest = text.partition(":")
    if not colon or "/" in backend or "\\" in backend or "." in backend or len(backend) == 1:
        backend, rest = "hf", text
    if backend not in BACKENDS:
        raise RequestError(f"unknown backend {backend!r} in {text!r}; {did_you_mean(backend, BACKENDS)}")
    if backend in REMOTE:
        return _remote_reference(backend, rest, text)
    if rest and Path(rest).expanduser().exists():
        return ModelReference(backend, rest)
    name, _, revision = rest.partition("@")
    if not name:
        raise RequestError(f"{text!r} names no model; write BACKEND:NAME, for example hf:./my-checkpoint")
    return ModelReference(backend, name, revision or None)


def _remote_reference(backend: str, name: str, text: str) -> ModelReference:
    """What follows the last `@` is an effort; with a digit in it, it belongs to the name, as `claude@20250514` does."""
    front, at, back = name.rpartition("@")
    if not name or (at and not front):
        raise RequestError(f"{text!r} names no model; write BACKEND:NAME, for example openai:my-model")
    if at and back in EFFORTS:
        return ModelReference(backend, front, back)
    if at and not any(sign.isdigit() for sign in back):
        raise RequestError(f"unknown effort {back!r} in {text!r}; {did_you_mean(back, EFFORTS)}")
    return ModelReference(backend, name)


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """All that decides a model's answers: weights, revision, adapter, quantisation, dtype, tokenizer, chat template.

    Two models with one `key` give the same answers; two that could differ never share a key.
    """

    reference: str
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return digest(canonical(dict(self.facts)))


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do. A task that needs more is refused with the reason."""

    log_likelihoods: bool = False
    chat: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What reaches a model for one option or one prompt: the exact text and its token ids."""

    text: str
    ids: tuple[int, ...]


class Backend(TypingProtocol):
    """Runs a model. Answers come back in any order, each with its request's index, batch by batch."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def answer(self, requests: Sequence[Request]) -> Iterator[list[tuple[int, Answer | RequestFailed]]]:
        """Yield lists of (index, answer); each list can be stored at once. The caller may stop between lists."""
        ...

    def preview(self, request: Request) -> list[Sent]:
        """What would be sent for a request: one entry an option, or the prompt. Raises RequestFailed if too long."""
        ...

    def random_like(self, seed: int) -> Backend | None:
        """A randomly initialised model that reads the same tokens, as a floor; None where there can be none."""
        ...

    @property
    def settings(self) -> Mapping[str, str]:
        """How the model was run, where it can move the last digits: dtype, device, batch size, path."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Facts about how the answers came about that a reader must know."""
        ...


@runtime_checkable
class RemoteBackend(TypingProtocol):
    """Asks a model elsewhere, one request at a time and many at once. Limits, retries and budget are the runtime's."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def options(self) -> RemoteOptions: ...

    @property
    def concurrency(self) -> int:
        """Requests that may be in flight at once."""
        ...

    async def ask(self, request: Generate) -> Completion:
        """One attempt. Raises TransientFailure where asking again may help, RequestFailed where it will not."""
        ...

    async def close(self) -> None:
        """Let go of connections; called once, in the loop that asked."""
        ...

    def worst_cost(self, request: Generate) -> float | None:
        """The most that an answer may cost in US dollars; None where nobody states a price."""
        ...

    def preview(self, request: Request) -> list[Sent]: ...

    def random_like(self, seed: int) -> None: ...

    @property
    def settings(self) -> Mapping[str, str]: ...

    @property
    def notes(self) -> Sequence[str]: ...


AnyBackend = Backend | RemoteBackend
