"""Official scoring of KMMLU predictions made elsewhere, as they were logged and with the letters read out anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jatdae.benchmarks.kmmlu.coverage import expected, is_complete, surplus, title
from jatdae.benchmarks.kmmlu.data import folder_of, read_scope
from jatdae.benchmarks.kmmlu.extraction import EXTRACTION_VERSION, extract_with_options
from jatdae.benchmarks.kmmlu.predictions import Prediction, Predictions, read_predictions
from jatdae.benchmarks.kmmlu.scoring import by_category, mean_of
from jatdae.benchmarks.kmmlu.subjects import HARD, KMMLU, Scope, Subject, scope_of
from jatdae.benchmarks.multiple_choice import Question
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError
from jatdae.stats import macro, micro, proportion
from jatdae.types import Estimate

WARN_ABOVE = 0.01
FEW = 0.05
"""Share of KMMLU-HARD's rows that may be surplus in a file that is still taken for it."""
Letters = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Reextraction:
    """The same replies read by Jatdae's extraction: the averages, the rows without an answer, the rows that change."""

    version: str
    micro: Estimate
    macro: Estimate
    no_answer: Estimate
    changed: Estimate


@dataclass(frozen=True, slots=True)
class ExternalScore:
    """What a file of predictions is worth over the rows that it has.

    `micro`, `macro` and `no_answer` follow the logged letters; without such a column they follow the replies. Rows
    without an answer count as wrong. `missing` says how many published items of each subject have no row, `surplus`
    how many rows a subject has beyond them. `categories` are macro averages, `mean_of_categories` weighs each the same.
    `repeated` counts the rows that equal an earlier one in every field.
    """

    title: str
    release: str
    complete: bool
    rows: int
    micro: Estimate
    macro: Estimate
    mean_of_categories: Estimate
    categories: Mapping[str, Estimate]
    subjects: Mapping[str, Estimate]
    no_answer: Estimate
    unanswered: int
    missing: Mapping[str, int]
    surplus: Mapping[str, int] = field(default_factory=dict)
    duplicates: tuple[str, ...] = ()
    repeated: int = 0
    reextracted: Reextraction | None = None
    warnings: tuple[str, ...] = field(default=())


def score_predictions(pred: Path, source: Source | None = None, name: str = KMMLU) -> ExternalScore:
    """Score a CSV, JSON or JSON Lines file with the columns category, answer, pred, response.

    `pred` or `response` may be absent, `answer` too where `id` and the data (`source`) are there. `name` says which
    release or part of it the rows are to cover; a file with the sizes of KMMLU-HARD, or a few rows more, is taken for
    it. Raises DataError and RequestError for what cannot be read.
    """
    scope = scope_of(name)
    known = _known(source, scope)
    read = read_predictions(pred, known)
    scope, notes = _scope(scope, Counter(row.subject for row in read.rows))
    rows = [row for row in read.rows if row.subject in scope.subjects]
    if len(rows) < len(read.rows):
        notes.append(f"{len(read.rows) - len(rows):,} rows of other subjects were left out")
    if not rows:
        raise DataError(f"no row belongs to {scope.label}", path=pred, field="category")
    anew = [_read_out(row, known.get(row.id)) for row in rows] if read.has_response else None
    logged = [row.logged for row in rows] if read.has_logged else anew or []
    return _score(rows, logged, anew if read.has_logged else None, scope, read, notes)


def _known(source: Source | None, scope: Scope) -> dict[str, Question]:
    if source is None:
        return {}
    subjects = read_scope(folder_of(source, scope.release), scope, "test")
    return {item.id: item for questions in subjects.values() for item in questions}


def _scope(scope: Scope, counts: Mapping[Subject, int]) -> tuple[Scope, list[str]]:
    """The named scope, or KMMLU-HARD when every subject has its rows there and the file has few beyond them.

    Few, since a run over the first hundred rows of each KMMLU subject must not pass for KMMLU-HARD.
    """
    hard = scope_of(HARD)
    if scope != scope_of(KMMLU):
        return scope, []
    if is_complete(hard, "test", counts):
        return hard, ["taken for KMMLU-HARD: the number of rows of every subject is that of KMMLU-HARD"]
    enough = all(counts.get(subject, 0) >= subject.hard for subject in hard.subjects)
    if enough and sum(counts.values()) <= (1 + FEW) * hard.size:
        return hard, ["taken for KMMLU-HARD: every subject has the rows of KMMLU-HARD, and few are beyond them"]
    return scope, []


