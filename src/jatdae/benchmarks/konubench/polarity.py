"""One question in an affirmative and in a negated form: what the negation costs, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.errors import RequestError
from jatdae.stats import consistency, paired_difference, proportion
from jatdae.types import Estimate, Sample


@dataclass(frozen=True, slots=True)
class PolarityReport:
    """Both forms over the `n` items that have both.

    `difference` is positive minus negative, within items; `consistency` the share right in both forms. `unpaired`
    counts samples of either form whose partner is missing or failed, `mismatched` pairs of one id that do not rest on
    the same text and are left out.
    """

    n: int
    positive: Estimate
    negative: Estimate
    difference: Estimate
    consistency: Estimate
    unpaired: int
    mismatched: int


def paired_polarity(positive: Sequence[Sample], negative: Sequence[Sample]) -> PolarityReport:
    """Compare the two forms of a side study by item id (the row's number), on the metric `acc`.

    Raises RequestError when not one item pairs up.
    """
    first, second = _measured(positive), _measured(negative)
    shared = [item for item in first if item in second]
    pairs = [item for item in shared if first[item].detail.get("basis") == second[item].detail.get("basis")]
    if not pairs:
        raise RequestError("no item has both an affirmative and a negated form here; run both over the same rows")
    right, negated = ([side[item].scores["acc"] for item in pairs] for side in (first, second))
    return PolarityReport(
        n=len(pairs),
        positive=proportion(right),
        negative=proportion(negated),
        difference=paired_difference(right, negated),
        consistency=consistency(right, negated),
        unpaired=len({*_ids(positive), *_ids(negative)}) - len(shared),
        mismatched=len(shared) - len(pairs),
    )


def _measured(samples: Sequence[Sample]) -> dict[str, Sample]:
    return {sample.item: sample for sample in samples if sample.scores}


def _ids(samples: Sequence[Sample]) -> set[str]:
    return {sample.item for sample in samples}
