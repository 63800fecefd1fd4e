"""Causal language models of the transformers library. Importing this package loads torch."""

from __future__ import annotations

from jatdae.models.hf.backend import HfBackend
from jatdae.models.hf.floor import random_like

__all__ = ["HfBackend", "random_like"]
