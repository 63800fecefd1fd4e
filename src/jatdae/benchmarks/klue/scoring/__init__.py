"""Official scoring of KLUE predictions made elsewhere: `jatdae score klue/TASK`."""

from __future__ import annotations

from jatdae.benchmarks.klue.scoring.score import KlueScore, Measured, score_klue, score_predictions

__all__ = ["KlueScore", "Measured", "score_klue", "score_predictions"]
