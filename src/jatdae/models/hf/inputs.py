"""Which inputs a model is fed for many requests, and from what is read there back to each request's answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.errors import RequestFailed
from jatdae.models.hf.encoding import EncodedScore
from jatdae.models.hf.planning import Ids, Work, token_ids
from jatdae.models.hf.scoring import Reading
from jatdae.types import OptionScore, Scores


@dataclass(frozen=True, slots=True)
class Asked:
    """Where an option's tokens are read: which work, and which of its pairs."""

    work: int
    pairs: tuple[int, ...]


def works_of(encoded: Sequence[EncodedScore]) -> tuple[list[Work], list[list[Asked]]]:
    """Distinct inputs with all that is read from each. Options of one token share their context's input."""
    number: dict[bytes, int] = {}
    inputs: list[Ids] = []
    pairs_of: list[dict[tuple[int, int], int]] = []
    asked: list[list[Asked]] = []
    for item in encoded:
        first, options = len(item.context) - 1, []
        for option in item.options:
            fed = np.concatenate((item.context, token_ids(option[:-1]))) if len(option) > 1 else item.context
            work = number.setdefault(_name(fed), len(number))
            if work == len(inputs):
                inputs.append(fed)
                pairs_of.append({})
            pairs = pairs_of[work]
            wanted = enumerate(option, start=first)
            options.append(Asked(work, tuple(pairs.setdefault(pair, len(pairs)) for pair in wanted)))
        asked.append(options)
    return [Work(fed, tuple(pairs)) for fed, pairs in zip(inputs, pairs_of, strict=True)], asked


def _name(fed: Ids) -> bytes:
    """Stands for an input: its bytes would be all prompts in memory a second time."""
    return hashlib.blake2b(fed.data, digest_size=16).digest()


def scores_of(
    encoded: EncodedScore, asked: Sequence[Asked], readings: Mapping[int, Reading | RequestFailed]
) -> Scores | RequestFailed:
    """The answer to a request from what was read for each option; a failure where one of them failed."""
    options: list[OptionScore] = []
    for option in asked:
        reading = readings[option.work]
        if isinstance(reading, RequestFailed):
            return reading
        where = list(option.pairs)
        total = float(reading.log_probabilities[where].sum())
        if not np.isfinite(total):
            return RequestFailed(f"the model gave {total} as a log-likelihood; try --dtype float32", kind="not-finite")
        options.append(OptionScore(total, len(where), bool(reading.greedy[where].all())))
    return Scores(tuple(options), prompt_tokens=len(encoded.context), cut_tokens=encoded.cut, merged=encoded.merged)
