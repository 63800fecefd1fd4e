"""Reading comprehension: exact match and the score that the baseline calls ROUGE-W."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np

from jatdae.benchmarks.klue.metrics.counting import same_length
from jatdae.benchmarks.klue.metrics.score import Floats, Score, mean_score, nothing_valid

HEURISTIC_FROM = 200
"""From this length of a reference on, the official matcher ignores characters that are frequent in it."""

NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
QUOTES_TO_BLANKS = str.maketrans(dict.fromkeys("《》〈〉‘’“”", " "))

Compare = Callable[[str, str], float]


def normalized(text: str) -> str:
    """Lower case, no ASCII punctuation, single blanks: as the official scorer compares.

    Its pattern that was meant to blank quotes and angle brackets never matches, so those stay.

    >>> normalized("《서울》은  3.25%.")
    '《서울》은 325'
    """
    return " ".join(text.lower().translate(NO_PUNCTUATION).split())


def clean_normalized(text: str) -> str:
    """As `normalized`, with `《》〈〉‘’“”` turned into blanks first.

    >>> clean_normalized("《서울》은  3.25%.")
    '서울 은 325'
    """
    return normalized(text.translate(QUOTES_TO_BLANKS))


def exact_match(predicted: Sequence[str | None], references: Sequence[Sequence[str]]) -> Score:
    """Share of predictions equal to one of their references after normalisation.

    No references stand for an unanswerable question, which only the empty text answers. A missing prediction (None)
    is wrong, even there; `detail["over_answered"]` has the official value over the others.
    """
    return _mean_of_best(predicted, references, _equal, _equal)


def rouge_w(predicted: Sequence[str | None], references: Sequence[Sequence[str]]) -> Score:
    """Mean F1, in characters, of the longest unbroken piece that prediction and reference share; the best reference.

    Official: found as the baseline does, which in a reference of 200 characters or more skips those that are frequent
    in it (`detail["long_references"]` counts these questions); clean: found exactly, and with quotes and angle brackets
    blanked. Unanswerable questions and missing predictions as in `exact_match`.
    """
    return _mean_of_best(predicted, references, _official_overlap, _exact_overlap)


def _mean_of_best(
    predicted: Sequence[str | None], references: Sequence[Sequence[str]], official: Compare, clean: Compare
) -> Score:
    same_length(references, predicted, "questions")
    missing = sum(text is None for text in predicted)
    if nothing := nothing_valid(len(predicted), missing):
        return nothing
    strict = _best(predicted, references, normalized, official)
    fair = _best(predicted, references, clean_normalized, clean)
    answered = np.array([text is not None for text in predicted])
    long = sum(any(len(normalized(text)) >= HEURISTIC_FROM for text in given) for given in references)
    over_answered = 100 * float(strict[answered].mean())
    return mean_score(strict, fair, missing=missing, over_answered=over_answered, long_references=long)


def _best(
    predicted: Sequence[str | None],
    references: Sequence[Sequence[str]],
    normalize: Callable[[str], str],
    compare: Compare,
) -> Floats:
    return np.array(
        [
            0.0 if text is None else max(compare(normalize(text), normalize(reference)) for reference in given or ("",))
            for text, given in zip(predicted, references, strict=True)
        ]
    )


def _equal(predicted: str, reference: str) -> float:
    return float(predicted == reference)


def _official_overlap(predicted: str, reference: str) -> float:
    return _overlap(predicted, reference, SequenceMatcher(None, predicted, reference, autojunk=True))


def _exact_overlap(predicted: str, reference: str) -> float:
    return _overlap(predicted, reference, SequenceMatcher(None, predicted, reference, autojunk=False))


def _overlap(predicted: str, reference: str, matcher: SequenceMatcher[str]) -> float:
    """F1 of the longest match; a pair of empty texts agrees fully, an empty and another one not at all."""
    if not predicted or not reference:
        return float(predicted == reference)
    length = matcher.find_longest_match().size
    if length == 0:
        return 0.0
    precision, recall = length / len(predicted), length / len(reference)
    return 2 * precision * recall / (precision + recall)
