"""How a model is loaded and run: what the user may choose, in one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jatdae.errors import RequestError


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Choices for a local model.

    `dtype` None means float32 on a CPU and the checkpoint's own on a GPU. `batch_tokens` bounds the distinct tokens of
    one forward pass; None chooses by device. `truncate` says what becomes of a prompt that is longer than the model's
    window: it is refused, or cut from the left as lm-evaluation-harness does. Raises RequestError for a number below 1.
    """

    dtype: Literal["float32", "bfloat16", "float16", "auto"] | None = None
    device: str = "auto"
    batch_tokens: int | None = None
    truncate: Literal["refuse", "left"] = "refuse"
    trust_remote_code: bool = False
    offline: bool = False
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("--batch-tokens", self.batch_tokens), ("--threads", self.threads)):
            if value is not None and value < 1:
                raise RequestError(f"{name} {value}: at least 1 is needed")
