"""The record of one generation: what a contestant wrote to one prompt of one item, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from jatdae.types import Message


class Status(StrEnum):
    """`ok` and `truncated` are judged; `refused` too, and is counted; `empty` gets the floor; the rest is missing."""

    OK = "ok"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    ERROR = "error"
    PARTIAL = "partial"


ANSWERED = frozenset({Status.OK, Status.TRUNCATED, Status.EMPTY, Status.REFUSED})
"""What counts as covered. `error` and `partial` are asked again by the same command."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One sample. A role play has four outputs (three replies and the analysis), all else has one.

    `variant` is `specified` or `neutral` in track 3 and "" elsewhere. `usage` sums tokens over the calls
    (`prompt`, `completion`, `reasoning`); `cost_usd` is None where nobody stated a price. `requests` are store keys.
    """

    item: str
    track: int
    variant: str
    model: str
    status: Status
    outputs: tuple[str, ...]
    transcript: tuple[Message, ...] = ()
    finishes: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    error: str = ""
    index: int = 0
    usage: Mapping[str, int] = field(default_factory=dict)
    cost_usd: float | None = None
    seconds: tuple[float, ...] = ()
    served_by: str = ""
    prompt_hash: str = ""
    item_hash: str = ""
    dataset_hash: str = ""
    requests: tuple[str, ...] = ()
    human_score: Any = None

    @property
    def text(self) -> str:
        """All outputs joined by blank lines, as the published metrics read them."""
        return "\n\n".join(self.outputs)
