"""How severe each judge is, and what a sample would score with judges of equal severity.

score = sample + judge, fitted by least squares. Judges differ by more than a point, so a plain mean over fewer judges
is another quantity. Source: MunBench specification, section 3.5; judging specification, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class SeverityFit:
    """`samples` are adjusted means, `offsets` how far each judge lies above the mean judge; the offsets sum to 0.

    Unless `connected`, some judges share no sample with the others, directly or by way of a third, and their offsets
    only compare within their own group.
    """

    samples: Mapping[str, float]
    offsets: Mapping[str, float]
    connected: bool


def fit_severity(scores: Sequence[tuple[str, str, float]]) -> SeverityFit:
    """Fit (sample, judge, score) rows, one a pair. The samples are eliminated, so only judges x judges is solved.

    Raises ValueError without rows or with one that is not finite.
    """
    if not scores:
        raise ValueError("no scores to fit")
    names, rows = np.unique([sample for sample, _, _ in scores], return_inverse=True)
    judges, columns = np.unique([judge for _, judge, _ in scores], return_inverse=True)
    values = np.array([score for _, _, score in scores], dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    seen = np.zeros((len(names), len(judges)))
    np.add.at(seen, (rows, columns), 1.0)
    per_sample = seen.sum(axis=1)
    means = np.bincount(rows, values) / per_sample
    # The normal equations with the samples taken out: each row of `seen` minus what its sample's mean explains.
    matrix = np.diag(seen.sum(axis=0)) - (seen / per_sample[:, None]).T @ seen
    residual_sums = np.bincount(columns, values - means[rows], minlength=len(judges))
    offsets, _, rank, _ = np.linalg.lstsq(matrix, residual_sums, rcond=1e-10)
    adjusted = means - (seen @ offsets) / per_sample
    return SeverityFit(
        dict(zip(names.tolist(), adjusted.tolist(), strict=True)),
        dict(zip(judges.tolist(), offsets.tolist(), strict=True)),
        connected=int(rank) == len(judges) - 1,
    )
