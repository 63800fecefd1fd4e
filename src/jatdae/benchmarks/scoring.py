"""The tasks whose predictions can be made elsewhere and scored here. To add one, name its scorer in `scorers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jatdae.benchmarks.base import registry, spelling
from jatdae.benchmarks.klue.labels import TASKS
from jatdae.benchmarks.klue.scoring import score_klue
from jatdae.benchmarks.kmmlu.external import ExternalScore, score_predictions
from jatdae.benchmarks.scored import Cell, Scored, Submission
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, did_you_mean

Scorer = Callable[[Submission], Scored]


def scorers() -> Mapping[str, Scorer]:
    """Task to what scores it."""
    exams = [name for name in registry() if name.partition("/")[0] in ("kmmlu", "kmmlu-hard")]
    return {**{f"klue/{task}": score_klue for task in TASKS}, **dict.fromkeys(exams, score_kmmlu)}


def find_scorer(name: str) -> tuple[str, Scorer]:
    """A task's full name and its scorer; spelling as in `find_task`. Raises RequestError with a hint."""
    known = scorers()
    for task, scorer in known.items():
        if spelling(task) == spelling(name):
            return task, scorer
    families = sorted({task.partition("/")[0] for task in known})
    if spelling(name) in families:
        one = [task for task in known if task.startswith(spelling(name))]
        raise RequestError(f"{name!r} is {len(one)} tasks with a file each; name one of: {', '.join(one)}")
    if spelling(name) in map(spelling, registry()):
        raise RequestError(f"predictions of {name} made elsewhere cannot be scored; those of {', '.join(families)} can")
    raise RequestError(f"unknown task {name!r}; {did_you_mean(name, [*known, *registry(), *families])}")


def score_kmmlu(submission: Submission) -> Scored:
    """KMMLU's official averages. Raises RequestError for the options that only a file of gold answers needs."""
    for option, given in (
        ("--gold", submission.gold),
        ("--label-order", submission.label_order),
        ("--column", submission.column),
        ("--gold-column", submission.gold_column),
    ):
        if given is not None:
            raise RequestError(f"{option} is not for {submission.task}: its right answers stand in the predictions")
    source = Source.of(submission.data) if submission.data else None
    found = score_predictions(submission.pred, source, submission.task)
    header = ("estimate", "percent [95 %] n")
    return Scored(f"{found.title}: {found.rows:,} rows", header, tuple(_kmmlu_rows(found)), found.warnings, found)


def _kmmlu_rows(found: ExternalScore) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [("micro", found.micro), ("macro", found.macro)]
    if len(found.categories) > 1:
        rows.append(("mean of categories", found.mean_of_categories))
        rows += [(f"macro, {category}", estimate) for category, estimate in found.categories.items()]
    rows.append(("no answer", found.no_answer))
    if found.reextracted is not None:
        anew = found.reextracted
        rows += [
            ("micro, answers read out anew", anew.micro),
            ("macro, answers read out anew", anew.macro),
            ("no answer, read out anew", anew.no_answer),
            ("rows whose letter changes", anew.changed),
        ]
    if len(found.subjects) > 1:
        rows += list(found.subjects.items())
    return rows
