"""How far judges agree with each other. Source: judging specification, section 3.1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from jatdae.judging.cases import RubricScore
from jatdae.judging.validation.agreement import summaries
from jatdae.stats.agreement import intraclass_correlation, krippendorff_alpha
from jatdae.stats.agreement.correlation import kendall_value
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class JudgeJudge:
    """Judges over the samples that all of them scored; `alpha` is over all samples.

    ICC(2,1) far under ICC(3,1) says that judges differ in severity, not in order. `rank_tau` is Kendall's tau-b of the
    models' means by two judges. Measures are None where undefined.
    """

    samples: int
    icc_absolute: Estimate | None
    icc_order: Estimate | None
    alpha: Estimate | None
    rank_tau: dict[tuple[str, str], float | None]


def judge_judge(scores: Sequence[RubricScore], *, draws: int = DRAWS, seed: int = 0) -> JudgeJudge | None:
    """Agreement of the judges' means over iterations; None for fewer than two judges."""
    judges = tuple(sorted({one.judge for one in scores}))
    if len(judges) < 2:
        return None
    samples = summaries(scores, judges)
    rows = [tuple(one.mean for one in sample.judges) for sample in samples]
    items = [sample.item for sample in samples]
    whole = [at for at, row in enumerate(rows) if None not in row]
    table, kept = [rows[at] for at in whole], [items[at] for at in whole]
    alpha = krippendorff_alpha(list(zip(*rows, strict=True)), clusters=items, draws=draws, seed=seed)
    models = [samples[at].model for at in whole]
    if not table:
        return JudgeJudge(0, None, None, alpha, {})
    cells = np.array(table, dtype=np.float64)
    return JudgeJudge(
        len(table),
        intraclass_correlation(cells, "2,1", clusters=kept, draws=draws, seed=seed),
        intraclass_correlation(cells, "3,1", clusters=kept, draws=draws, seed=seed),
        alpha,
        _rank_tau(cells, models, judges),
    )


def _rank_tau(cells: np.ndarray, models: Sequence[str], judges: Sequence[str]) -> dict[tuple[str, str], float | None]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, model in enumerate(models):
        places[model].append(at)
    means = np.array([cells[at].mean(axis=0) for at in places.values()])
    results: dict[tuple[str, str], float | None] = {}
    for one, other in combinations(range(len(judges)), 2):
        tau = kendall_value(means[:, [one, other]]) if len(means) > 1 else float("nan")
        results[judges[one], judges[other]] = None if np.isnan(tau) else tau
    return results
