"""A look at all files of the benchmark: every count that identifies the release, and every known irregularity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from jatdae.benchmarks.inspection import Fact, FileFact, Finding, Inspection
from jatdae.benchmarks.konubench.data import (
    BENCHMARK,
    FIELDS,
    LOCAL_TYPES,
    STANDARD_TYPES,
    Record,
    present_splits,
    read_records,
    split_path,
)
from jatdae.benchmarks.konubench.irregularities import SENTENCES, duplicates, irregularities, nearer_paraphrases
from jatdae.benchmarks.konubench.options import NO_LOCAL, build_question, fixed_order, is_swapped
from jatdae.benchmarks.konubench.own_release import changed
from jatdae.benchmarks.konubench.side_studies import side_studies
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError


def inspect(source: Source) -> Inspection:
    """Facts, findings and problems of the split files and the side studies that a source holds.

    A file that cannot be read becomes a problem. Raises RequestError when the source holds no split at all.
    """
    paths = dict(present_splits(source))
    if not paths:
        split_path(source, "test")  # raises, and says what to do
    splits: dict[str, list[Record]] = {}
    problems: list[str] = []
    for split, path in paths.items():
        try:
            splits[split] = read_records(path)
        except JatdaeError as error:
            problems.append(str(error))
    files = [FileFact.of(paths[split], len(records)) for split, records in splits.items()]
    altered = {} if source.folder is None else {paths[split].name: changed(paths[split], split) for split in splits}
    altered = {name: told for name, told in altered.items() if told}
    problems += altered.values()
    facts: dict[str, Fact] = {}
    for split, records in splits.items():
        facts |= {f"{name}, {split}": value for name, value in _counts(records)}
    everything = [record for records in splits.values() for record in records]
    facts |= {f"{name}, all": value for name, value in [*_counts(everything), *_lengths(everything)]}
    findings: list[Finding] = [*irregularities(everything), *duplicates(everything)]
    findings.append(Finding("changed-file", len(altered), tuple(altered), "the file's bytes are not the released ones"))
    for study in side_studies(source):
        files += study.files
        facts |= study.facts
        problems += study.problems
    return Inspection(BENCHMARK, tuple(files), facts, tuple(findings), (*problems, *_faults(splits, findings)))


def _counts(records: Sequence[Record]) -> Iterator[tuple[str, Fact]]:
    """What can be counted in a split: items, options, empty fields, labels, and gold letters."""
    if not records:
        return
    questions = [build_question(record, shuffled=True) for record in records]
    yield "items", len(records)
    yield "items with local negation", sum(record["local_negation"] is not None for record in records)
    yield "items without local negation", sum(record["local_negation"] is None for record in records)
    yield "constructed items", sum(record.constructed for record in records)
    yield "chance", sum(1 / len(question.options) for question in questions) / len(questions)
    for field in FIELDS[1:]:
        empty = _nulls(records, field)
        if empty:
            yield f"null {field}", empty
    for field in (*STANDARD_TYPES, "local_negation_type", *LOCAL_TYPES, "note"):
        for label, count in Counter(record[field] for record in records if record[field]).most_common():
            yield f"{field} = {label}", count
    labelled = Counter(sum(record[field] is not None for field in STANDARD_TYPES) for record in records)
    for clauses, count in sorted(labelled.items()):
        yield f"{clauses} labelled main clauses", count
    for letter, count in sorted(Counter(question.letter for question in questions).items()):
        yield f"gold {letter}", count


def _nulls(records: Sequence[Record], field: str) -> int:
    """How many items have nothing in a field."""
    if field == "raw_id":
        return sum(record.raw_id is None for record in records)
    return sum(record[field] is None for record in records)


def _lengths(records: Sequence[Record]) -> Iterator[tuple[str, Fact]]:
    """Lengths in code points, how often the right answer is the longest or shortest, and the exchanged fields."""
    for field in SENTENCES:
        pairs = [
            (len(record.text(field)), len(record.text("original_sentence"))) for record in records if record[field]
        ]
        if pairs:
            lengths = np.array([length for length, _ in pairs])
            yield f"mean length of {field}", float(lengths.mean())
            yield f"median length of {field}", float(np.median(lengths))
            yield f"shortest {field}", int(lengths.min())
            yield f"longest {field}", int(lengths.max())
            yield f"mean ratio of {field} to the original", float(np.mean([a / b for a, b in pairs]))
    sizes = [[len(text) for _, text in fixed_order(record)] for record in records]
    yield "right answer is the longest", sum(lengths[0] == max(lengths) for lengths in sizes)
    yield "right answer is the shortest", sum(lengths[0] == min(lengths) for lengths in sizes)
    for name, inside in (("in", True), ("outside", False)):
        chosen = [record for record in records if is_swapped(record.idx) is inside]
        if chosen:
            yield f"paraphrase field nearer to the original {name} the exchanged blocks", nearer_paraphrases(chosen)


def _faults(splits: Mapping[str, Sequence[Record]], findings: Sequence[Finding]) -> Iterator[str]:
    """What makes a result wrong: an item in two splits, or unknown labels that an analysis would drop."""
    for finding in findings:
        if finding.name == "id twice" and finding.count:
            yield f"{finding.count} ids are in two splits: {', '.join(finding.ids[:5])}"
    for split, records in splits.items():
        if any(record["local_negation_type"] == NO_LOCAL for record in records):
            yield f"{split}: the clause label {NO_LOCAL!r} is used by Jatdae for items without a local negation"
