"""NLI by prompting: a Korean word for each of the three labels."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.klue.prompting.asking import Choosing
from jatdae.benchmarks.klue.prompting.wording import INFERENCES
from jatdae.benchmarks.klue.records import InferencePair


class InferenceAsking(Choosing):
    """A premise, a hypothesis and what holds between them."""

    wording = INFERENCES

    def fields(self, record: InferencePair) -> Mapping[str, str]:
        return {"premise": record.premise, "hypothesis": record.hypothesis}
