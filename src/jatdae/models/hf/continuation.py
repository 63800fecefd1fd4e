"""One text under way: how its next token is chosen and where it ends.

A sample depends on nothing but its seed, its repeat and its prompt: each has a random generator of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch

from jatdae.models.hf.encoding import EncodedPrompt
from jatdae.types import Completion, Sampling, digest


@dataclass(frozen=True, slots=True)
class Job:
    """A prompt to be continued."""

    prompt: EncodedPrompt
    sampling: Sampling
    repeat: int = 0


@dataclass(slots=True)
class Row:
    """A job under way: the tokens so far and how it draws the next."""

    index: int
    job: Job
    stops: Stops
    draw: torch.Generator | None
    tokens: list[int] = field(default_factory=list)
    finish: Literal["stop", "length"] = "length"
    done: bool = False

    def choose(self, best: int, logits: torch.Tensor) -> int:
        """The next token: the most likely, or a draw on the CPU, where the generator gives the same on all machines."""
        if self.draw is None:
            return best
        return _sample(logits.double().cpu(), self.job.sampling, self.draw)

    def take(self, token: int) -> None:
        """Add a token and see whether it ends the text."""
        ends = token in self.stops.tokens
        if not ends:
            self.tokens.append(token)
        if ends or self.stops.reached(self.tokens):
            self.finish = "stop"
        self.done = self.finish == "stop" or len(self.tokens) >= self.job.sampling.max_tokens

    def completion(self) -> Completion:
        text, prompt = self.stops.text(self.tokens), self.job.prompt
        return Completion(text, self.finish, len(prompt.ids), len(self.tokens), prompt.cut)


class Stops:
    """Knows where a text ends: at certain tokens, or at the earliest of some strings, which may span tokens."""

    def __init__(self, tokenizer: Any, strings: Sequence[str], end_tokens: frozenset[int]) -> None:
        self.tokenizer, self.strings = tokenizer, tuple(s for s in strings if s)
        special = {i for s in self.strings if (i := _special_token(tokenizer, s)) is not None}
        self.tokens = end_tokens | special
        # A token that shows is a byte or more, so this many of them hold any stop string and the newest token.
        self.tail = max((len(s.encode("utf-8", "surrogatepass")) for s in self.strings), default=0) + 4

    def reached(self, tokens: Sequence[int]) -> bool:
        if not self.strings:
            return False
        end = self._decode(tokens[-self.tail :])
        return any(s in end for s in self.strings) and self._cut(self._decode(tokens)) is not None

    def text(self, tokens: Sequence[int]) -> str:
        whole = self._decode(tokens)
        cut = self._cut(whole)
        return whole if cut is None else whole[:cut]

    def _cut(self, text: str) -> int | None:
        return min((at for s in self.strings if (at := text.find(s)) >= 0), default=None)

    def _decode(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def _special_token(tokenizer: Any, text: str) -> int | None:
    """The id of a stop string that is itself a special token, which a decoded text would not show."""
    token = tokenizer.convert_tokens_to_ids(text)
    return token if isinstance(token, int) and token in set(tokenizer.all_special_ids) else None


def _sample(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> int:
    """One draw by temperature and nucleus: the fewest most likely tokens whose probabilities reach `top_p`.

    There is one at least. The nucleus is that of Holtzman et al. (2020), The Curious Case of Neural Text Degeneration.
    """
    probabilities = torch.softmax(logits / sampling.temperature, dim=-1)
    ordered, order = probabilities.sort(descending=True, stable=True)
    if sampling.top_p < 1.0:
        before = ordered.cumsum(0) - ordered
        ordered = torch.where((before < sampling.top_p) | (before == 0), ordered, 0.0)
    totals = ordered.cumsum(0)
    point = torch.rand(1, generator=generator, dtype=torch.float64) * totals[-1]
    place = int(torch.searchsorted(totals, point, right=True))
    return int(order[min(place, int((ordered > 0).sum()) - 1)])


def generator_for(job: Job) -> torch.Generator | None:
    if job.sampling.temperature <= 0:
        return None
    prompt = ",".join(map(str, job.prompt.ids))
    seed = digest("sample", str(job.sampling.seed or 0), str(job.repeat), prompt)
    return torch.Generator().manual_seed(int(seed[:15], 16))
