"""Some samples of every result, few enough for one file: by a fixed draw, of every outcome some, long texts cut."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jatdae.reports.inert import inert
from jatdae.store import Store, StoredResult
from jatdae.store.paging import SampleFilter, outcome_counts, prompt_text, sample_page
from jatdae.types import Completion, Sample, Score, Scores

PAGE = 400
"""Samples of one outcome that a draw chooses from: a stretch that begins at a drawn place, so that a result of any size
is read in no time."""
TEXT, DETAIL = 3000, 2000
"""Characters that are kept of a prompt or an answer, and of the details."""
MOST_BYTES = 8 * 2**20
"""Most that all samples of a report may take."""


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """A sample with its exchange, as text. `result` is the number of its result in the store."""

    result: int
    item: str
    outcome: str
    group: str
    prediction: str
    target: str
    prompt: str = ""
    answer: str = ""
    options: tuple[tuple[str, float], ...] = ()
    details: str = ""
    cut: int = 0

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        texts = (self.item, self.prediction, self.target, self.prompt, self.answer, self.details)
        return sum(len(text.encode("utf-8", "replace")) for text in (*texts, *(text for text, _ in self.options)))


def draw_samples(store: Store, results: Sequence[StoredResult], each: int) -> tuple[tuple[DrawnSample, ...], int]:
    """At most `each` samples of every result, and how many there are in all. The same store gives the same draw."""
    total, drawn, size = 0, [], 0
    for stored in results:
        counts = outcome_counts(store, stored.id)
        total += counts.total()
        for sample in _of_result(store, stored.id, list(counts), each):
            one = _shown(store, stored.id, sample)
            if size + one.size > MOST_BYTES:
                return tuple(drawn), total
            size += one.size
            drawn.append(one)
    return tuple(drawn), total


def _of_result(store: Store, result: int, outcomes: Sequence[str], each: int) -> list[Sample]:
    """Outcomes take turns, so that rare ones are seen; within one, samples come by the hash of their ids."""
    queues = [_by_hash(store, result, outcome) for outcome in sorted(outcomes)]
    turns = (sample for turn in zip_longest(*queues) for sample in turn if sample is not None)
    return [sample for _, sample in zip(range(each), turns, strict=False)]


def _by_hash(store: Store, result: int, outcome: str) -> list[Sample]:
    page = sample_page(store, result, SampleFilter((outcome,)), size=PAGE)
    return sorted(page.samples, key=lambda one: hashlib.sha256(one.item.encode("utf-8", "replace")).digest())


def _shown(store: Store, result: int, sample: Sample) -> DrawnSample:
    exchange = next((pair for key in sample.requests[:1] if (pair := store.exchange(key))), None)
    prompt, answer, options = "", "", ()
    if exchange:
        request, came = exchange
        prompt = prompt_text(request)
        if isinstance(request, Score) and isinstance(came, Scores):
            options = tuple(_options(request, came))
        elif isinstance(came, Completion):
            answer = came.text
    details = json.dumps(dict(sample.detail), ensure_ascii=False, indent=1)
    limits = {"prompt": (prompt, TEXT), "answer": (answer, TEXT), "details": (details, DETAIL)}
    cut = sum(max(0, len(text) - limit) for text, limit in limits.values())
    return DrawnSample(
        result,
        inert(sample.item)[:200],
        sample.outcome.value,
        inert(sample.group)[:100],
        inert(sample.prediction or "")[:DETAIL],
        inert(sample.target)[:DETAIL],
        options=options,
        cut=cut,
        **{name: inert(text[:limit]) for name, (text, limit) in limits.items()},
    )


def _options(request: Score, scores: Scores) -> Iterator[tuple[str, float]]:
    for text, option in zip(request.options, scores.options, strict=True):
        yield inert(text)[:400], round(option.log_likelihood, 4)
