"""Overlap of items with a corpus by character n-grams. The benchmark is indexed; the corpus streams by.

Words are no good unit here: few Korean questions have thirteen of them. Text is folded (NFKC, lower case, letters and
digits alone), so that spaces and marks do not hide a copy. An item overlaps a passage where at least half of its
13-grams occur there, or where they share any run of 30 characters and the item has 40. Source: judging specification,
section 4; thirteen as in the decontamination of GPT-3 (arXiv 2005.14165), there in words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jatdae.contamination.texts import ItemText

SHORT, LONG = 13, 30
COVERAGE, LONG_FROM = 0.5, 40
BASE = np.uint64(0x9E3779B97F4A7C15)
FILTER_BITS = 24
BLOCK = 1 << 20
"""Characters of a passage that are looked at together; blocks overlap by LONG - 1."""

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Overlap:
    """An item that a passage holds: the largest share of its 13-grams in one passage, whether they share a run of 30
    characters, and where."""

    item: str
    coverage: float
    shares_long_run: bool
    place: str


def folded(text: str) -> str:
    """NFKC, lower case, letters and digits alone."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).lower() if sign.isalnum())


class Index:
    """The 13-grams of all items, by hash; what a hash finds is checked by its characters."""

    def __init__(self, items: Sequence[ItemText]) -> None:
        self.ids = [item.id for item in items]
        self.texts = [folded(item.text) for item in items]
        self.sizes = np.array([max(0, len(text) - SHORT + 1) for text in self.texts])
        parts = [gram_hashes(text) for text in self.texts]
        hashes = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        owner = np.repeat(np.arange(len(items)), self.sizes)
        place = np.concatenate([np.arange(size) for size in self.sizes]) if len(items) else np.zeros(0, np.int64)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._owner, self._place = hashes[order], owner[order], place[order]
        self._seen = np.zeros(1 << FILTER_BITS, dtype=np.bool_)
        self._seen[_short(hashes)] = True

    def too_short(self) -> list[str]:
        """Items without a single 13-gram, which no passage can overlap."""
        return [name for name, size in zip(self.ids, self.sizes, strict=True) if size == 0]

    def find(self, passage: str) -> dict[int, npt.NDArray[np.int64]]:
        """For each item that shares a 13-gram with a folded passage, the places of its shared ones, ascending."""
        hashes = gram_hashes(passage)
        near = np.flatnonzero(self._seen[_short(hashes)])
        if not near.size:
            return {}
        values, first = np.unique(hashes[near], return_index=True)
        low = np.searchsorted(self._hashes, values, "left")
        high = np.searchsorted(self._hashes, values, "right")
        found: dict[int, list[int]] = {}
        for start, end, at in zip(low.tolist(), high.tolist(), near[first].tolist(), strict=True):
            gram = passage[at : at + SHORT]
            for entry in range(start, end):
                owner, place = int(self._owner[entry]), int(self._place[entry])
                if self.texts[owner][place : place + SHORT] == gram:
                    found.setdefault(owner, []).append(place)
        return {owner: np.array(sorted(places)) for owner, places in found.items()}


def gram_hashes(text: str) -> Hashes:
    """A hash of every 13-gram of a folded text, as polynomials modulo 2^64."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    size = len(codes) - SHORT + 1
    if size <= 0:
        return np.zeros(0, np.uint64)
    total = np.zeros(size, np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(SHORT):
            total = total * BASE + codes[offset : offset + size]
    return total


def _short(hashes: Hashes) -> npt.NDArray[np.int64]:
    return (hashes >> np.uint64(64 - FILTER_BITS)).astype(np.int64)


def overlaps(index: Index, passages: Iterable[tuple[str, str]]) -> Iterator[Overlap]:
    """Every overlap of an item with a passage (its place and its text), in the order of the passages."""
    for place, text in passages:
        whole = folded(text)
        for start in range(0, max(1, len(whole)), BLOCK):
            block = whole[start : start + BLOCK + LONG - 1]
            for owner, places in index.find(block).items():
                found = _judged(index, owner, places, block, place)
                if found:
                    yield found


def _judged(index: Index, owner: int, places: npt.NDArray[np.int64], block: str, place: str) -> Overlap | None:
    coverage = len(places) / int(index.sizes[owner])
    text = index.texts[owner]
    long_run = len(text) >= LONG_FROM and _shares_run(text, places, block)
    if coverage < COVERAGE and not long_run:
        return None
    return Overlap(index.ids[owner], coverage, long_run, place)


def _shares_run(text: str, places: npt.NDArray[np.int64], block: str) -> bool:
    """Whether 30 characters in a row occur in the block: only where so many 13-grams in a row do, and then by text."""
    needed = LONG - SHORT + 1
    if len(places) < needed:
        return False
    starts = np.flatnonzero(places[needed - 1 :] - places[: len(places) - needed + 1] == needed - 1)
    return any(text[places[at] : places[at] + LONG] in block for at in starts.tolist())


def best_by_item(found: Iterable[Overlap]) -> dict[str, Overlap]:
    """The strongest overlap of each item: a long run before none, then the larger coverage; the first among equals."""
    best: dict[str, Overlap] = {}
    for one in found:
        known = best.get(one.item)
        if known is None or (one.shares_long_run, one.coverage) > (known.shares_long_run, known.coverage):
            best[one.item] = one
    return best
