"""Items that are nearly the same: V23."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from jatdae.benchmarks.munbench.validation.findings import Finding, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem

GRAM = 5
SIMILAR = 0.5
_FIELDS = {1: ("setup_ko", "turns_ko"), 2: ("prompt_ko", "constraints_ko"), 3: ("prompt_ko",)}


def check(folder: Folder) -> Iterator[Finding]:
    """V23: the Jaccard index of two items' sets of five characters, white space squeezed, is at least one half."""
    seen: list[tuple[RawItem, int]] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for item in folder.items:
        grams = _grams(item)
        shared = Counter(place for gram in grams for place in holders[gram])
        for place, common in sorted(shared.items()):
            other, size = seen[place]
            similarity = common / (len(grams) + size - common)
            if similarity >= SIMILAR:
                message = f"nearly the same as {other.id} (similarity {similarity:.2f})"
                yield warning("V23", item.file, message, item=item.id)
        for gram in grams:
            holders[gram].append(len(seen))
        seen.append((item, len(grams)))


def _grams(item: RawItem) -> set[str]:
    text = " ".join(" ".join(part for field in _FIELDS[item.track] for part in item.texts(field)).split())
    return {text[start : start + GRAM] for start in range(len(text) - GRAM + 1)}
