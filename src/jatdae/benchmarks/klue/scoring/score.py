"""Official scoring of KLUE predictions made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.inspection import FileFact
from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.klue.metrics.score import Score
from jatdae.benchmarks.klue.reading import locate, read_task, version_of
from jatdae.benchmarks.klue.reading.files import split_of
from jatdae.benchmarks.klue.scoring import remarks
from jatdae.benchmarks.klue.scoring.answered_entities import are_answers, read_answers
from jatdae.benchmarks.klue.scoring.entries import predicted_column, read_entries
from jatdae.benchmarks.klue.scoring.intervals import intervals
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Judged, Unit
from jatdae.benchmarks.klue.scoring.labelled import LABELLED, labelled_units
from jatdae.benchmarks.klue.scoring.matching import Matched, match
from jatdae.benchmarks.klue.scoring.readings import LabelNames
from jatdae.benchmarks.scored import DRAWS, Cell, Scored, Submission
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError, RequestError
from jatdae.stats import seed_from
from jatdae.stats.clusters import cluster_codes
from jatdae.types import Estimate

LEFT_OUT = frozenset({"sentence_of_word"})
"""Details that are as long as the data."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric in its two variants, in 0..1; None where it is undefined, and `reason` says why.

    `is_official` tells the benchmark's own metrics from those that stand beside them.
    """

    official: Estimate | None
    clean: Estimate | None
    is_official: bool
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KlueScore:
    """What a file of predictions is worth, and what it stands on.

    `missing` items have no prediction; `outside` counts predictions (for rows: their parts) that are no label of the
    task. Both count as wrong.
    """

    task: str
    title: str
    gold: FileFact
    pred: FileFact
    version: str | None
    column: str
    label_order: str | None
    items: int
    clusters: int
    clustered_by: str
    metrics: Mapping[str, Measured]
    missing: int
    outside: Mapping[str, int]
    duplicates: tuple[str, ...]
    unknown: tuple[str, ...]
    by_order: bool
    draws: int
    seed: int
    notes: tuple[str, ...]


def score_klue(submission: Submission) -> Scored:
    """`score_predictions` for the command line: gold from `submission.gold`, else the dev split of the data."""
    found = score_predictions(
        submission.task,
        submission.pred,
        submission.gold,
        source=None if submission.gold or submission.gold_column else Source.of(submission.data),
        label_order=submission.label_order,
        draws=submission.draws,
        column=submission.column,
        gold_column=submission.gold_column,
    )
    header = ("metric", "official, percent [95 %] n", "clean, percent [95 %] n")
    rows = tuple(_row(name, measured) for name, measured in found.metrics.items())
    return Scored(found.title, header, rows, found.notes, found)


def _row(name: str, measured: Measured) -> tuple[Cell, ...]:
    plain = name.replace("_", " ")
    named = plain if measured.is_official else f"({plain})"
    return named, measured.official or "n/a", measured.clean or "n/a"


def score_predictions(
    task: str,
    pred: Path,
    gold: Path | None = None,
    *,
    source: Source | None = None,
    label_order: str | None = None,
    draws: int = DRAWS,
    column: str | None = None,
    gold_column: str | None = None,
) -> KlueScore:
    """Score a file of predictions of one task, officially and cleanly, with intervals from resampled clusters.

    `gold` is a file in the release's layout; without it the dev split in `source` is taken. `label_order` (`official`,
    `hub`) says how numbers stand for labels; without it a number where a name belongs is an error. `column` names the
    predictions, `gold_column` a column of the same file that holds the gold labels (ynat, nli, re). Raises RequestError
    and DataError for what cannot be read or matched, JatdaeError where not one prediction is valid.
    """
    task = known_task(task)
    names = LabelNames.of(task, label_order)
    if gold_column is not None and (gold is not None or task not in LABELLED):
        raise RequestError(f"--gold-column is for {', '.join(LABELLED)}, and in the place of --gold")
    if gold is None:
        gold = pred if gold_column else locate(source or Source.of(None), task, "dev")
    paired = _paired(task, pred, gold, column, gold_column, names)
    golds = [unit.gold for unit in paired.units]
    judged = JUDGING[task].judge(golds, paired.matched.entries, paired.column, names)
    if judged.valid <= 0:
        raise JatdaeError(f"{pred}: no score, {_nothing(judged, len(golds), paired.column)}")
    codes = cluster_codes([unit.cluster for unit in paired.units], len(golds))
    seed = seed_from("klue", task, paired.gold.sha256, paired.pred.sha256)
    found = intervals(judged.scores, codes, draws, seed)
    return _score(task, gold, paired, judged, found, int(codes.max()) + 1, (label_order, draws, seed))


@dataclass(frozen=True, slots=True)
class _Paired:
    """The items of gold, and what the file of predictions has for each."""

    units: list[Unit]
    column: str
    matched: Matched
    gold: FileFact
    pred: FileFact
    notes: tuple[str, ...] = ()


def _paired(
    task: str, pred: Path, gold: Path, column: str | None, gold_column: str | None, names: LabelNames
) -> _Paired:
    judging = JUDGING[task]
    units = judging.units(read_task(task, gold)) if gold_column is None else []
    entries = read_entries(pred, task)
    column = predicted_column(entries, (column.lower(),) if column else judging.columns)
    if gold_column is not None:
        units = labelled_units(entries, predicted_column(entries, (gold_column.lower(),)), names)
    matched = match([unit.id for unit in units], entries, lambda entry: judging.is_complete(entry, column))
    notes: tuple[str, ...] = ()
    if task == "ner" and are_answers(matched.entries, column):
        answers = read_answers([unit.gold for unit in units], matched.entries, column)
        matched, notes = replace(matched, entries=answers.entries), (answers.note,)
    return _Paired(units, column, matched, FileFact.of(gold, len(units)), FileFact.of(pred, len(entries)), notes)


def _score(
    task: str,
    gold: Path,
    paired: _Paired,
    judged: Judged,
    found: Mapping[str, tuple[Estimate | None, Estimate | None]],
    clusters: int,
    settings: tuple[str | None, int, int],
) -> KlueScore:
    items, judging = len(paired.units), JUDGING[task]
    return KlueScore(
        task=f"klue/{task}",
        title=_title(task, gold, items, clusters, judged.missing),
        gold=paired.gold,
        pred=paired.pred,
        version=version_of(gold),
        column=paired.column,
        label_order=settings[0],
        items=items,
        clusters=clusters,
        clustered_by=judging.cluster,
        metrics={
            name: _measured(score, *found[name], is_official=name in judging.official)
            for name, score in judged.scores.items()
        },
        missing=judged.missing,
        outside=dict(judged.outside.most_common()),
        duplicates=paired.matched.duplicates,
        unknown=paired.matched.unknown,
        by_order=paired.matched.by_order,
        draws=settings[1],
        seed=settings[2],
        notes=(
            *remarks.of_part(task, gold, clusters if task == "wos" else items),
            *remarks.of_wrong(task, judged.missing, judged.outside, items),
            *paired.matched.notes,
            *paired.notes,
            *judged.notes,
            *remarks.of_undefined(judged.scores),
            *remarks.of_intervals(found),
        ),
    )


def _nothing(judged: Judged, items: int, column: str) -> str:
    outside = f", {judged.outside.total():,} outside the known ones" if judged.outside else ""
    return f"0 of {items:,} valid ({judged.missing:,} missing{outside}; read from the column {column!r})"


def _measured(score: Score, official: Estimate | None, clean: Estimate | None, *, is_official: bool) -> Measured:
    detail = {name: value for name, value in score.detail.items() if name not in LEFT_OUT}
    return Measured(official, clean, is_official, score.reason, detail)


def _title(task: str, gold: Path, items: int, clusters: int, missing: int) -> str:
    """The headline: what was measured on, and how much of it is there."""
    judging, split = JUDGING[task], split_of(gold)
    shared = f" in {clusters:,} {judging.cluster}s" if clusters < items else ""
    lacking = f", {missing:,} without a prediction" if missing else ""
    return f"klue/{task}{f' {split}' if split else ''}: {items:,} {judging.unit}{shared}{lacking}"
