"""Overall scores and the order of the models: with intervals, a noise floor below which ranks are ties, rank ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.benchmarks.munbench.generations import ANSWERED
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.units import Unit
from jatdae.judging.scales import HIGHEST, LOWEST
from jatdae.judging.summary import SampleScore
from jatdae.reports.munbench.published import average
from jatdae.reports.munbench.scored import Counting, Scored
from jatdae.stats import macro, seed_from
from jatdae.stats.intervals import Z
from jatdae.stats.ratings.resampling import rank_ranges as rank_ranges_of
from jatdae.types import Estimate

DRAWS = 1000


def overall(scored: Scored, model: str, counting: Counting = "headline") -> Estimate | None:
    """The mean of the track means with its interval; None unless every track has a score (`compat`: any)."""
    groups = {
        str(track): list(values.values())
        for track, units in scored.main_units.items()
        if (values := scored.values(model, units, counting))
    }
    if not groups or (len(groups) < len(TRACKS) and not scored.is_compat):
        return None
    return macro(groups, bounds=(LOWEST, HIGHEST))


def lead(scored: Scored, model: str, next_model: str) -> Estimate | None:
    """How far a model lies above another, paired by prompt, as a mean of tracks; None without a common prompt."""
    groups: dict[str, list[float]] = {}
    for track, units in scored.main_units.items():
        mine, others = scored.values(model, units), scored.values(next_model, units)
        differences = [mine[unit] - others[unit] for unit in mine if unit in others]
        if differences:
            groups[str(track)] = differences
    return macro(groups, bounds=None) if groups else None


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What chance alone may put between two models' overall scores, in points: differences below it are ties.

    1.96 times the standard error of a difference, from the spread of repeats alone: of judges' iterations, or of
    several texts to one prompt (which holds the judges' as well). Items, the larger part of the uncertainty, are not
    in it. `source` is `judge iterations` or `regenerations`.
    """

    points: float
    source: str


def noise_floor(scored: Scored, models: Iterable[str]) -> NoiseFloor | None:
    """The floor for two average models of the run; None where nothing was repeated."""
    variances = [_repeat_variance(scored, model) for model in models]
    known = [variance for variance in variances if variance is not None]
    if not known:
        return None
    source = "regenerations" if scored.config.samples_per_item > 1 else "judge iterations"
    return NoiseFloor(Z * math.sqrt(2 * sum(known) / len(known)), source)


def _repeat_variance(scored: Scored, model: str) -> float | None:
    """The variance of a model's overall score over repeats; None if a track has none."""
    total = 0.0
    for units in scored.main_units.values():
        variance = average([_unit_variance(scored, model, unit) for unit in units])
        if variance is None:
            return None
        total += variance / len(units)
    return total / len(scored.main_units) ** 2


def _unit_variance(scored: Scored, model: str, unit: Unit) -> float | None:
    """The variance of one unit's value over repeats; None where nothing was repeated or nothing is scored."""
    scores = [
        score
        for made, score in scored.samples(model, unit)
        if made is not None and made.status in ANSWERED and score is not None and score.final_mean is not None
    ]
    if scored.config.samples_per_item == 1:
        return judged_variance(scores[0]) if scores else None
    finals = [score.final_mean for score in scores if score.final_mean is not None]
    return float(np.var(finals, ddof=1)) / len(finals) if len(finals) > 1 else None


def judged_variance(score: SampleScore) -> float | None:
    """The variance of a sample's final mean over judges' iterations; None if a judge that counts has only one."""
    counting = [one for one in score.judges if one.mean is not None and one.judge not in score.judges_excluded]
    if not counting or any(one.iterations < 2 for one in counting):
        return None
    # The population variance over k iterations, made unbiased and divided by k, is std^2 / (k - 1).
    return sum((one.std or 0.0) ** 2 / (one.iterations - 1) for one in counting) / len(counting) ** 2


def ranks(values: Mapping[str, float], floor: float) -> dict[str, int]:
    """One more than the number of models that are ahead by more than the floor; equal ranks are ties."""
    return {
        model: 1 + sum(other - value > floor + 1e-9 for other in values.values()) for model, value in values.items()
    }


def rank_ranges(scored: Scored, models: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The 95 % range of each model's rank when items are drawn anew within their tracks, the same for all models."""
    if len(models) < 2:
        return {}
    random = np.random.default_rng(seed_from("munbench", "rank ranges", str(scored.config.seed)))
    totals = np.zeros((DRAWS, len(models)))
    for units in scored.main_units.values():
        table = np.array([[_or_nan(scored.value(model, unit)) for model in models] for unit in units])
        seen = ~np.isnan(table)
        counts = random.multinomial(len(units), np.full(len(units), 1 / len(units)), size=DRAWS).astype(np.float64)
        number = counts @ seen
        with np.errstate(invalid="ignore", divide="ignore"):
            totals += (counts @ np.where(seen, table, 0.0)) / number / len(scored.main_units)
    # Sums in another order differ in the last digits, and equal models are to share their ranks.
    ranges = rank_ranges_of(np.round(totals, 9))
    return {model: found for model, found in zip(models, ranges, strict=True) if found is not None}


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
