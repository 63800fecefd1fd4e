"""How well the clause of a local negation is told, against the labels of the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.konubench.data import Record
from jatdae.korean.clauses import clause_of_change
from jatdae.korean.clauses.change import changes
from jatdae.korean.clauses.closing import Closure
from jatdae.korean.clauses.features import ending_name
from jatdae.korean.clauses.holding import dependent_place
from jatdae.korean.negation.analysis import Analysis, analyse_all
from jatdae.korean.negation.kinds import ClauseType
from jatdae.stats.bootstrap import cluster_bootstrap, seed_from
from jatdae.types import Estimate

LABELS = (
    ClauseType.ADNOMINAL.value,
    ClauseType.COORDINATE.value,
    ClauseType.ADVERBIAL.value,
    ClauseType.SUBORDINATE.value,
    ClauseType.NOMINAL.value,
    ClauseType.QUOTATIVE.value,
)
"""The six types that the labels know, the most frequent first."""

UNTOLD = ""
"""What stands for a type where the local negation does not differ from the original."""

DRAWS = 2_000
MERGED = (ClauseType.ADVERBIAL.value, ClauseType.SUBORDINATE.value)
"""The types that the spec's third score does not tell apart: annotators often did not agree on them."""


@dataclass(frozen=True, slots=True)
class ClauseCase:
    """One local negation: what the label says, and what the classifier says (`UNTOLD` where it says nothing).

    `ending` names what closes the clause (어, 며, ADNOMINAL ...; FINAL where it ends the sentence), so that
    disagreements can be counted by kind.
    """

    idx: str
    cluster: str
    gold: str
    predicted: str
    ending: str = ""


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One type: how many there are, precision, recall and F1 (0 where undefined)."""

    label: str
    gold: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ClauseScores:
    """All scores of the clause classifier; `merged` is the accuracy that takes 부사절 and 종속절 for one type."""

    accuracy: Estimate
    macro_f1: Estimate
    merged: Estimate
    labels: tuple[LabelScore, ...]
    confusion: dict[tuple[str, str], int]
    disagreements: tuple[ClauseCase, ...]


def local_pairs(records: Iterable[Record]) -> Iterator[tuple[Record, Analysis, Analysis]]:
    """Each record whose local negation has a type label, with the analyses of its original and local negation."""
    listed = [record for record in records if record["local_negation"] and record["local_negation_type"]]
    texts = (record.text(field) for record in listed for field in ("original_sentence", "local_negation"))
    analyses = analyse_all(texts)
    for record in listed:
        yield record, next(analyses), next(analyses)


def clause_cases(records: Iterable[Record]) -> list[ClauseCase]:
    """The label and the classifier's answer for each record that has a label."""
    return [_case(record, original, local) for record, original, local in local_pairs(records)]


def score_clauses(cases: Sequence[ClauseCase], draws: int = DRAWS) -> ClauseScores:
    """Scores with 95 % intervals by bootstrap of source passages. Raises ValueError on no cases."""
    clusters = [case.cluster for case in cases]
    seed = seed_from("clause classifier")
    right = [float(case.gold == case.predicted) for case in cases]
    merged = [float(_merged(case.gold) == _merged(case.predicted)) for case in cases]
    codes = np.array([[_code(case.gold), _code(case.predicted)] for case in cases])
    return ClauseScores(
        accuracy=cluster_bootstrap(right, clusters, draws=draws, seed=seed),
        macro_f1=cluster_bootstrap(codes, clusters, _macro_f1, draws=draws, seed=seed),
        merged=cluster_bootstrap(merged, clusters, draws=draws, seed=seed),
        labels=_label_scores(codes),
        confusion=dict(Counter((case.gold, case.predicted) for case in cases)),
        disagreements=tuple(case for case in cases if case.gold != case.predicted),
    )


def confusion_table(scores: ClauseScores) -> str:
    """The confusions as a Markdown table: a row for each label, a column for each answer."""
    columns = [*LABELS, UNTOLD] if any(answer == UNTOLD for _, answer in scores.confusion) else [*LABELS]
    head = ["label \\ answer", *(column or "none" for column in columns)]
    rows = [[label, *(str(scores.confusion.get((label, column), 0)) for column in columns)] for label in LABELS]
    lines = [head, ["---", *("---:" for _ in columns)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def disagreement_kinds(scores: ClauseScores) -> list[tuple[str, str, str, int]]:
    """How often each kind of disagreement occurs: ending, label, answer, count; the most frequent first."""
    kinds = Counter((case.ending, case.gold, case.predicted) for case in scores.disagreements)
    return sorted(((*kind, count) for kind, count in kinds.items()), key=lambda row: (-row[3], row))


def _case(record: Record, original: Analysis, local: Analysis) -> ClauseCase:
    clause = clause_of_change(original, local)
    answer = UNTOLD if clause is None else clause.value
    place = dependent_place(changes(original, local))
    ending = Closure.FINAL.name if place is None else ending_name(place[0].morphemes, place[0].predications[place[1]])
    return ClauseCase(record.idx, record.cluster, record.text("local_negation_type"), answer, ending)


def _merged(label: str) -> str:
    return MERGED[0] if label in MERGED else label


def _code(label: str) -> int:
    return LABELS.index(label) if label in LABELS else len(LABELS)


def _counts(codes: NDArray[np.int_]) -> tuple[NDArray[np.int_], NDArray[np.int_], NDArray[np.int_]]:
    """By label: cases with the label, cases with the answer, cases with both."""
    size = len(LABELS) + 1
    gold, predicted = codes.T
    labelled, answered, both = (
        np.bincount(part, minlength=size)[:-1] for part in (gold, predicted, gold[gold == predicted])
    )
    return labelled, answered, both


def _macro_f1(codes: NDArray[np.int_]) -> float:
    """The mean F1 of the labels that occur as label or answer."""
    gold, predicted, both = _counts(codes)
    present = gold + predicted > 0
    return float(np.mean(2 * both[present] / (gold + predicted)[present]))


def _label_scores(codes: NDArray[np.int_]) -> tuple[LabelScore, ...]:
    rows = zip(LABELS, *(counts.tolist() for counts in _counts(codes)), strict=True)
    return tuple(
        LabelScore(
            label,
            gold,
            both / predicted if predicted else 0.0,
            both / gold if gold else 0.0,
            2 * both / (gold + predicted) if gold + predicted else 0.0,
        )
        for label, gold, predicted, both in rows
    )
