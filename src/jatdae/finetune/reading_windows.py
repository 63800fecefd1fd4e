"""How a question and a long passage become rows of bounded length: the question, and a window of the passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jatdae.errors import ModelError

STEP = 128
"""Tokens from the start of a window to the start of the next, as published ("doc stride")."""
LONGEST = 30
"""Tokens that an answer may have, as published."""
PROBE = "가 a 1 ."
"""Encoded twice, as a pair, to see what a tokenizer puts around texts."""


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens `start` to `end` (exclusive) of a passage. `owned` are those of which no other window shows more around.

    `owned` is a range like the window itself; it is empty in a window without tokens.
    """

    start: int
    end: int
    owned: tuple[int, int]


def windows_over(tokens: int, room: int) -> list[Window]:
    """Windows of at most `room` tokens over a passage of so many; the last ends with the passage.

    They start `STEP` tokens apart, which is what the baseline does. Where few fit (`room` below 188) they start closer,
    so that the window that shows most around an answer's first token holds its last one too; half a window at least.
    """
    step = max(1, min(STEP, max(room // 2, room - 2 * LONGEST)))
    starts = range(0, max(1, tokens - room + step), step)
    ends = [min(start + room, tokens) for start in starts]
    owners = _owners(starts, ends, tokens)
    return [
        Window(start, end, _range(owners == number))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _owners(starts: Sequence[int], ends: Sequence[int], tokens: int) -> np.ndarray:
    """For each token the window that shows most of the tokens around it, as in SQuAD: the first of equal ones."""
    first, last = np.array(starts)[:, None], np.array(ends)[:, None] - 1
    place = np.arange(tokens)[None, :]
    around = np.minimum(place - first, last - place) + 0.01 * (last - first + 1)
    return np.where((place >= first) & (place <= last), around, -np.inf).argmax(axis=0)


def _range(chosen: np.ndarray) -> tuple[int, int]:
    """The chosen places. They stand side by side: from token to token a later window gains on an earlier one."""
    places = np.flatnonzero(chosen)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)


@dataclass(frozen=True, slots=True)
class PairRule:
    """What a tokenizer puts around two texts: special tokens before, between and after them, and segment numbers.

    Each special token is a pair (number, segment). `none` is where the classifying token stands, which means "no
    answer": from the start of a row or, if negative, from its end; 0 for a tokenizer without one.
    """

    before: tuple[tuple[int, int], ...]
    between: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    segments: tuple[int, int]
    none: int

    @classmethod
    def of(cls, tokenizer: Any) -> PairRule:
        """The rule of a tokenizer, slow or fast, read from what it makes of a pair. Raises ModelError."""
        whole = tokenizer(PROBE, PROBE, return_special_tokens_mask=True, return_token_type_ids=True)
        tokens = list(zip(whole["input_ids"], whole["token_type_ids"], strict=True))
        own = [place for place, special in enumerate(whole["special_tokens_mask"]) if not special]
        if not own or len(own) % 2:
            raise ModelError(
                f"the tokenizer {type(tokenizer).__name__} makes {len(own)} tokens of {PROBE!r} given twice"
            )
        first, second = own[: len(own) // 2], own[len(own) // 2 :]
        before, after = tokens[: first[0]], tokens[second[-1] + 1 :]
        return cls(
            before=tuple(before),
            between=tuple(tokens[first[-1] + 1 : second[0]]),
            after=tuple(after),
            segments=(tokens[first[0]][1], tokens[second[0]][1]),
            none=_place_of(tokenizer.cls_token_id, before, after),
        )

    @property
    def added(self) -> int:
        """How many tokens it adds to a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    def offset(self, question: int) -> int:
        """Where the passage starts in a row whose question has so many tokens."""
        return len(self.before) + question + len(self.between)

    def row(self, question: Sequence[int], passage: Sequence[int]) -> tuple[list[int], list[int]]:
        """Tokens and segments of a row."""
        asked, read = self.segments
        pairs = (
            *self.before,
            *((token, asked) for token in question),
            *self.between,
            *((token, read) for token in passage),
            *self.after,
        )
        return [token for token, _ in pairs], [segment for _, segment in pairs]


def _place_of(token: int | None, before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]) -> int:
    places = [place for place, (special, _) in enumerate(before) if special == token]
    places += [place - len(after) for place, (special, _) in enumerate(after) if special == token]
    return places[0] if places else 0
