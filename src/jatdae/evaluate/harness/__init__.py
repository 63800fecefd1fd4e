"""Tasks of lm-evaluation-harness, asked through this package's engine and kept in its store."""

from jatdae.evaluate.harness.running import HarnessRequest, run_harness

__all__ = ["HarnessRequest", "run_harness"]