def _read_out(row: Prediction, question: Question | None) -> str | None:
    return extract_with_options(row.response or "", question.options if question else ()).letter


def _score(
    rows: Sequence[Prediction], logged: Letters, anew: Letters | None, scope: Scope, read: Predictions, notes: list[str]
) -> ExternalScore:
    right = _right(rows, logged)
    counts = Counter(row.subject for row in rows)
    categories = {category: macro(groups) for category, groups in by_category(right).items()}
    score = ExternalScore(
        title=title(scope, "test", counts, 0),
        release=scope.release,
        complete=is_complete(scope, "test", counts),
        rows=len(rows),
        micro=micro(right),
        macro=macro(right),
        mean_of_categories=mean_of(categories),
        categories=categories,
        subjects={subject: proportion(values) for subject, values in right.items()},
        no_answer=proportion([float(letter is None) for letter in logged]),
        unanswered=sum(letter is None for letter in logged),
        missing=_missing(scope, counts),
        surplus={s.name_in(scope.release): number for s, number in surplus(scope, "test", counts).items()},
        duplicates=read.duplicates,
        repeated=read.repeated,
        reextracted=None if anew is None else _reextraction(rows, logged, anew),
    )
    told = (*_coverage(score, scope.size), *_repetitions(read), *_unanswered(score))
    return replace(score, warnings=(*notes, *told))


def _missing(scope: Scope, counts: Mapping[Subject, int]) -> dict[str, int]:
    sizes = expected(scope, "test") or {}
    return {s.name_in(scope.release): size - counts.get(s, 0) for s, size in sizes.items() if counts.get(s, 0) < size}


def _right(rows: Sequence[Prediction], letters: Letters) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for row, letter in zip(rows, letters, strict=True):
        groups.setdefault(row.subject.config, []).append(float(letter == row.gold))
    return dict(sorted(groups.items()))


def _reextraction(rows: Sequence[Prediction], logged: Letters, anew: Letters) -> Reextraction:
    right = _right(rows, anew)
    return Reextraction(
        EXTRACTION_VERSION,
        micro(right),
        macro(right),
        proportion([float(letter is None) for letter in anew]),
        proportion([float(a != b) for a, b in zip(logged, anew, strict=True)]),
    )


def _coverage(score: ExternalScore, size: int) -> Iterator[str]:
    over = sum(score.surplus.values())
    if score.missing:
        short = ", ".join(f"{subject} {number:,}" for subject, number in score.missing.items())
        yield f"incomplete: {score.rows - over:,} of {size:,} rows; missing: {short}"
    if over:
        names = ", ".join(f"{subject} {number:,}" for subject, number in score.surplus.items())
        yield f"{over:,} rows more than published, which count all the same: {names}"


def _repetitions(read: Predictions) -> Iterator[str]:
    if read.duplicates:
        shown = ", ".join(read.duplicates[:5]) + (", ..." if len(read.duplicates) > 5 else "")
        yield f"{len(read.duplicates)} ids have several rows; the last with an answer counts: {shown}"
    if read.repeated:
        doubt = "" if read.tells_apart else "; without an id they may be like replies to different questions"
        yield f"{read.repeated:,} rows equal an earlier row in every field{doubt}"
    if read.gold_conflicts:
        yield f"{read.gold_conflicts:,} rows give another right answer than the data; the data decide"
    if not read.has_logged:
        yield "there is no column `pred`: the answers were read out of the replies (`response`)"


def _unanswered(score: ExternalScore) -> Iterator[str]:
    again = score.reextracted
    rates = {" as logged" if again else "": score.no_answer.value}
    if again:
        rates[" read out anew"] = again.no_answer.value
    for how, rate in rates.items():
        if rate > WARN_ABOVE:
            yield f"{100 * rate:.2f} % of rows have no answer{how} and count as wrong"
