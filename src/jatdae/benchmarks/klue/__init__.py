"""KLUE: Korean language understanding in eight tasks, measured on fine-tuned encoders."""

from __future__ import annotations

from jatdae.benchmarks.klue.labels import TASKS
from jatdae.benchmarks.klue.reading import from_hub, locate, read_task

__all__ = ["TASKS", "from_hub", "locate", "read_task"]
