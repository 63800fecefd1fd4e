"""The accuracy of the negation tools as Markdown tables, and their disagreements with the labels as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.benchmarks.konubench.data import Record
from jatdae.negation.testbed.clauses import ClauseScores, clause_cases, confusion_table, score_clauses
from jatdae.negation.testbed.main_clauses import MainClauseScores, score_main_clauses
from jatdae.negation.testbed.negating import (
    LocalScores,
    NegatingCase,
    NegatingScores,
    Share,
    disagreements,
    local_scores,
    negating_cases,
    negating_scores,
)
from jatdae.negation.testbed.types import (
    ALL_TYPES,
    LOCAL,
    STANDARD,
    TypeScores,
    by_morphemes,
    by_surface,
    score_types,
    type_cases,
)
from jatdae.reports.munbench.escaping import markdown_text
from jatdae.types import Estimate

METHODS = {"morphemes": by_morphemes, "surface rules": by_surface}
DEFINITIONS = ("presence", "differential", "added")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """All that is measured on one split. `types` has the scores by (sentence, method, definition)."""

    split: str
    items: int
    types: Mapping[tuple[str, str, str], TypeScores]
    seven: Mapping[str, TypeScores]
    clauses: ClauseScores
    main_clauses: MainClauseScores
    negating: Sequence[NegatingScores]
    local: Sequence[LocalScores]
    negated: Sequence[NegatingCase]


def measure_accuracy(split: str, records: Sequence[Record]) -> Accuracy:
    """Detector, clause classifier and negator against the labels. Raises ValueError on no records."""
    types: dict[tuple[str, str, str], TypeScores] = {}
    seven: dict[str, TypeScores] = {}
    for sentence in (STANDARD, LOCAL):
        for method, finder in METHODS.items():
            cases = type_cases(records, finder, sentence)
            types |= {(sentence, method, one): score_types(cases, one) for one in DEFINITIONS}
            if finder is by_morphemes:
                seven[sentence] = score_types(cases, "differential", ALL_TYPES)
    negated = negating_cases(records)
    return Accuracy(
        split,
        len(records),
        types,
        seven,
        score_clauses(clause_cases(records)),
        score_main_clauses(records),
        negating_scores(negated),
        local_scores(records),
        negated,
    )


def accuracy_markdown(accuracy: Accuracy) -> str:
    """The tables, figures in percent; intervals at 95 %."""
    parts = [
        f"# Negation tools on the {accuracy.split} split of KoNUBench ({accuracy.items:,} items)",
        "## Negation types",
        "`differential` counts max(0, found in the negated sentence - found in the original); `added` takes that "
        "difference by type and predicate.",
    ]
    for (sentence, method, definition), scores in accuracy.types.items():
        parts += [f"### {sentence}, {method}, {definition}", _types(scores)]
    for sentence, scores in accuracy.seven.items():
        parts += [f"### {sentence}, morphemes, differential, seven types", _types(scores)]
    parts += ["## Clauses of local negations", _clauses(accuracy.clauses), confusion_table(accuracy.clauses)]
    parts += [
        "## Main clauses",
        _main(accuracy.main_clauses),
        "## Standard negation by rule",
        _negating(accuracy.negating),
    ]
    parts += ["## Local negation among the candidates", _local(accuracy.local)]
    return "\n\n".join(parts) + "\n"


def _types(scores: TypeScores) -> str:
    rows = [
        (one.label, f"{one.gold:,}", f"{one.found:,}", *(_percent(v) for v in (one.precision, one.recall, one.f1)))
        for one in (*scores.types, scores.micro)
    ]
    tail = f"micro F1 {_estimate(scores.micro_f1)}; items without any fault {_estimate(scores.exact)}"
    return f"{_table(('type', 'labels', 'found', 'P', 'R', 'F1'), rows)}\n\n{tail}"


def _clauses(scores: ClauseScores) -> str:
    rows = [(one.label, f"{one.gold:,}", *map(_percent, (one.precision, one.recall, one.f1))) for one in scores.labels]
    figures = (
        ("accuracy", scores.accuracy),
        ("macro F1", scores.macro_f1),
        ("부사절 and 종속절 merged", scores.merged),
    )
    tail = "; ".join(f"{name} {_estimate(value)}" for name, value in figures)
    return f"{_table(('clause', 'labels', 'P', 'R', 'F1'), rows)}\n\n{tail}"


def _main(scores: MainClauseScores) -> str:
    return (
        f"{scores.labelled:,} predicates are denied: P {_percent(scores.precision)}, R {_percent(scores.recall)}; "
        f"the exact set in {_percent(scores.exact / scores.sentences)} of the sentences, the labelled number in "
        f"{_percent(scores.counted / scores.sentences)}."
    )


def _negating(scores: Sequence[NegatingScores]) -> str:
    header = (
        "main clauses",
        "items",
        "exact",
        "up to form",
        "up to (이)나 / 또는 / 혹은",
        "as many clauses",
        "well-formed",
    )
    rows = [(one.group, f"{one.strict.items:,}", *map(_share, _shares(one))) for one in scores]
    return _table(header, rows)


def _shares(scores: NegatingScores) -> tuple[Share, ...]:
    return (
        scores.strict,
        scores.up_to_form,
        scores.up_to_connective,
        scores.same_clauses,
        scores.well_formed,
    )


def _local(scores: Sequence[LocalScores]) -> str:
    rows = [(one.clause, f"{one.found.items:,}", _share(one.found), _share(one.same_type)) for one in scores]
    return _table(("clause", "items", "found", "found under this clause"), rows)


def disagreement_rows(accuracy: Accuracy) -> Iterator[dict[str, Any]]:
    """Every disagreement with the labels: which tool, which item, what is labelled and what is found."""
    for sentence in (STANDARD, LOCAL):
        for case in accuracy.types[sentence, "morphemes", "differential"].disagreements:
            found = {"differential": dict(case.differential), "added": dict(case.added)}
            yield {"tool": f"types, {sentence}", "idx": case.idx, "gold": dict(case.gold), "found": found}
    for clause in accuracy.clauses.disagreements:
        row = {"gold": clause.gold, "found": clause.predicted, "ending": clause.ending}
        yield {"tool": "clauses", "idx": clause.idx, **row}
    for negated in disagreements(accuracy.negated):
        found = {"found": negated.text, "faults": list(negated.faults)}
        yield {"tool": "negator", "idx": negated.idx, "gold": negated.gold, **found}


def accuracy_record(accuracy: Accuracy) -> dict[str, Any]:
    """The figures as a document for other programs, without the items."""
    return {
        "split": accuracy.split,
        "items": accuracy.items,
        "types": [
            {"sentence": sentence, "method": method, "definition": definition, "scores": scores.types}
            | {"micro": scores.micro, "micro_f1": scores.micro_f1, "exact": scores.exact}
            for (sentence, method, definition), scores in accuracy.types.items()
        ],
        "clauses": {
            "accuracy": accuracy.clauses.accuracy,
            "macro_f1": accuracy.clauses.macro_f1,
            "merged": accuracy.clauses.merged,
            "labels": accuracy.clauses.labels,
        },
        "main_clauses": accuracy.main_clauses,
        "negator": accuracy.negating,
        "local": accuracy.local,
    }


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _estimate(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return f"{100 * value.value:.2f} [n/a]"
    return f"{100 * value.value:.2f} [{100 * value.low:.2f}, {100 * value.high:.2f}]"


def _share(share: Share) -> str:
    return f"{100 * share.value:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *((markdown_text(label), *figures) for label, *figures in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
