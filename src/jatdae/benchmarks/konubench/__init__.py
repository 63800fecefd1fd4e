"""KoNUBench: Korean negation, with its two side studies on KMMLU and KoBEST BoolQ."""

from jatdae.benchmarks.konubench.examination import inspect
from jatdae.benchmarks.konubench.polarity import PolarityReport, paired_polarity
from jatdae.benchmarks.konubench.side_studies import NegatedBoolQ, NegatedKMMLU
from jatdae.benchmarks.konubench.task import KoNUBench

__all__ = ["KoNUBench", "NegatedBoolQ", "NegatedKMMLU", "PolarityReport", "inspect", "paired_polarity"]
