"""From samples of one or several seeds to KLUE's numbers: the predictions in them are scored as those of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import stdev

from jatdae.benchmarks.base import Aggregate
from jatdae.benchmarks.klue.samples import PREDICTED
from jatdae.benchmarks.klue.scoring import remarks
from jatdae.benchmarks.klue.scoring.fields import Prediction, judge
from jatdae.benchmarks.klue.scoring.intervals import intervals_over_runs
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Judged, Unit
from jatdae.benchmarks.scored import DRAWS
from jatdae.stats.clusters import cluster_codes
from jatdae.types import Estimate, Sample

CLEAN: Mapping[str, tuple[str, ...]] = {
    "ner": ("entity_f1", "character_f1"),
    "re": ("auprc",),
    "dp": ("uas_macro", "las_macro"),
    "mrc": ("exact_match", "rouge_w"),
    "wos": ("slot_f1",),
}
"""Task to the metrics whose clean value is always told; of the others where it is another than the official one."""
GROUPS = range(2, 21)
"""Numbers of groups that make a table."""

Run = Mapping[str, Prediction | None]
Runs = Mapping[int | None, Run]


@dataclass(frozen=True, slots=True)
class Scope:
    """What is measured on: a task, its gold file with the records in it, and the units that it gives."""

    task: str
    gold: Path
    split: str
    records: int
    units: Sequence[Unit]
    bundled: bool
    draws_seed: int
    """What the resampled clusters depend on: task and data."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Items and what each seed's predictions of them are worth."""

    task: str
    units: Sequence[Unit]
    judged: Mapping[int | None, Judged]
    draws_seed: int

    @classmethod
    def of(cls, scope: Scope, units: Sequence[Unit], runs: Runs) -> Measured:
        """Score every seed's predictions of these items."""
        return cls(
            scope.task, units, {seed: _judged(scope.task, units, run) for seed, run in runs.items()}, scope.draws_seed
        )

    def estimates(self, names: Sequence[str], seeds: Sequence[int | None] | None = None) -> _Pairs:
        """Official and clean estimates of the metrics, meaned over the seeds (all by default)."""
        chosen = [self.judged[seed] for seed in (self.judged if seeds is None else seeds)]
        scores = [{name: judged.scores[name] for name in names} for judged in chosen]
        codes = cluster_codes([unit.cluster for unit in self.units], len(self.units))
        return intervals_over_runs(scores, codes, DRAWS, self.draws_seed)


_Pairs = Mapping[str, tuple[Estimate | None, Estimate | None]]


def aggregate(scope: Scope, samples: Sequence[Sample]) -> Aggregate:
    """Estimates `<metric>` (official) and `<metric>, clean`, tables by group and by seed, notes.

    Values are means over seeds. The headline is the first official metric, defined or not. An item whose request
    failed under some seed is left out under all; an item without a prediction counts as wrong. There is no estimate
    where a seed has not one valid prediction, and a note says so.
    """
    official = JUDGING[scope.task].official
    runs = runs_of(samples)
    units = [unit for unit in scope.units if all(unit.id in run for run in runs.values())]
    failed = len({sample.item for sample in samples}) - len(units)
    title = _title(scope, units, failed)
    if not units:
        return Aggregate(official[0], title, {}, notes=("no item was answered",))
    measured = Measured.of(scope, units, runs)
    nothing = list(_nothing_valid(measured))
    if nothing:
        return Aggregate(official[0], title, {}, notes=tuple(nothing))
    names = list(next(iter(measured.judged.values())).scores)
    found = measured.estimates(sorted(names, key=lambda name: name not in official))
    estimates = dict(_named(scope.task, found))
    headline = official[0]
    tables = {"group": _by_group(scope, measured, runs, headline), "seeds": _by_seed(measured, headline)}
    breakdown = {name: table for name, table in tables.items() if table}
    return Aggregate(headline, title, estimates, breakdown, (*_notes(scope, measured), *remarks.of_intervals(found)))


