"""The negations of a benchmark's items: by the gold labels of the file, or found by the detector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.konubench.data import LOCAL_TYPES, STANDARD_TYPES, Record
from jatdae.errors import RequestError, did_you_mean
from jatdae.korean.negation.kinds import ClauseType, Negation, NegationType
from jatdae.runtime import Progress

_TYPES = tuple(kind.value for kind in NegationType)
_CLAUSES = tuple(clause.value for clause in ClauseType if clause not in (ClauseType.MAIN, ClauseType.CONFIRMATION))


@dataclass(frozen=True, slots=True)
class ItemLabels:
    """What an item negates: types in the standard negation (one a main clause), in the local one, and its clause.

    `clause` is None where there is no local negation. `cluster` is what items of one source passage share.
    """

    idx: str
    cluster: str
    standard: tuple[str, ...]
    local: tuple[str, ...]
    clause: str | None


def gold_labels(records: Sequence[Record]) -> list[ItemLabels]:
    """The labels that the file has. Raises RequestError for an unknown label, and where no item has any."""
    found = [
        ItemLabels(
            record.idx,
            record.cluster,
            _labels(record, STANDARD_TYPES, _TYPES),
            _labels(record, LOCAL_TYPES, _TYPES),
            next(iter(_labels(record, ("local_negation_type",), _CLAUSES)), None),
        )
        for record in records
    ]
    if not any(item.standard or item.local or item.clause for item in found):
        raise RequestError("none of the items has a label of negation type or clause; take --labels detector")
    return found


def _labels(record: Record, fields: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    labels = []
    for field in fields:
        label = record.text(field)
        if label and label not in known:
            raise RequestError(
                f"item {record.idx}, field {field!r}: {label!r} is no label; {did_you_mean(label, known)}"
            )
        if label:
            labels.append(label)
    return tuple(labels)


def detected_labels(records: Sequence[Record], progress: Progress | None = None) -> list[ItemLabels]:
    """Labels by the detector: what a negated sentence has beyond its original, type by type, and the local clause."""
    from jatdae.korean.negation import detect_all

    texts = (
        record.text(field)
        for record in records
        for field in ("original_sentence", "standard_negation", "local_negation")
    )
    found, progress = detect_all(texts), progress or Progress(quiet=True)
    progress.start("items", len(records))
    items = []
    for done, record in enumerate(records, 1):
        items.append(_detected(record, *(_denials(next(found)) for _ in range(3))))
        progress.advance(done)
    progress.finish()
    return items


def _detected(record: Record, original: Counter[str], standard: Counter[str], local: Counter[str]) -> ItemLabels:
    return ItemLabels(
        record.idx, record.cluster, _added(standard, original), _added(local, original), _local_clause(record)
    )


def _denials(negations: Sequence[Negation]) -> Counter[str]:
    return Counter(negation.type.value for negation in negations if not negation.confirmation)


def _added(negated: Counter[str], original: Counter[str]) -> tuple[str, ...]:
    return tuple(_repeated(negated - original))


def _repeated(counts: Counter[str]) -> Iterator[str]:
    for label in _TYPES:
        yield from [label] * counts[label]


def _local_clause(record: Record) -> str | None:
    """The clause that the local negation denies; a main clause is one of several, as the benchmark has it."""
    from jatdae.korean.clauses import local_clause

    local = record.text("local_negation")
    clause = local_clause(record.text("original_sentence"), local) if local else None
    if clause is ClauseType.MAIN:
        return ClauseType.COORDINATE.value
    return clause.value if clause else None
