"""Tables over judged samples: by group, by criterion, by contrast variant, and the measures that need no judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.benchmarks.munbench.units import NEUTRAL
from jatdae.stats import mean, paired_difference, proportion
from jatdae.types import Estimate, Sample

RATES = ("code_switch", "compat_code_switch", "repeats", "length_ok", "compat_length_ok")
MEANS = (
    "strong slop per 1,000 characters",
    "compat_slop_per_1000",
    "distinct_trigrams",
    "windowed_trigrams",
    "leaks_per_1000",
    "politeness_mixture",
)


def group_table(samples: Sequence[Sample]) -> dict[str, Estimate]:
    """The rubric's mean by domain, form or subtype."""
    return {
        group: mean([one.scores["rubric"] for one in samples if one.group == group])
        for group in dict.fromkeys(one.group for one in samples)
    }


def criteria_table(samples: Sequence[Sample]) -> dict[str, Estimate]:
    """Each criterion's mean over the samples to which it applies, divided by 10."""
    names = dict.fromkeys(name for one in samples for name in one.detail["criteria"])
    return {
        name: mean([one.detail["criteria"][name] / 10 for one in samples if name in one.detail["criteria"]])
        for name in names
    }


def variant_table(samples: Sequence[Sample]) -> dict[str, Estimate]:
    """Specified minus neutral, paired by item, by subtype; only items with both sides."""
    sides: dict[str, dict[bool, Sample]] = {}
    for one in samples:
        if one.detail.get("variant") and "rubric" in one.scores:
            sides.setdefault(one.cluster, {})[one.detail["variant"] == NEUTRAL] = one
    pairs = [(side[False], side[True]) for side in sides.values() if len(side) == 2]
    return {
        group: paired_difference(
            [first.scores["rubric"] for first, _ in pairs if first.group == group],
            [second.scores["rubric"] for first, second in pairs if first.group == group],
        )
        for group in dict.fromkeys(first.group for first, _ in pairs)
    }


def free_measures(samples: Sequence[Sample]) -> dict[str, Estimate]:
    """Rates and means of the measures that need no judge, over the texts for which each has a meaning."""
    rows = [(one.cluster, one.detail["metrics"]) for one in samples if one.detail["status"] != "empty"]
    table: dict[str, Estimate] = {}
    for name in (*MEANS, *RATES):
        known = [(cluster, value) for cluster, row in rows if (value := _value(row, name)) is not None]
        if known:
            clusters, values = [cluster for cluster, _ in known], [float(value) for _, value in known]
            table[name] = proportion(values, clusters) if name in RATES else mean(values, clusters)
    return table


def _value(row: Mapping[str, Any], name: str) -> float | None:
    if name == MEANS[0]:
        return 1000 * row["slop"]["strong"] / row["characters"] if row["characters"] else None
    return row[name]
