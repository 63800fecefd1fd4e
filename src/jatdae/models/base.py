"""What a backend is, and how a model is named.

A model reference is `BACKEND:NAME[@REVISION]`; a bare name or path means `hf:`. A local model may carry an adapter:
`hf:BASE[@REVISION]+ADAPTER_FOLDER`.
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

REMOTE = frozenset({"openai", "litellm", "claude-cli", "codex-cli"})
"""Backends that ask somebody else: names are ids there, never paths here."""
SPREAD = "ray"
"""Stands before a local model: `ray:hf:NAME` runs it on a cluster."""
LOCAL = ("hf", "vllm")
BACKENDS = (*LOCAL, SPREAD, *sorted(REMOTE))
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How hard a remote model is asked to reason: `litellm:openrouter/openai/gpt-5@high`."""


@dataclass(frozen=True, slots=True)
class ModelReference:
    """Where a model runs and what it is called there. The revision of a remote model is its reasoning effort.

    `adapter` is a folder whose adapter is laid over the model; None for the model as it is.
    """

    backend: str
    name: str
    revision: str | None = None
    adapter: str | None = None

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        adapter = f"+{self.adapter}" if self.adapter else ""
        return f"{self.backend}:{self.name}{revision}{adapter}"


ADAPTER_FILE = "adapter_config.json"
"""What makes a folder an adapter."""


def parse_reference(text: str) -> ModelReference:
    """Read `BACKEND:NAME[@REVISION][+ADAPTER]`; a path that exists is a name as a whole, whatever signs it holds.

    Raises RequestError for an empty name, an unknown backend, or an adapter of a model that is not run here.
    """
    backend, colon, rest = text.partition(":")
    if not colon or "/" in backend or "\\" in backend or "." in backend or len(backend) == 1:
        backend, rest = "hf", text
    if backend not in BACKENDS:
        raise RequestError(f"unknown backend {backend!r} in {text!r}; {did_you_mean(backend, BACKENDS)}")
    if backend == SPREAD:
        return ModelReference(SPREAD, str(_inner_reference(rest, text)))
    if backend in REMOTE:
        return _remote_reference(backend, rest, text)
    base, adapter = _adapter_apart(rest)
    if "+" in rest and not (base and adapter != ""):
        raise RequestError(f"{text!r}: a model and an adapter's folder are joined by +, such as hf:BASE+./my-adapter")
    if base and Path(base).expanduser().exists():
        return ModelReference(backend, base, adapter=adapter)
    name, _, revision = base.partition("@")
    if not name:
        raise RequestError(f"{text!r} names no model; write BACKEND:NAME, for example hf:./my-checkpoint")
    return ModelReference(backend, name, revision or None, adapter)


def _inner_reference(rest: str, text: str) -> ModelReference:
    inner = parse_reference(rest)
    if inner.backend not in LOCAL:
        raise RequestError(f"{text!r}: ray spreads a model that is run here; write ray:hf:NAME")
    return inner


def _adapter_apart(text: str) -> tuple[str, str | None]:
    """The base and the adapter of `BASE+ADAPTER`; paths may hold the sign too.

    What exists decides: the whole, else the first sign that a folder follows, best one behind a base that is there.
    Where nothing exists the last sign divides, so that a message can name both parts.
    """
    if "+" not in text or Path(text).expanduser().exists():
        return text, None
    pairs = [(text[:place], text[place + 1 :]) for place, sign in enumerate(text) if sign == "+"]
    there = [(base, adapter) for base, adapter in pairs if adapter and Path(adapter).expanduser().is_dir()]
    whole = [pair for pair in there if pair[0] and Path(pair[0]).expanduser().exists()]
    return (*whole, *there, pairs[-1])[0]


def _remote_reference(backend: str, name: str, text: str) -> ModelReference:
    """What follows the last `@` is an effort; with a digit in it, it belongs to the name, as `claude@20250514` does."""
    front, at, back = name.rpartition("@")
    if not name or (at and not front):
        raise RequestError(f"{text!r} names no model; write BACKEND:NAME, for example openai:my-model")
    adapter = _adapter_apart(name)[1]
    if adapter and (Path(adapter).expanduser() / ADAPTER_FILE).is_file():
        raise RequestError(f"{text!r}: an adapter needs a model that is run here; write hf:BASE+{adapter}")
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
