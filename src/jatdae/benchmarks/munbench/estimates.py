"""Tables over judged samples: by group, by criterion, by contrast variant, and the measures that need no judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jatdae.benchmarks.munbench.units import NEUTRAL
from jatdae.stats import mean, paired_difference, proportion
from jatdae.types import Estimate, Sample

RATES = ("code_switch", "compat_code_switch", "repeats", "length_ok", "compat_length_ok")
SHARES: Mapping[str, Callable[[Mapping[str, Any]], float | None]] = {
    "strong slop, hits a character": lambda row: row["slop"]["strong"] / row["characters"],
    "compat slop, hits a character": lambda row: row["compat_slop_per_1000"] / 1000,
    "foreign words a syllable": lambda row: None if row["leaks_per_1000"] is None else row["leaks_per_1000"] / 1000,
    "distinct_trigrams": lambda row: row["distinct_trigrams"],
    "windowed_trigrams": lambda row: row["windowed_trigrams"],
    "politeness_mixture": lambda row: row["politeness_mixture"],
    "checks passed": lambda row: row["checks_passed"] / row["checks"] if row["checks"] else None,
}
"""Means of numbers from 0 to 1, each out of a text's measures; None where it has no meaning for the text."""


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
    readers: dict[str, Callable[[Mapping[str, Any]], float | None]] = {
        **SHARES,
        **{name: (lambda row, name=name: row[name]) for name in RATES},
    }
    table: dict[str, Estimate] = {}
    for name, read in readers.items():
        known = [(cluster, value) for cluster, row in rows if (value := read(row)) is not None]
        if known:
            clusters, values = [cluster for cluster, _ in known], [float(value) for _, value in known]
            table[name] = proportion(values, clusters) if name in RATES else mean(values, clusters)
    return table
