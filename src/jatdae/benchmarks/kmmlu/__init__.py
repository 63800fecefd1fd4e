"""KMMLU: expert knowledge in 45 subjects of Korean exams."""

from __future__ import annotations

from jatdae.benchmarks.kmmlu.extraction import EXTRACTION_VERSION, extract_answer
from jatdae.benchmarks.kmmlu.task import Kmmlu

__all__ = ["EXTRACTION_VERSION", "Kmmlu", "extract_answer"]
