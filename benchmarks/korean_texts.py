"""Korean pairs of texts for pre-training: from the labelled files' train parts, and from other text that is at hand."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pretraining import Pair

KEPT = 0.7
"""Share of the words of a text that its thinned copy has."""

_SENTENCES = re.compile(r"(?<=[.?!])\s+")
_REWRITTEN = ("paraphrase", "contradiction", "standard_negation", "local_negation")


def pretraining_pairs(parts: Mapping[str, Mapping[str, Sequence[Any]]], data: Path, seed: int = 3) -> list[Pair]:
    """Pairs of like texts: those of the train parts (labels are not looked at), KoNUBench's sentences with their
    rewritings, and every text with a copy of itself from which words are missing.

    No pair has a text of a dev or test part in it. What is not in the folder is left out.
    """
    held_out = [record for part in parts.values() for name in ("dev", "test") for record in part[name]]
    unseen = {text for record in held_out for text in record.texts}
    learned = [record.texts for part in parts.values() for record in part["train"]]
    rewritten = list(_rewritten(data))
    related = [texts for texts in (*learned, *rewritten) if len(texts) == 2]
    texts = dict.fromkeys(text for several in (*learned, *rewritten, *_paragraphs(data)) for text in several)
    draw = random.Random(seed)
    pairs = [*related, *((text, _thinned(text, draw)) for text in texts)]
    return [pair for pair in pairs if unseen.isdisjoint(pair)]


def _rewritten(data: Path) -> Iterator[Pair]:
    for row in _rows(data / "konubench" / "train.json"):
        yield from ((row["original_sentence"], row[name]) for name in _REWRITTEN if row[name])


def _paragraphs(data: Path) -> Iterator[list[str]]:
    """The sentences of KoBEST's paragraphs."""
    for row in _rows(data / "konubench" / "kobest_boolq_neg.json"):
        yield _SENTENCES.split(row["paragraph"])


def _rows(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _thinned(text: str, draw: random.Random) -> str:
    return " ".join(word for word in text.split() if draw.random() < KEPT) or text
