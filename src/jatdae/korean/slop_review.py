"""Checks of a list of expressions before it is used: what its author should mend."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from jatdae.errors import RequestError
from jatdae.korean.bounded_regex import compile_bounded
from jatdae.korean.slop import Entry, SlopMatcher

SLOWEST_SEARCH = 0.05
"""Seconds that a regular expression may take on `SEARCHED` characters."""
SEARCHED = 20_000

_NEVER_A_WORD = frozenset(("에", "에서", "에게", "을", "를", "는", "로", "으로", "라고", "이라고", "라는", "이라는"))
"""Particles that are no word of their own; those that are (이, 가, 은, 의, 과, 와) would give false alarms."""


class ExampledEntry(Entry, Protocol):
    """An entry with texts in which it must and must not be found."""

    @property
    def positives(self) -> tuple[str, ...]: ...
    @property
    def negatives(self) -> tuple[str, ...]: ...


def nested_phrases(phrases: Sequence[str]) -> list[tuple[str, str]]:
    """(inner, outer) for each phrase that stands within another of the list, in the list's order."""
    return [(inner, outer) for inner in phrases for outer in phrases if inner != outer and inner in outer]


def has_empty_slot(phrase: str) -> bool:
    """True for a phrase that lacks the noun before a particle inside it (어제는 에 관해), so that it never matches."""
    return any(word in _NEVER_A_WORD for word in phrase.split()[1:])


def entry_faults(entry: ExampledEntry) -> list[str]:
    """What is wrong with an entry's pattern or examples, as clauses for an error message; empty if it is sound."""
    try:
        matcher = SlopMatcher([entry])
    except RequestError as fault:
        return [str(fault)]
    missed = [f"is not found in its positive example {text!r}" for text in entry.positives if not matcher.find(text)]
    wrong = [f"is found in its negative example {text!r}" for text in entry.negatives if matcher.find(text)]
    return missed + wrong + _slowness(entry)


def _slowness(entry: ExampledEntry) -> list[str]:
    if entry.kind != "regex":
        return []
    # Text that nearly matches takes longest, and the examples are the nearest that there is.
    seed = " ".join((*entry.positives, *entry.negatives)) or "정적이 길게 흘렀다 "
    text = (seed * (SEARCHED // len(seed) + 1))[:SEARCHED]
    # The best of three, so that a busy machine does not condemn a pattern.
    seconds = min(_seconds(entry.pattern, text) for _ in range(3))
    return [] if seconds < SLOWEST_SEARCH else [f"takes {seconds:.2f} s on {SEARCHED} characters; narrow its repeats"]


def _seconds(pattern: str, text: str) -> float:
    expression = compile_bounded(pattern)
    start = time.perf_counter()
    for _ in expression.finditer(text):
        pass
    return time.perf_counter() - start
