"""How well negation types are found, against the labels of the benchmark.

`presence`: a type is labelled in any main clause, and it is found in the standard negation. `differential`: the number
of labels against max(0, found in the negated sentence - found in the original), so that what the original denies
already does not count. Where the authors took one negation away and added another one of its type, that number is too
small by definition; `added` takes the difference by type and predicate (진출하지 못했다 is not 획득하지 못했다).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.benchmarks.konubench.data import LOCAL_TYPES, STANDARD_TYPES, Record
from jatdae.korean.negation import detect_all
from jatdae.korean.negation.kinds import SYNTACTIC, Negation, NegationType
from jatdae.korean.negation.surface import SURFACE_MARKERS
from jatdae.stats import cluster_bootstrap, proportion, seed_from
from jatdae.types import Estimate

ALL_TYPES = tuple(NegationType)
DRAWS = 2_000
Found = Counter[tuple[str, str]]
"""How often each (type, predicate) is found in a sentence; the predicate is "" by a method that finds none."""
Finder = Callable[[Iterable[str]], Iterator[Found]]
Sentence = str
STANDARD, LOCAL = "standard_negation", "local_negation"
_LABELS = {STANDARD: STANDARD_TYPES, LOCAL: LOCAL_TYPES}


def by_morphemes(sentences: Iterable[str]) -> Iterator[Found]:
    """What the detector finds; confirmation forms deny nothing and are left out."""
    for negations in detect_all(sentences):
        yield Counter(_key(negation) for negation in negations if not negation.confirmation)


def _key(negation: Negation) -> tuple[str, str]:
    return negation.type.value, negation.predicate


def by_surface(sentences: Iterable[str]) -> Iterator[Found]:
    """How often the published strings occur."""
    for sentence in sentences:
        counts = {
            (kind, ""): sum(sentence.count(string) for string in strings) for kind, strings in SURFACE_MARKERS.items()
        }
        yield Counter({key: count for key, count in counts.items() if count})


@dataclass(frozen=True, slots=True)
class TypeCase:
    """One item and sentence: labels by type, and what is found by the three definitions."""

    idx: str
    cluster: str
    sentence: str
    gold: Mapping[str, int]
    present: Mapping[str, int]
    differential: Mapping[str, int]
    added: Mapping[str, int]


def type_cases(records: Iterable[Record], finder: Finder, sentence: Sentence = STANDARD) -> list[TypeCase]:
    """The cases of all records that have the sentence."""
    listed = [record for record in records if record[sentence]]
    texts = (record.text(name) for record in listed for name in ("original_sentence", sentence))
    found = finder(texts)
    return [_case(record, sentence, next(found), next(found)) for record in listed]


def _case(record: Record, sentence: Sentence, original: Found, negated: Found) -> TypeCase:
    gold = Counter(label for label in (record[name] for name in _LABELS[sentence]) if label)
    before, after = _by_type(original), _by_type(negated)
    return TypeCase(
        record.idx, record.cluster, record.text(sentence), gold, after, after - before, _by_type(negated - original)
    )


def _by_type(found: Found) -> Counter[str]:
    total: Counter[str] = Counter()
    for (kind, _), count in found.items():
        total[kind] += count
    return total


@dataclass(frozen=True, slots=True)
class TypeScore:
    """Labels, findings and their overlap for one type or for several together (`micro`)."""

    label: str
    gold: int
    found: int
    both: int

    @property
    def precision(self) -> float:
        """Share of the findings that are labelled; 0 where nothing is found."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the labels that are found; 0 where there is none."""
        return self.both / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """2 both / (gold + found); 0 where there is neither."""
        return 2 * self.both / (self.gold + self.found) if self.gold + self.found else 0.0


@dataclass(frozen=True, slots=True)
class TypeScores:
    """Scores by type, their micro-average with its interval for F1, the share of items without any fault, and those
    with one.
    """

    types: tuple[TypeScore, ...]
    micro: TypeScore
    micro_f1: Estimate
    exact: Estimate
    disagreements: tuple[TypeCase, ...] = field(repr=False)


def score_types(cases: Sequence[TypeCase], definition: str, types: Sequence[NegationType] = SYNTACTIC) -> TypeScores:
    """Score by `presence`, `differential` or `added` over some types; clusters are source passages.

    Raises ValueError on no cases.
    """
    names = [kind.value for kind in types]
    rows = [_counts(case, definition, names) for case in cases]
    scores = tuple(_score(name, [row[at] for row in rows]) for at, name in enumerate(names))
    clusters = [case.cluster for case in cases]
    sums = [tuple(sum(part) for part in zip(*row, strict=True)) for row in rows]
    exact = [float(all(gold == found for gold, found, _ in row)) for row in rows]
    return TypeScores(
        types=scores,
        micro=_score("micro", sums),
        micro_f1=cluster_bootstrap(np.array(sums), clusters, _f1, DRAWS, seed=seed_from("negation types", definition)),
        exact=proportion(exact, clusters),
        disagreements=tuple(case for case, whole in zip(cases, exact, strict=True) if not whole),
    )


def _counts(case: TypeCase, definition: str, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """Gold, found and both for each type of an item."""
    if definition == "presence":
        pairs = [(int(case.gold.get(name, 0) > 0), int(case.present.get(name, 0) > 0)) for name in names]
    else:
        found = case.differential if definition == "differential" else case.added
        pairs = [(case.gold.get(name, 0), found.get(name, 0)) for name in names]
    return [(gold, number, min(gold, number)) for gold, number in pairs]


def _score(label: str, rows: Sequence[Sequence[int]]) -> TypeScore:
    gold, found, both = (sum(column) for column in zip(*rows, strict=True))
    return TypeScore(label, gold, found, both)


def _f1(rows: NDArray[Any]) -> float:
    gold, found, both = rows.sum(axis=0)
    return float(2 * both / (gold + found)) if gold + found else float("nan")
