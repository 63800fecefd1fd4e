"""KLUE's tasks as prompts for language models: five of the eight can be asked so."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.klue.prompting.asking import Asking
from jatdae.benchmarks.klue.prompting.examples import balanced, pools_by_kind
from jatdae.benchmarks.klue.prompting.inference import InferenceAsking
from jatdae.benchmarks.klue.prompting.reading import ReadingAsking
from jatdae.benchmarks.klue.prompting.relation import RelationAsking
from jatdae.benchmarks.klue.prompting.similarity import SimilarityAsking
from jatdae.benchmarks.klue.prompting.topic import TopicAsking

__all__ = ["ASKING", "Asking", "balanced", "pools_by_kind"]

ASKING: Mapping[str, Asking] = {
    "ynat": TopicAsking(),
    "sts": SimilarityAsking(),
    "nli": InferenceAsking(),
    "re": RelationAsking(),
    "mrc": ReadingAsking(),
}
"""Task to how it is asked."""
