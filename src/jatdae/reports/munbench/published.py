"""The published harness's fields of a row, by its rules; in the profile `standard` with the repaired measures.

Source: MunBench specification, section 7, rules [C]: track figures are of the main prompts alone, the overall score is
the mean of the tracks, the spread is the population standard deviation over items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from jatdae.benchmarks.munbench.generations import ANSWERED
from jatdae.benchmarks.munbench.metrics import TextMetrics
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit
from jatdae.reports.munbench.scored import Scored


def published_tracks(scored: Scored, model: str) -> dict[str, dict[str, Any]]:
    """The figures of each track of the run, by its number. Missing ones are None."""
    return {str(track): _track(scored, model, units) for track, units in scored.main_units.items()}


def _track(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Any]:
    values = list(scored.values(model, units).values())
    metrics = measured(scored, model, units)
    compat = scored.is_compat
    slop = [one.compat_slop_per_1000 if compat else one.slop.strong_per_1000 for one in metrics]
    lengths = [one.compat_length_ok if compat else one.length_ok for one in metrics]
    answered = sum(
        made is not None and made.status in ANSWERED for unit in units for made, _ in scored.samples(model, unit)
    )
    return {
        "n_samples": answered,
        "rubric_mean": average(values),
        "rubric_std": population_deviation(values),
        "slop_per_1k": average(slop),
        "code_switch_rate": average([one.compat_code_switch if compat else one.code_switch for one in metrics]),
        "distinct_trigram_ratio": average([one.distinct_trigrams for one in metrics]),
        "length_compliance_rate": average(lengths),
    }


def measured(scored: Scored, model: str, units: Sequence[Unit]) -> list[TextMetrics]:
    """The measures of every text of some units that is not empty."""
    found = scored.evidence.metrics
    keys = [(model, unit.id, index) for unit in units for index in range(scored.config.samples_per_item)]
    return [found[key] for key in keys if key in found]


def published_overall(tracks: dict[str, dict[str, Any]]) -> float | None:
    """The mean of the track means that there are."""
    return average([one["rubric_mean"] for one in tracks.values()])


def completion(scored: Scored, model: str) -> dict[str, Any]:
    """Errors among generations, and judges without any valid iteration among the (sample, judge) slots."""
    made = [one for (name, _, _), one in scored.evidence.generations.items() if name == model]
    errors = sum(one.status not in ANSWERED for one in made)
    scores = [one for (name, _, _), one in scored.evidence.samples.items() if name == model]
    slots = sum(len(one.judges) for one in scores)
    failed = sum(len(one.judges_failed) for one in scores)
    return {
        "generation_total": len(made),
        "generation_errors": errors,
        "generation_error_rate": errors / len(made) if made else None,
        "judge_slots_total": slots,
        "judge_slots_failed": failed,
        "judge_failure_rate": failed / slots if slots else None,
    }


def judge_means(scored: Scored, model: str) -> dict[str, float | None]:
    """Each judge's mean over all that it judged, contrast variants included."""
    scores = [one for (name, _, _), one in scored.evidence.samples.items() if name == model]
    return {
        judge: average([mine.mean for one in scores for mine in one.judges if mine.judge == judge])
        for judge in scored.evidence.judges
    }


def culture_pair(scored: Scored, model: str) -> dict[str, Any]:
    """Culture named minus culture implied, over the items that have both."""
    sides = variant_sides(scored, model, "culture-pair")
    first, second = (average([pair[place] for pair in sides.values()]) for place in (0, 1))
    delta = first - second if first is not None and second is not None else None
    return {"n_pairs": len(sides), "specified_mean": first, "neutral_mean": second, "delta": delta}


def variant_sides(scored: Scored, model: str, subtype: str) -> dict[str, tuple[float, float]]:
    """(specified, neutral) by item, for the items of a subtype that have both."""
    both: dict[str, dict[bool, float]] = {}
    for unit in scored.work.units:
        value = scored.value(model, unit) if unit.group == subtype and unit.track == 3 else None
        if value is not None:
            both.setdefault(unit.item.id, {})[unit.variant == NEUTRAL] = value
    return {item: (found[False], found[True]) for item, found in both.items() if len(found) == 2}


def average(values: Sequence[float | None]) -> float | None:
    """The mean of what is there; None without any."""
    known = [float(value) for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def population_deviation(values: Sequence[float]) -> float | None:
    middle = average(values)
    return None if middle is None else math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))


def missing_tracks(scored: Scored) -> list[int]:
    """Tracks of the benchmark that this run does not have."""
    return [track for track in TRACKS if track not in scored.main_units]
