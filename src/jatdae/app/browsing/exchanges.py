"""A sample with what was asked of the model and what came back, in a form that a page can show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import exp
from typing import Any

from jatdae.store import Store
from jatdae.types import Completion, Generate, Message, Prompt, Request, Sample, Score, Scores

MOST_EXCHANGES = 20
"""So many requests of one sample are shown; a role play has a handful."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a prompt; a plain text has no role."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option with its log-likelihood, tokens, and the length of its bar in percent of the likeliest one's."""

    text: str
    log_likelihood: float
    tokens: int
    percent: float
    is_best: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer; `completion` for texts, `options` and `scores` for log-likelihoods."""

    turns: tuple[Turn, ...]
    options: tuple[OptionRow, ...] = ()
    completion: Completion | None = None
    scores: Scores | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A sample and its exchanges; `details` are the sample's own, as indented JSON."""

    sample: Sample
    exchanges: tuple[Exchange, ...]
    details: str


def shown_sample(store: Store, sample: Sample) -> Shown:
    """Look up what stands behind a sample."""
    pairs = [store.exchange(key) for key in sample.requests[:MOST_EXCHANGES]]
    exchanges = tuple(_exchange(*pair) for pair in pairs if pair)
    return Shown(sample, exchanges, json.dumps(dict(sample.detail), ensure_ascii=False, indent=2))


def _exchange(request: Request, answer: Any) -> Exchange:
    turns = _turns(request.prompt if isinstance(request, Generate) else request.context)
    if isinstance(request, Score) and isinstance(answer, Scores):
        return Exchange(turns, _options(request, answer), scores=answer)
    return Exchange(turns, completion=answer)


def _turns(prompt: Prompt) -> tuple[Turn, ...]:
    if isinstance(prompt, str):
        return (Turn("", prompt),)
    return tuple(Turn(message.role, message.content) for message in prompt if isinstance(message, Message))


def _options(request: Score, answer: Scores) -> tuple[OptionRow, ...]:
    """Bars show probabilities relative to the likeliest option: exp of the difference of log-likelihoods."""
    best = max(option.log_likelihood for option in answer.options)
    return tuple(
        OptionRow(
            text,
            option.log_likelihood,
            option.tokens,
            round(100 * exp(option.log_likelihood - best), 1),
            option.log_likelihood == best,
        )
        for text, option in zip(request.options, answer.options, strict=True)
    )
