"""KMMLU's numbers from its samples: macro over subjects first, with everything a reader needs to judge it.

Works on samples alone. An item asked under several seeds counts once, with the mean of its values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from jatdae.benchmarks.aggregation import estimate, per_seed
from jatdae.benchmarks.base import Aggregate
from jatdae.benchmarks.kmmlu.coverage import NOT_READ, coverage_notes, title
from jatdae.benchmarks.kmmlu.findings import LEAK, UNCLEAN
from jatdae.benchmarks.kmmlu.pinned import Provenance
from jatdae.benchmarks.kmmlu.subjects import CATEGORIES, Scope, Subject, find_subject
from jatdae.stats import macro, micro, proportion
from jatdae.stats.intervals import Z
from jatdae.types import Estimate, Protocol, Sample

SHOWN = "shown-as-example"
STRICT_GAP = 0.005
"""Difference of the two readings of generated answers above which both are named."""
Groups = dict[str, list[float]]


def aggregate(
    samples: Sequence[Sample],
    scope: Scope,
    protocol: Protocol,
    metric: str,
    *,
    bundled: bool = False,
    data: Provenance = NOT_READ,
) -> Aggregate:
    """Estimates, tables and notes over the samples of one task; `metric` is the one that decides.

    Estimates for several subjects: `macro`, `micro`, and with the metric's ending (`macro_norm`, `micro_strict`) those
    of the other metrics, `mean_of_categories`, and `..._without_leaks` and `..._clean` where flagged items were asked;
    for one subject the metrics' own names. An item with a failed request is left out under every seed; the headline is
    then a lower bound that counts it as wrong. Raises ValueError when there are no samples.
    """
    if not samples:
        raise ValueError("no samples to aggregate")
    single = scope.single
    lost = {sample.item for sample in samples if not sample.scores}
    measured = [sample for sample in samples if sample.item not in lost]
    name = metric if single else f"macro{_ending(metric)}"
    estimates: dict[str, Estimate] = {}
    breakdown: dict[str, Mapping[str, Estimate]] = {}
    if measured:
        estimates |= _single(measured) if single else _averages(measured)
        estimates |= _subsets(measured, metric, name, single)
        breakdown |= _tables(measured, metric, single)
    headline = f"{name}_lower_bound" if lost else name
    if lost:
        groups = _groups(samples, metric)
        estimates[headline] = proportion(next(iter(groups.values()))) if single else macro(groups)
    if not single and measured:
        estimates[f"mean_of_categories{_ending(metric)}"] = mean_of(breakdown["category"])
    counts = _counts(measured)
    notes = (
        *coverage_notes(scope, protocol.split, counts, len(lost), bundled=bundled),
        *_notes(measured, protocol, metric),
        *data.notes,
    )
    named = title(scope, protocol.split, counts, len(lost), bundled=bundled, data=data)
    if protocol.sampling.temperature > 0:
        named += ", sampled"
    return Aggregate(headline, named, estimates, breakdown, notes)


def subject_of(sample: Sample) -> str:
    """The subject's name in the sample's release."""
    return sample.group or sample.item.partition("/")[0]


def _ending(metric: str) -> str:
    return metric.removeprefix("acc")


def _groups(samples: Sequence[Sample], metric: str) -> Groups:
    """Subject to one value an item, the mean over its seeds; a failed sample, where one is passed, is worth 0.

    The values are sorted, so that sums do not depend on the order of the samples. Raises ValueError for an item that
    appears twice under one seed.
    """
    cells: dict[str, dict[str, dict[int | None, float]]] = {}
    for sample in samples:
        row = cells.setdefault(subject_of(sample), {}).setdefault(sample.item, {})
        if sample.seed in row:
            raise ValueError(f"item {sample.item!r} has two samples under seed {sample.seed}")
        row[sample.seed] = sample.scores[metric] if sample.scores else 0.0
    return {
        subject: sorted(math.fsum(row.values()) / len(row) for row in items.values())
        for subject, items in sorted(cells.items())
    }


def _single(measured: Sequence[Sample]) -> dict[str, Estimate]:
    return {metric: estimate(measured, metric) for metric in measured[0].scores}


def _averages(measured: Sequence[Sample]) -> dict[str, Estimate]:
    found: dict[str, Estimate] = {}
    for metric in measured[0].scores:
        groups = _groups(measured, metric)
        found[f"macro{_ending(metric)}"] = macro(groups)
        found[f"micro{_ending(metric)}"] = micro(groups)
    return found


def _subsets(measured: Sequence[Sample], metric: str, name: str, single: bool) -> dict[str, Estimate]:
    """The headline without the items whose text gives the answer away, and without all faulty ones."""
    found: dict[str, Estimate] = {}
    for ending, left_out in (("without_leaks", frozenset({LEAK})), ("clean", UNCLEAN)):
        kept = [sample for sample in measured if left_out.isdisjoint(sample.detail.get("flags", ()))]
        if kept and len(kept) < len(measured):
            found[f"{name}_{ending}"] = estimate(kept, metric) if single else macro(_groups(kept, metric))
    return found


def _tables(measured: Sequence[Sample], metric: str, single: bool) -> dict[str, Mapping[str, Estimate]]:
    groups = _groups(measured, metric)
    tables: dict[str, Mapping[str, Estimate]] = {
        "subject": {name: proportion(values) for name, values in groups.items()}
    }
    if not single:
        tables["category"] = {title: macro(chosen) for title, chosen in by_category(groups).items()}
    tables["predicted letter"] = {
        letter: proportion([float(sample.prediction == letter) for sample in _one_seed(measured)]) for letter in "ABCD"
    }
    golds = {letter: [s for s in _one_seed(measured) if s.target == letter] for letter in "ABCD"}
    tables["recall by right letter"] = {
        letter: proportion([sample.scores[metric] for sample in chosen]) for letter, chosen in golds.items() if chosen
    }
    seeds = sorted({sample.seed for sample in measured if sample.seed is not None})
    if len(seeds) > 1:
        tables["seed"] = per_seed(measured, metric) if single else _by_seed(measured, metric, seeds)
    return tables


def by_category(groups: Groups) -> dict[str, Groups]:
    """Category title to its subjects' values, in the publisher's order."""
    found: dict[str, Groups] = {category: {} for category in CATEGORIES}
    for name, values in groups.items():
        subject = find_subject(name)
        if subject is not None:
            found[subject.category][name] = values
    return {CATEGORIES[category]: chosen for category, chosen in found.items() if chosen}


def _by_seed(measured: Sequence[Sample], metric: str, seeds: Sequence[int]) -> dict[str, Estimate]:
    return {str(seed): macro(_groups([s for s in measured if s.seed == seed], metric)) for seed in seeds}


def _one_seed(measured: Sequence[Sample]) -> list[Sample]:
    """The samples of the first seed: letters are counted over items, not over repetitions."""
    first = measured[0].seed
    return [sample for sample in measured if sample.seed == first]


def mean_of(categories: Mapping[str, Estimate]) -> Estimate:
    """The mean of independent estimates, each with the same weight; normal interval."""
    count, parts = len(categories), list(categories.values())
    value, n = math.fsum(part.value for part in parts) / count, sum(part.n for part in parts)
    errors = [part.stderr for part in parts if part.stderr is not None]
    if len(errors) < count:
        return Estimate(value, None, None, None, n, method="mean of categories; none: a category has no stderr")
    error = math.sqrt(math.fsum(error**2 for error in errors)) / count
    low, high = max(0.0, value - Z * error), min(1.0, value + Z * error)
    return Estimate(value, error, low, high, n, method="mean of categories, normal")


def _counts(measured: Sequence[Sample]) -> dict[Subject, int]:
    """Number of items that were asked and answered, by subject."""
    seen = {(subject_of(sample), sample.item) for sample in measured}
    found: dict[Subject, int] = {}
    for name, number in Counter(name for name, _ in seen).items():
        subject = find_subject(name)
        if subject is None:
            raise ValueError(f"{name!r} is not a KMMLU subject")
        found[subject] = number
    return found


def _notes(measured: Sequence[Sample], protocol: Protocol, metric: str) -> list[str]:
    if not measured:
        return []
    letters = Counter(sample.prediction or "none" for sample in measured)
    order = [*"ABCD", *(["none"] if letters["none"] else [])]
    notes = ["predicted letters: " + ", ".join(f"{letter} {letters[letter]:,}" for letter in order)]
    if protocol.mode in ("letter", "cloze"):
        tied = sum(sample.detail.get("tied", 1) > 1 for sample in measured)
        notes.append(f"{tied:,} exact ties, decided for the first option")
    else:
        notes += _strict_note(measured, metric)
    if any(SHOWN in sample.detail.get("flags", ()) for sample in measured):
        shown = sorted({s.item for s in measured if SHOWN in s.detail.get("flags", ())})
        notes.append(f"also among its own examples, as published: {', '.join(shown)}")
    return notes


def _strict_note(measured: Sequence[Sample], metric: str) -> list[str]:
    """Both readings, where they differ by more than half a point."""
    values = {name: sum(s.scores.get(name, 0.0) for s in measured) / len(measured) for name in ("acc", "acc_strict")}
    if abs(values["acc"] - values["acc_strict"]) <= STRICT_GAP:
        return []
    other = "acc_strict" if metric == "acc" else "acc"
    return [f"the two readings differ: {metric} {100 * values[metric]:.2f}, {other} {100 * values[other]:.2f} (micro)"]
