"""Topic classification (YNAT): macro F1."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from jatdae.benchmarks.klue.labels import TOPICS
from jatdae.benchmarks.klue.metrics.counting import (
    by_class,
    confusion,
    f1,
    gold_codes,
    macro_over_gold,
    macro_over_union,
    predicted_codes,
    same_length,
    split_counts,
)
from jatdae.benchmarks.klue.metrics.score import Score, additive, nothing_valid


def topic_macro_f1(
    gold: Sequence[Hashable], predicted: Sequence[Hashable | None], labels: Sequence[Hashable] = TOPICS
) -> Score:
    """Macro F1 of topics.

    Official: over the labels in gold or prediction, so a label that is only predicted counts with 0. Clean: over the
    labels in gold. `detail` has `over_all_classes` too, where a label that occurs nowhere counts 0. A missing or
    unknown prediction is a miss of the gold label and adds no class. Raises RequestError for an unknown gold label.
    """
    same_length(gold, predicted)
    truth, guess = gold_codes(gold, labels), predicted_codes(predicted, labels)
    if nothing := nothing_valid(len(gold), guess.missing, guess.invalid):
        return nothing
    counts = confusion(np.arange(len(gold)), truth, guess.codes, len(labels), len(gold))
    totals = counts.sum(axis=0)
    over_all = 100 * float(np.nan_to_num(f1(*split_counts(totals))).mean())
    return additive(
        counts,
        macro_over_union,
        macro_over_gold,
        reason="no class occurs",
        missing=guess.missing,
        invalid=guess.invalid,
        detail={"average": "macro", **by_class(totals, labels), "over_all_classes": over_all},
    )
