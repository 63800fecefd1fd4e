"""A look at KLUE's files: counts against the published ones, oddities by identifier, side files, hashes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Card
from jatdae.benchmarks.inspection import Fact, FileFact, Finding, Inspection
from jatdae.benchmarks.klue.labels import RELATIONS, SLOTS, TASKS, sorted_slots
from jatdae.benchmarks.klue.reading import findings, locate, read_ontology, read_task, values_outside
from jatdae.benchmarks.klue.reading.counts import counts
from jatdae.benchmarks.klue.reading.files import BENCHMARK, beside, is_sample
from jatdae.benchmarks.klue.reading.rows import Row, read_json
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError

CARD = Card(
    "KLUE",
    licence="CC BY-SA 4.0",
    origin="github.com/KLUE-benchmark/KLUE",
    revision="v1.1",
    citation="Park et al. 2021, arXiv:2105.09680",
)
SIZES = {
    "ynat": {"train": 45_678, "dev": 9_107},
    "sts": {"train": 11_668, "dev": 519},
    "nli": {"train": 24_998, "dev": 3_000},
    "ner": {"train": 21_008, "dev": 5_000},
    "re": {"train": 32_470, "dev": 7_765},
    "dp": {"train": 10_000, "dev": 2_000},
    "mrc": {"train": 17_554, "dev": 5_841},
    "wos": {"train": 8_000, "dev": 1_000},
}
"""Items of the published release; questions for mrc, dialogues for wos."""
SPLITS = ("train", "dev", "test")
PART = "the file holds a part of the published split, so its scores cannot be compared with published ones"


def inspect(source: Source) -> Inspection:
    """Read every split of every task that is there. A faulty file is a problem; the others are still read.

    Facts are named `<task> <split>: <what>`, findings `<task>: <name>`. Raises RequestError when there is no file.
    """
    files: list[FileFact] = []
    facts: dict[str, Fact] = {}
    found: dict[str, Finding] = {}
    problems: list[str] = []
    for task, split, path in _present(source):
        try:
            records = read_task(task, path)
            problems += _side_problems(task, path)
            odd = [*findings(task, records), *_side_findings(task, path, records)]
        except DataError as error:
            problems.append(str(error))
            continue
        files.append(FileFact.of(path, len(records)))
        facts |= {f"{task} {split}: {name}": value for name, value in counts(task, records).items()}
        if source.folder is not None:
            odd += _part(task, split, path, len(records))
            problems += _other_size(task, split, path, len(records))
        for finding in odd:
            found[finding.name] = _joined(found.get(finding.name), finding)
    if not files and not problems:
        locate(source, TASKS[0], "dev")
    return Inspection(BENCHMARK, tuple(files), facts, tuple(found.values()), tuple(problems))


def _present(source: Source) -> Iterator[tuple[str, str, Path]]:
    for task in TASKS:
        for split in SPLITS:
            try:
                yield task, split, locate(source, task, split)
            except RequestError:
                continue


def _joined(first: Finding | None, second: Finding) -> Finding:
    if first is None:
        return second
    return Finding(first.name, first.count + second.count, (*first.ids, *second.ids), first.meaning)


def _part(task: str, split: str, path: Path, items: int) -> list[Finding]:
    published = SIZES[task].get(split)
    if not is_sample(path):
        return []
    told = f"{path.name}: {items:,}" + (f" of {published:,}" if published else "")
    return [Finding(f"{task}: part-of-split", 1, (told,), PART)]


def _other_size(task: str, split: str, path: Path, items: int) -> list[str]:
    published = SIZES[task].get(split)
    if is_sample(path) or published in (None, items):
        return []
    return [f"{path}: {items:,} items, published are {published:,}"]


def _side_problems(task: str, path: Path) -> list[str]:
    """What the release's own lists of labels say against ours."""
    relations, ontology = beside(path, "relation_list.json"), beside(path, "ontology.json")
    if task == "re" and relations is not None:
        listed = Row.of(read_json(relations), relations, 1).texts("relations")
        if listed != RELATIONS:
            return [f"{relations}: the relations or their order are not the published ones"]
    if task == "wos" and ontology is not None and sorted_slots(read_ontology(ontology)) != SLOTS:
        return [f"{ontology}: the slots are not the published {len(SLOTS)}"]
    return []


def _side_findings(task: str, path: Path, records: list[Any]) -> list[Finding]:
    ontology = beside(path, "ontology.json") if task == "wos" else None
    return [] if ontology is None else [values_outside(records, read_ontology(ontology))]
