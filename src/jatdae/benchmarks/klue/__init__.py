"""KLUE: Korean language understanding in eight tasks, measured on fine-tuned encoders or by prompting."""

from __future__ import annotations

from jatdae.benchmarks.klue.catalogue import SUMMARIES
from jatdae.benchmarks.klue.labels import TASKS
from jatdae.benchmarks.klue.reading import from_hub, locate, read_task
from jatdae.benchmarks.klue.task import KlueTask

__all__ = ["SUMMARIES", "TASKS", "KlueTask", "from_hub", "locate", "read_task"]
