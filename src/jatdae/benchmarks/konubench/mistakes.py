"""Which wrong option was chosen.

Options are known by their kind in the item itself, never by a position in a fixed list of four.
"""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.benchmarks.konubench.options import CONTRADICTION, LOCAL, PARAPHRASE
from jatdae.stats import proportion
from jatdae.types import Estimate, Sample

NO_LETTER = "no valid letter"
DISTRACTORS = (LOCAL, CONTRADICTION, PARAPHRASE)


def chosen_kind(sample: Sample, metric: str) -> str:
    """The kind of the option that a metric chose, the exchanged fields put right; or that there was no valid letter."""
    index = sample.detail["choices"][metric]
    return NO_LETTER if index is None else sample.detail["true_kinds"][index]


def mistakes(samples: Sequence[Sample], metric: str) -> dict[str, Estimate]:
    """Of the wrong predictions, the share of each kind of distractor; items of one origin are clustered.

    Empty when nothing was wrong. `no valid letter` appears only where it occurs. The published shares take the raw
    log-likelihood's choice, that is the metric `acc`.
    """
    wrong = [sample for sample in samples if sample.scores and sample.scores[metric] == 0]
    if not wrong:
        return {}
    kinds = [chosen_kind(sample, metric) for sample in wrong]
    origins = [sample.cluster or sample.item for sample in wrong]
    names = [*DISTRACTORS, *([NO_LETTER] if NO_LETTER in kinds else [])]
    return {name: proportion([float(kind == name) for kind in kinds], origins) for name in names}
