"""A reproducible random sample of a stream, in memory that depends on the sample's size only.

Every sentence, or block of sentences, has a priority that a keyed hash makes of its place, and the smallest ones are
kept: a simple random sample without replacement that knows nothing of workers, chunks or the order of reading.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

from jatdae.negation.corpus.sentences import Sentence
from jatdae.negation.corpus.settings import BLOCK, StudySettings


def priority(seed: int, place: str) -> int:
    """A number from 0 to 2**64 - 1 that decides whether the sentence or block at `place` is drawn."""
    key = seed.to_bytes(8, "big")
    return int.from_bytes(blake2b(place.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest(), "big")


@dataclass(slots=True)
class Sample:
    """What was drawn: the sentences in the corpus' order, without the `overlong` ones that were drawn and dropped."""

    sentences: list[Sentence]
    drawn: int
    overlong: int


class Sampler(Protocol):
    """Keeps what may still belong to the sample."""

    def offer(self, cluster: str, name: str, text: str) -> None: ...

    def sample(self) -> Sample: ...


@dataclass(slots=True)
class SentenceSampler:
    """`size` sentences, each as likely as any other. A text beyond `max_chars` is drawn, but not kept."""

    size: int
    seed: int
    max_chars: int
    _heap: list[tuple[int, int, Sentence]] = field(default_factory=list)
    _offered: int = 0

    def offer(self, cluster: str, name: str, text: str) -> None:
        """Take the next sentence of the corpus into account."""
        self._offered += 1
        rank = -priority(self.seed, name)
        if len(self._heap) == self.size and rank <= self._heap[0][0]:
            return
        entry = (rank, -self._offered, Sentence(name, cluster, text if len(text) <= self.max_chars else ""))
        if len(self._heap) < self.size:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heapreplace(self._heap, entry)

    def sample(self) -> Sample:
        """The sample of all that was offered."""
        drawn = [sentence for _, _, sentence in sorted(self._heap, key=lambda entry: -entry[1])]
        return _without_overlong(drawn)


@dataclass(slots=True)
class BlockSampler:
    """`size` whole clusters, each as likely as any other; the sentences of a cluster are offered one after another."""

    size: int
    seed: int
    max_chars: int
    _kept: list[tuple[int, int, list[Sentence]]] = field(default_factory=list)
    _cluster: str | None = None
    _current: list[Sentence] | None = None
    _blocks: int = 0

    def offer(self, cluster: str, name: str, text: str) -> None:
        """Take the next sentence of the corpus into account."""
        if cluster != self._cluster:
            self._cluster, self._current = cluster, self._begin(cluster)
        if self._current is not None:
            self._current.append(Sentence(name, cluster, text if len(text) <= self.max_chars else ""))

    def _begin(self, cluster: str) -> list[Sentence] | None:
        """The list that the block's sentences go to, or None for a block that is not drawn."""
        self._blocks += 1
        rank = -priority(self.seed, cluster)
        if len(self._kept) == self.size and rank <= self._kept[0][0]:
            return None
        sentences: list[Sentence] = []
        entry = (rank, -self._blocks, sentences)
        if len(self._kept) < self.size:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heapreplace(self._kept, entry)
        return sentences

    def sample(self) -> Sample:
        """The sample of all that was offered."""
        blocks = sorted(self._kept, key=lambda entry: -entry[1])
        return _without_overlong([sentence for _, _, sentences in blocks for sentence in sentences])


def sampler_for(settings: StudySettings) -> Sampler:
    """The sampler that the settings ask for."""
    if settings.clusters is not None:
        return BlockSampler(settings.clusters, settings.seed, settings.max_chars)
    return SentenceSampler(settings.sample, settings.seed, settings.max_chars)


def cluster_name(file: str, index: int) -> str:
    """The block of a file that its sentence number `index`, from 0, belongs to."""
    return f"{file}#{index // BLOCK + 1}"


def _without_overlong(drawn: list[Sentence]) -> Sample:
    kept = [sentence for sentence in drawn if sentence.text]
    return Sample(kept, len(drawn), len(drawn) - len(kept))
