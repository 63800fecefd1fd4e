"""Natural language inference: accuracy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from jatdae.benchmarks.klue.labels import INFERENCE
from jatdae.benchmarks.klue.metrics.counting import gold_codes, predicted_codes, same_length
from jatdae.benchmarks.klue.metrics.score import Score, mean_score, nothing_valid


def accuracy(
    gold: Sequence[Hashable], predicted: Sequence[Hashable | None], labels: Sequence[Hashable] = INFERENCE
) -> Score:
    """Share of right labels; missing and unknown predictions are wrong and stay in the denominator.

    `detail` has the recall of every gold label (0..100): one near 90 beside others below chance betrays label numbers
    in another order. Raises RequestError for an unknown gold label.
    """
    same_length(gold, predicted)
    truth, guess = gold_codes(gold, labels), predicted_codes(predicted, labels)
    if nothing := nothing_valid(len(gold), guess.missing, guess.invalid):
        return nothing
    right = (truth == guess.codes).astype(np.float64)
    recall = {name: 100 * float(right[truth == code].mean()) for code, name in enumerate(labels) if code in truth}
    return mean_score(right, missing=guess.missing, invalid=guess.invalid, recall=recall)
