"""How a model is loaded and run: what the user may choose, in one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jatdae.errors import RequestError


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """Choices for a model behind an API or a command-line client.

    `base_url` is the root of an OpenAI-compatible server, such as `http://127.0.0.1:8080/v1`. `concurrency` bounds the
    requests in flight to an API, `cli_concurrency` the processes of a command-line client. A failed attempt is repeated
    `max_retries` times, after `backoff_seconds` times 2, 4, 8 ... with a quarter of jitter, or after what the server
    asks for. The limits per minute are the provider's, None for none. Raises RequestError for a number out of range.
    """

    base_url: str | None = None
    concurrency: int = 8
    cli_concurrency: int = 2
    max_retries: int = 3
    backoff_seconds: float = 2.0
    timeout_seconds: float = 180.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "cli_concurrency"):
            if getattr(self, name) < 1:
                raise RequestError(f"{name} {getattr(self, name)}: at least 1 is needed")
        if self.max_retries < 0 or self.backoff_seconds < 0:
            raise RequestError("max_retries and retry_backoff_seconds: numbers from 0 on are needed")
        for name in ("timeout_seconds", "requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise RequestError(f"{name} {value}: a number above 0 is needed")


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Choices for a local model; `remote` holds those for one behind an API.

    `dtype` None means float32 on a CPU and the checkpoint's own on a GPU. `batch_tokens` bounds the distinct tokens of
    one forward pass; None chooses by device. `truncate` says what becomes of a prompt that is longer than the model's
    window: it is refused, or cut from the left as lm-evaluation-harness does. `backend_options` are a backend's own,
    by name; the backend reads them. Raises RequestError for a number below 1.
    """

    dtype: Literal["float32", "bfloat16", "float16", "auto"] | None = None
    device: str = "auto"
    batch_tokens: int | None = None
    truncate: Literal["refuse", "left"] = "refuse"
    trust_remote_code: bool = False
    offline: bool = False
    threads: int | None = None
    backend_options: tuple[tuple[str, str], ...] = ()
    remote: RemoteOptions = RemoteOptions()

    def __post_init__(self) -> None:
        for name, value in (("--batch-tokens", self.batch_tokens), ("--threads", self.threads)):
            if value is not None and value < 1:
                raise RequestError(f"{name} {value}: at least 1 is needed")
