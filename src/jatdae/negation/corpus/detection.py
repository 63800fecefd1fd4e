"""Negation in many sentences, by chunks over all workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from jatdae.korean.negation import detect_all
from jatdae.korean.negation.kinds import Negation
from jatdae.korean.negation.surface import surface_negations
from jatdae.negation.corpus.engines import Engine

CHUNK = 250
"""Sentences that a worker gets at once: about a quarter of a second of work."""
Found = list[tuple[Negation, ...]]
Item = TypeVar("Item")


def detect_chunk(method: str, sentences: Sequence[str]) -> Found:
    """The negations of each sentence, in order, by the analyser (`morphemes`) or by the paper's strings (`rules`)."""
    if method == "rules":
        return [tuple(surface_negations(sentence)) for sentence in sentences]
    return [tuple(negations) for negations in detect_all(sentences)]


def detect_many(method: str, sentences: Iterable[str], engine: Engine) -> Iterator[tuple[str, tuple[Negation, ...]]]:
    """Each sentence with its negations, in order, as a stream."""
    for chunk, found in engine.map(partial(detect_chunk, method), chunks_of(sentences, CHUNK)):
        yield from zip(chunk, found, strict=True)


def chunks_of(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """The items in tuples of `size`, the last one of what is left."""
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield tuple(chunk)
            chunk = []
    if chunk:
        yield tuple(chunk)