def runs_of(samples: Sequence[Sample]) -> Runs:
    """Seed to item to prediction, seeds in ascending order; failed samples (no scores) are left out.

    Raises ValueError where an item appears twice under one seed.
    """
    runs: dict[int | None, dict[str, Prediction | None]] = {}
    for sample in samples:
        run = runs.setdefault(sample.seed, {})
        if sample.item in run:
            raise ValueError(f"item {sample.item!r} has two samples under seed {sample.seed}")
        if sample.scores:
            run[sample.item] = sample.detail[PREDICTED]
    return {seed: runs[seed] for seed in sorted(runs, key=lambda seed: (seed is not None, seed or 0))}


def _judged(task: str, units: Sequence[Unit], run: Run) -> Judged:
    there = {unit.id: run[unit.id] for unit in units}
    return judge(task, units, {item: prediction for item, prediction in there.items() if prediction is not None})


def _nothing_valid(measured: Measured) -> Iterator[str]:
    for seed, judged in measured.judged.items():
        if judged.valid <= 0:
            under = f" under seed {seed}" if len(measured.judged) > 1 else ""
            yield f"no score: 0 of {len(measured.units):,} predictions are valid{under} ({judged.missing:,} missing)"


def _named(task: str, found: _Pairs) -> Iterator[tuple[str, Estimate]]:
    for name, (official, clean) in found.items():
        if official is not None:
            yield name, official
        if clean is not None and (name in CLEAN.get(task, ()) or official is None or clean.value != official.value):
            yield f"{name}, clean", clean


def _by_group(scope: Scope, measured: Measured, runs: Runs, headline: str) -> dict[str, Estimate]:
    groups: dict[str, list[Unit]] = {}
    for unit in measured.units:
        groups.setdefault(unit.group, []).append(unit)
    if len(groups) not in GROUPS:
        return {}
    found = {
        group: Measured.of(scope, groups[group], runs).estimates([headline])[headline][0] for group in sorted(groups)
    }
    return {group or "(no group)": estimate for group, estimate in found.items() if estimate is not None}


def _by_seed(measured: Measured, headline: str) -> dict[str, Estimate]:
    """Each seed alone, where there are several."""
    if len(measured.judged) < 2:
        return {}
    found = {seed: measured.estimates([headline], [seed])[headline][0] for seed in measured.judged}
    return {str(seed): estimate for seed, estimate in found.items() if estimate is not None}


def _title(scope: Scope, units: Sequence[Unit], failed: int) -> str:
    """What was measured on, with any lack of coverage."""
    judging = JUDGING[scope.task]
    clusters = len({unit.cluster for unit in units})
    of = f" of {len(scope.units):,}" if len(units) < len(scope.units) else ""
    parts = [f"{len(units):,}{of} {judging.unit}"]
    if 0 < clusters < len(units):
        parts.append(f"{clusters:,} {judging.cluster}{'s' if clusters > 1 else ''}")
    if failed:
        parts.append(f"{failed:,} failed and left out")
    return f"klue/{scope.task} {'mini ' if scope.bundled else ''}{scope.split}: {', '.join(parts)}"


def _notes(scope: Scope, measured: Measured) -> Iterator[str]:
    yield from remarks.of_part(scope.task, scope.gold, scope.records)
    told = {seed: _notes_of(scope.task, len(measured.units), judged) for seed, judged in measured.judged.items()}
    shared = set.intersection(*map(set, told.values()))
    yield from (note for note in next(iter(told.values())) if note in shared)
    for seed, notes in told.items():
        yield from (f"seed {seed}: {note}" for note in notes if note not in shared)
    yield from _spread(scope.task, measured)


def _notes_of(task: str, items: int, judged: Judged) -> list[str]:
    wrong = remarks.of_wrong(task, judged.missing, judged.outside, items)
    return [*wrong, *judged.notes, *remarks.of_undefined(judged.scores)]


def _spread(task: str, measured: Measured) -> Iterator[str]:
    """How far the official metrics lie apart between seeds."""
    runs = list(measured.judged.values())
    if len(runs) < 2:
        return
    for name in JUDGING[task].official:
        values = [value for run in runs if (value := run.scores[name].official) is not None]
        if len(values) == len(runs):
            mean = sum(values) / len(values)
            told = f"mean {mean:.2f}, standard deviation {stdev(values):.2f} (percent)"
            yield f"{name.replace('_', ' ')}, {len(runs)} seeds: {told}"
