"""From tokens to answers: where a passage's tokens stand in its text, and which span of them a model points at."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from jatdae.finetune.alignment import WordPieces

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as tokens. Token i stands for the characters `starts[i]` to `ends[i]` (exclusive) of word `words[i]`."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[int, ...]

    @classmethod
    def of(cls, text: str, pieces: WordPieces) -> Passage:
        """The tokens of a text, whose words are what stands between whitespace. Raises ModelError."""
        found = [
            (piece.id, word.start() + piece.start, word.start() + piece.end, number)
            for number, word in enumerate(_WORD.finditer(text))
            for piece in pieces.split(word[0])
        ]
        ids, starts, ends, words = zip(*found, strict=True) if found else ((), (), (), ())
        return cls(ids, starts, ends, words)

    def __len__(self) -> int:
        return len(self.ids)

    def text(self, whole: str, first: int, last: int) -> str:
        """The characters of the tokens `first` to `last` (inclusive), as they stand in the whole text.

        Tokens without characters of their own, such as a mark of a word's start, give their whole words.
        """
        if self.starts[first] == self.ends[last]:
            first, last = self._whole_words(first, last)
        return whole[self.starts[first] : self.ends[last]]

    def covering(self, start: int, end: int) -> tuple[int, int] | None:
        """The fewest tokens (first, last) that hold the characters `start` to `end`; None where there are none."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end) - 1
        return (first, last) if first <= last else None

    def target(self, whole: str, answer: str, start: int) -> tuple[int, int] | None:
        """The tokens (first, last) that a model should point at for an answer that starts at a character.

        The fewest that hold the answer if they give it and nothing more; else the whole words that it touches, as in
        the baseline. None for an answer without visible characters.
        """
        narrow = self.covering(start, start + len(answer))
        if narrow is None or self.text(whole, *narrow) == answer.strip():
            return narrow
        return self._whole_words(*narrow)

    def _whole_words(self, first: int, last: int) -> tuple[int, int]:
        return bisect_left(self.words, self.words[first]), bisect_right(self.words, self.words[last]) - 1


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `start` to `end` (inclusive) of a row, and the sum of their two logits."""

    score: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model says to one window: the score of "no answer", and the best span; None where none is possible."""

    none: float
    span: Span | None


def within(ranges: Tensor, width: int) -> Tensor:
    """Truths (rows, width) of ranges (rows, 2) whose end is exclusive."""
    places = torch.arange(width, device=ranges.device)
    return (places >= ranges[:, :1]) & (places < ranges[:, 1:])


def best_spans(starts: Tensor, ends: Tensor, may_start: Tensor, may_end: Tensor, longest: int) -> tuple[Tensor, Tensor]:
    """For each row the first and last token of the possible span with the highest sum of logits.

    `starts` and `ends` are logits (rows, tokens), `may_start` and `may_end` truths of the same shape; a span has 1 to
    `longest` tokens. Where no span is possible the outcome is any place: see whether it may start and end there.

    All spans are looked at. The baseline looks at the 20 best starts and ends of a row only, so that it can miss the
    best span where logits are flat, and then finds a worse one or none.
    """
    lowest = torch.finfo(starts.dtype).min
    began, ended = starts.masked_fill(~may_start, lowest), ends.masked_fill(~may_end, lowest)
    # what can be reached from each start: (rows, tokens, longest); beyond the row is worse than any token of it
    ahead = pad(ended, (0, longest - 1), value=-torch.inf).unfold(1, longest, 1)
    reached, distance = ahead.max(dim=2)
    first = (began + reached).argmax(dim=1, keepdim=True)
    return first[:, 0], (first + distance.gather(1, first))[:, 0]


def read(starts: Tensor, ends: Tensor, may_start: Tensor, may_end: Tensor, none: Tensor, longest: int) -> list[Reading]:
    """What the logits (rows, tokens) say to each row; `none` is each row's place of "no answer"."""
    first, last = best_spans(starts, ends, may_start, may_end, longest)
    places = torch.stack([none, none, first, last], dim=1)
    told = torch.cat([starts.gather(1, places[:, 0::2]), ends.gather(1, places[:, 1::2])], dim=1).tolist()
    possible = may_start.gather(1, first[:, None]) & may_end.gather(1, last[:, None])
    rows = zip(told, first.tolist(), last.tolist(), possible[:, 0].tolist(), strict=True)
    # summed as Python's numbers, as in the baseline: in single precision more would be ties, which are answered
    return [
        Reading(none_start + none_end, Span(start + end, here, there) if valid else None)
        for (none_start, start, none_end, end), here, there, valid in rows
    ]


def decide(readings: Sequence[Reading]) -> tuple[int, Span] | None:
    """The best span over a passage's windows and the number of its window; None for "no answer".

    That has the lowest score that any window gives it, and must be above the best span's: a tie is answered.
    """
    found = [(number, reading.span) for number, reading in enumerate(readings) if reading.span is not None]
    if not found:
        return None
    number, span = max(found, key=lambda pair: pair[1].score)
    none = min(reading.none for reading in readings)
    return None if none - span.score > 0 else (number, span)
