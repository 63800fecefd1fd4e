"""STS by prompting: the six scores are compared, and their expected value is predicted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from jatdae.benchmarks.klue.prompting.asking import Choosing, Reply, normalised
from jatdae.benchmarks.klue.prompting.wording import SIMILARITY
from jatdae.benchmarks.klue.records import SimilarityPair
from jatdae.types import OptionScore


class SimilarityAsking(Choosing):
    """Two sentences and a score from 0 to 5.

    KLUE's metrics need a number that varies finely; the likeliest of six scores does not. Their mean, weighted by their
    probabilities among themselves, does, and Pearson's r and the F1 from 3 on are measured on it.
    """

    wording = SIMILARITY
    note = "the expected value of the six scores 0 to 5 is predicted, by their probabilities among themselves"

    def fields(self, record: SimilarityPair) -> Mapping[str, str]:
        return {"first": record.sentence1, "second": record.sentence2}

    def kind(self, record: SimilarityPair) -> str:
        """The nearest of the six scores; from a half on the upper one."""
        return str(math.floor(record.real_label + 0.5))

    def read(self, scores: Sequence[OptionScore]) -> Reply:
        chances = normalised([score.log_likelihood for score in scores])
        expected = math.fsum(score * chance for score, chance in enumerate(chances))
        return Reply({"prediction": expected}, detail=self.asked(scores) | {"chances": chances})
