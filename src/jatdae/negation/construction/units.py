"""Units: two sentences of a passage that follow one another, from which one item is built; and sentences by hand.

A passage gives one unit at most, its first that fits, so that no two items share a passage (`raw_id` is unique).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path

from jatdae.benchmarks.konubench.options import is_swapped
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError
from jatdae.judging.fence import cleaned
from jatdae.negation.construction.config import UnitConfig
from jatdae.negation.construction.events import MACHINE
from jatdae.negation.construction.item import ORIGINAL, Item
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.repetition import squeezed
from jatdae.negation.construction.states import State
from jatdae.negation.corpus.passages import Passage, find_places, read_passages
from jatdae.negation.corpus.splitting import split
from jatdae.runtime import Progress

ACTOR = f"{MACHINE}units"
_BATCH = 200
"""Passages that are split, and units that are logged, at once."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Two sentences and where they stand."""

    first: str
    second: str
    file: str
    line: int


@dataclass(slots=True)
class UnitCounts:
    """What became of the passages: units made, and why others gave none."""

    passages: int = 0
    made: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def make_units(project: Project, progress: Progress) -> UnitCounts:
    """Read the sources and add an item for each unit that the project does not have yet. Raises RequestError."""
    if not project.config.sources:
        raise RequestError("project.yaml names no sources; set sources: [FOLDER-OR-FILE]")
    paths = [str(project.folder / source) for source in project.config.sources]
    passages = read_passages(find_places(paths, offline=True), project.config.units.field)
    counts = UnitCounts()
    progress.stage("splitting passages into sentences")
    while batch := list(islice(passages, _BATCH)):
        counts.passages += len(batch)
        _add(project, list(_units(batch, project.config.units, counts)), counts)
        progress.stage(f"{counts.passages:,} passages read, {counts.made:,} units made")
    return counts


def _units(passages: Sequence[Passage], config: UnitConfig, counts: UnitCounts) -> Iterator[Unit]:
    texts = [cleaned(passage.text) for passage in passages]
    for passage, sentences in zip(passages, split("kiwi", texts), strict=True):
        pairs = [Unit(first, second, passage.file, passage.number) for first, second in pairwise(sentences)]
        fitting = (unit for unit in pairs if config.min_chars <= len(_text(unit)) <= config.max_chars)
        unit = next(fitting, None)
        if unit is not None:
            yield unit
        else:
            counts.left_out["length" if pairs else "fewer than two sentences"] += 1


def _add(project: Project, units: Sequence[Unit], counts: UnitCounts) -> None:
    with project.journal.writing(ACTOR, project.time) as draft:
        known = {squeezed(_source(item)) for item in draft.items.values()}
        number = next_number(draft.items, constructed=False)
        for unit in units:
            if squeezed(_text(unit)) in known:
                counts.left_out["already a unit"] += 1
                continue
            known.add(squeezed(_text(unit)))
            draft.change(str(number), _values(unit, number), State.DRAFTED)
            number = next_number([str(number)], constructed=False)
            counts.made += 1


def _values(unit: Unit, number: int) -> dict[str, str]:
    return {
        "raw_id": str(number + 1),
        "first_sentence": unit.first,
        "second_sentence": unit.second,
        "source_file": unit.file,
        "source_line": str(unit.line),
    }


def add_sentences(project: Project, path: Path, person: str) -> list[str]:
    """Items from sentences that an author wrote, one a line; returns their ids (G and a number).

    They stand for what the corpus lacks, imperatives above all. Raises DataError for a sentence that is there already.
    """
    lines = [(number, cleaned(text).strip()) for number, text in enumerate(read_text(path).split("\n"), 1)]
    written = [(number, text) for number, text in lines if text]
    if not written:
        raise DataError("there is no sentence in it", path=path, mend="write one a line")
    made: list[str] = []
    with project.journal.writing(person, project.time) as draft:
        known = {squeezed(item[ORIGINAL]): item.idx for item in draft.items.values() if item[ORIGINAL]}
        for line, text in written:
            if squeezed(text) in known:
                raise DataError(f"the sentence is that of item {known[squeezed(text)]}", path=path, line=line)
            idx = f"G{next_number(draft.items, constructed=True)}"
            known[squeezed(text)] = idx
            draft.change(idx, {ORIGINAL: text}, State.CORRECTED)
            made.append(idx)
    return made


def next_number(taken: Iterable[str], *, constructed: bool) -> int:
    """The number after the highest: of the constructed ids, which begin at G1, or of the others, which begin at 0.

    The ids at which the published files hold two fields exchanged are passed over: readers put these right by the id.
    """
    numbers = [int(idx.removeprefix("G")) for idx in taken if idx.startswith("G") is constructed]
    number = max(numbers, default=0 if constructed else -1) + 1
    while not constructed and is_swapped(str(number)):
        number += 1
    return number


def _text(unit: Unit) -> str:
    return f"{unit.first} {unit.second}"


def _source(item: Item) -> str:
    return f"{item['first_sentence']} {item['second_sentence']}" if item["first_sentence"] else ""
