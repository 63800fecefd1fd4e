"""Dependency parsing: attachment scores over the words of all sentences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.klue.labels import DEPENDENCIES, SCORED_DEPENDENCIES
from jatdae.benchmarks.klue.metrics.counting import (
    INVALID,
    MISSING,
    by_class,
    confusion,
    gold_codes,
    macro_over_gold,
    macro_over_union,
    predicted_codes,
    same_length,
)
from jatdae.benchmarks.klue.metrics.rows import checked_rows
from jatdae.benchmarks.klue.metrics.score import Codes, Floats, Score, additive, undefined
from jatdae.errors import RequestError

Value = TypeVar("Value")

OTHERS = "OTHERS"
WRONG_HEAD = "WRONG_HEAD"


@dataclass(frozen=True, slots=True)
class Attachment:
    """The four attachment scores.

    The macro family is what the baseline selects by; the micro family is the conventional share of words.
    """

    uas_macro: Score
    uas_micro: Score
    las_macro: Score
    las_micro: Score


def attachment(
    gold_heads: Sequence[Sequence[int]],
    gold_labels: Sequence[Sequence[Hashable]],
    predicted_heads: Sequence[Sequence[int | None] | None],
    predicted_labels: Sequence[Sequence[Hashable | None] | None],
    labels: Sequence[Hashable] = DEPENDENCIES,
) -> Attachment:
    """Unlabelled and labelled attachment; one row a sentence, heads from 1, 0 for the root.

    UAS macro: F1 with the head's number as the class. LAS: labels from the 16th of `labels` on are one class, and a
    word with a wrong head gets a dummy class. Official macros average over the classes in gold or prediction, the dummy
    included; clean ones over those in gold. Micro: share of right words (0..1 a word, in reading order, in `items`;
    `detail["sentence_of_word"]` are their clusters). Weights for resampling are per sentence. A missing sentence,
    missing words, unknown labels and heads outside the sentence are wrong; `missing` and `invalid` count words.
    Raises RequestError for gold that is not so, or rows of unequal length.
    """
    sentences = _checked(gold_heads, gold_labels, predicted_heads, predicted_labels)
    item = np.repeat(np.arange(len(sentences)), sentences)
    truth = _gold_heads(gold_heads, sentences)
    guess = _predicted_heads(_filled(predicted_heads, sentences), sentences)
    kinds = gold_codes(list(chain.from_iterable(gold_labels)), labels)
    named = predicted_codes(_filled(predicted_labels, sentences), labels).codes
    right = truth == guess
    types = [*labels[:SCORED_DEPENDENCIES], *([OTHERS] if len(labels) > SCORED_DEPENDENCIES else [])]
    merged_gold, merged_guess = (np.minimum(codes, SCORED_DEPENDENCIES) for codes in (kinds, named))
    classed = np.where(right & (merged_guess >= 0), merged_guess, len(types))
    return Attachment(
        _macro(item, truth, guess, range(int(max(truth.max(initial=0), guess.max(initial=0))) + 1), guess),
        _micro(item, right, guess),
        _macro(item, merged_gold, classed, [*types, WRONG_HEAD], _worse(guess, named)),
        _micro(item, merged_gold == classed, _worse(guess, named)),
    )


def _macro(item: Codes, gold: Codes, predicted: Codes, classes: Sequence[Hashable], state: Codes) -> Score:
    sentences = int(item.max(initial=-1)) + 1
    missing, invalid = int((state == MISSING).sum()), int((state == INVALID).sum())
    if missing + invalid == len(item):
        return undefined(_nothing(len(item)), sentences, missing, invalid)
    counts = confusion(item, gold, predicted, len(classes), sentences)
    return additive(
        counts,
        macro_over_union,
        macro_over_gold,
        reason="no words",
        missing=missing,
        invalid=invalid,
        detail={"average": "macro", "words": len(item), **by_class(counts.sum(axis=0), classes)},
    )


def _micro(item: Codes, right: NDArray[np.bool_], state: Codes) -> Score:
    sentences = int(item.max(initial=-1)) + 1
    missing, invalid = int((state == MISSING).sum()), int((state == INVALID).sum())
    if missing + invalid == len(item):
        return undefined(_nothing(len(item)), sentences, missing, invalid)
    counts = np.stack([np.bincount(item, weights=right), np.bincount(item)], axis=1).astype(np.float64)
    return additive(
        counts,
        _share,
        reason="no words",
        missing=missing,
        invalid=invalid,
        detail={"average": "micro", "words": len(item), "sentence_of_word": tuple(item.tolist())},
        items=right.astype(np.float64),
    )


def _share(totals: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * totals[..., 0] / totals[..., 1]


def _nothing(words: int) -> str:
    return f"no valid prediction: 0 of {words} words valid" if words else "no items"


def _worse(heads: Codes, labels: Codes) -> Codes:
    """What is wrong with the prediction of each word: missing before invalid, else the head's code."""
    return np.where(labels < 0, np.where(heads == MISSING, MISSING, labels), heads)


def _checked(
    gold_heads: Sequence[Sequence[int]],
    gold_labels: Sequence[Sequence[Hashable]],
    predicted_heads: Sequence[Sequence[int | None] | None],
    predicted_labels: Sequence[Sequence[Hashable | None] | None],
) -> list[int]:
    """The number of words of each sentence."""
    same_length(gold_heads, gold_labels, "sentences")
    checked_rows(gold_heads, gold_labels, unit="gold labels")
    checked_rows(gold_heads, predicted_heads, unit="heads")
    checked_rows(gold_heads, predicted_labels, unit="labels")
    lengths = [len(row) for row in gold_heads]
    if 0 in lengths:
        raise RequestError(f"row {lengths.index(0)} of the sentences has no words; leave it out")
    return lengths


def _filled(rows: Sequence[Sequence[Value | None] | None], lengths: Sequence[int]) -> list[Value | None]:
    """All rows in one, a missing one as None for every word."""
    pairs = zip(rows, lengths, strict=True)
    return list(chain.from_iterable([None] * length if row is None else row for row, length in pairs))


def _gold_heads(rows: Sequence[Sequence[int]], lengths: Sequence[int]) -> Codes:
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        for word, head in enumerate(row, start=1):
            if not 0 <= head <= length:
                raise RequestError(f"row {number} of the sentences, word {word}: gold head {head} is no word of it")
    return np.array(list(chain.from_iterable(rows)), dtype=np.intp)


def _predicted_heads(heads: Sequence[int | None], lengths: Sequence[int]) -> Codes:
    codes = np.array([MISSING if head is None else INVALID if head < 0 else head for head in heads], dtype=np.intp)
    return np.where(codes > np.repeat(lengths, lengths), INVALID, codes)
