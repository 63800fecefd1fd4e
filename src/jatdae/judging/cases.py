"""What a judge is given: a case to judge by, and responses to it.

The text of a case is the benchmark's own and trusted. The text of a response comes from a contestant and never is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Profile = Literal["standard", "compat"]
"""`standard` is the repaired method and the default; `compat` reproduces the published scoring arithmetic."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is scored from 0 to 10. `weight` is above 0; a rubric's weights sum to 1."""

    name: str
    description: str
    weight: float
    failure_signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a text. `fixed` marks, inside a response, lines that were scripted and are not to be judged."""

    title: str
    text: str
    fixed: bool = False


def case_key(item: str, variant: str) -> str:
    """A prompt's name: its item, with the variant where it has one."""
    return f"{item}/{variant}" if variant else item


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt as a judge has to know it. `criteria` are those that apply to it, with weights as they then count.

    `item`, `variant` (`specified`, `neutral` or "") and `track` (1, 2, 3) name it; `stratum` is its domain, form or
    subtype. `context` is shown as headed sections, `notes` are the item's own hints for judges.
    """

    item: str
    variant: str
    track: int
    stratum: str
    context: tuple[Section, ...]
    notes: str
    criteria: tuple[Criterion, ...]

    @property
    def key(self) -> str:
        """The case's name in files: the item, with its variant where it has one."""
        return case_key(self.item, self.variant)


@dataclass(frozen=True, slots=True)
class Response:
    """What a contestant wrote to a case, in the order in which it is to be read. `index` tells several apart."""

    model: str
    sections: tuple[Section, ...]
    index: int = 0


@dataclass(frozen=True, slots=True)
class RubricScore:
    """One judge's scores of one response in one iteration.

    `status`: `ok`; `partial` when criteria are missing; `unparsed` when nothing usable came back; `failed` when no
    answer came; `forced` for an empty response, which gets the floor without a call. `weighted` is the weighted mean of
    `scores` (criterion name to 0-10), None without any. `flags` are the judge's own remarks (`injection`, `refusal`)
    and the parser's (`clamped`, `truncated`, ...). `raw` holds every reply that was read, the last one last.
    """

    item: str
    variant: str
    track: int
    model: str
    judge: str
    iteration: int
    status: Literal["ok", "partial", "unparsed", "failed", "forced"]
    scores: Mapping[str, float] = field(default_factory=dict)
    weighted: float | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    not_applicable: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    error: str = ""
    raw: tuple[str, ...] = ()
    prompt_hash: str = ""
    text_hash: str = ""
    index: int = 0


Winner = Literal["A_much", "A", "tie", "B", "B_much"]
"""A verdict by place: `A` is the text that was shown first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's verdict on two responses in one order. `winner` is None when `status` is not `ok`."""

    item: str
    variant: str
    track: int
    first: str
    second: str
    judge: str
    status: Literal["ok", "unparsed", "failed", "forced"]
    winner: Winner | None
    reason: str = ""
    flags: tuple[str, ...] = ()
    error: str = ""
    raw: tuple[str, ...] = ()
    prompt_hash: str = ""
    first_hash: str = ""
    second_hash: str = ""
    first_length: int = 0
    """Characters of the text as the judge saw it; likewise `second_length`."""
    second_length: int = 0
