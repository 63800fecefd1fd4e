"""Texts that are the same but for punctuation and white space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from jatdae.negation.construction.item import Item


def squeezed(text: str) -> str:
    """The text in NFC without white space and punctuation, by which repetitions are found."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", text))


def repeated(items: Iterable[Item]) -> Mapping[tuple[str, str], str]:
    """By (id, field) of each sentence that another item has as well: the id of that item."""
    places: dict[str, list[tuple[str, str]]] = {}
    for item in items:
        for name, text in item.sentences.items():
            places.setdefault(squeezed(text), []).append((item.idx, name))
    found: dict[tuple[str, str], str] = {}
    for same in places.values():
        for idx, name in same:
            other = next((theirs for theirs, _ in same if theirs != idx), None)
            if other is not None:
                found[idx, name] = other
    return found
