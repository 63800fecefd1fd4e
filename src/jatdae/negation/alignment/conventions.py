"""What is counted where: the classes that a corpus and a benchmark share, and the five ways to count a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from jatdae.korean.negation.kinds import SYNTACTIC, ClauseType
from jatdae.negation.alignment.labels import ItemLabels
from jatdae.negation.distribution import ClusterCounts, Distribution, Kind

MAIN, COORDINATE = ClauseType.MAIN.value, ClauseType.COORDINATE.value
CLASSES: Mapping[Kind, tuple[str, ...]] = {
    "types": tuple(kind.value for kind in SYNTACTIC),
    "clauses": (
        MAIN,
        ClauseType.ADNOMINAL.value,
        ClauseType.ADVERBIAL.value,
        ClauseType.SUBORDINATE.value,
        ClauseType.NOMINAL.value,
        ClauseType.QUOTATIVE.value,
    ),
}
"""The classes that are compared: five syntactic types, six clauses. Lexical negation and confirmation forms are not."""


@dataclass(frozen=True, slots=True)
class Convention:
    """One way to count the labels of an item: `name` as the published table has it, `words` for people."""

    kind: Kind
    name: str
    words: str
    labels: Callable[[ItemLabels], Iterable[str]]

    def counted(self, item: ItemLabels) -> list[str]:
        """The item's labels that count, each as often as it counts."""
        return [label for label in map(comparable, self.labels(item)) if label in CLASSES[self.kind]]


def comparable(label: str) -> str:
    """A label as the corpus study has it: a coordinate main clause is a main clause."""
    return MAIN if label == COORDINATE else label


def _standard(item: ItemLabels) -> Iterable[str]:
    return item.standard


def _standard_and_local(item: ItemLabels) -> Iterable[str]:
    return (*item.standard, *item.local)


def _main_clauses(item: ItemLabels) -> list[str]:
    """A main clause for every label of the standard negation, lexical ones and the copula's included."""
    return [MAIN] * len(item.standard)


def _main_and_dependent(item: ItemLabels) -> Iterable[str]:
    return [*_main_clauses(item), *(clause for clause in _local(item) if clause != COORDINATE)]


def _main_and_local(item: ItemLabels) -> Iterable[str]:
    return [*_main_clauses(item), *_local(item)]


def _local(item: ItemLabels) -> list[str]:
    return [item.clause] if item.clause else []


CONVENTIONS: Mapping[str, Convention] = {
    convention.name: convention
    for convention in (
        Convention("types", "SN", "negations in the standard negation", _standard),
        Convention("types", "SN+LN", "negations in the standard and in the local negation", _standard_and_local),
        Convention(
            "clauses",
            "a",
            "main clauses of the standard negation, and local negations in dependent clauses",
            _main_and_dependent,
        ),
        Convention(
            "clauses", "b", "as (a), and local negations in one of several main clauses as 주절", _main_and_local
        ),
        Convention("clauses", "c", "local negations alone, one of several main clauses as 주절", _local),
    )
}
"""By name, in the order of the published tables."""


def count_items(items: Iterable[ItemLabels], *conventions: Convention) -> Distribution:
    """A benchmark's distribution by one convention for each classification; the other stays empty.

    Items of one source passage are one cluster, in the order of the file.
    """
    groups: dict[str, list[ItemLabels]] = {}
    for item in items:
        groups.setdefault(item.cluster, []).append(item)
    ways: dict[Kind, Convention] = {convention.kind: convention for convention in conventions}
    clusters = tuple(_cluster(cluster, group, ways) for cluster, group in groups.items())
    words = "; ".join(f"{one.kind} ({one.name}): {one.words}" for one in conventions)
    return Distribution(f"benchmark by {' and '.join(one.name for one in conventions)}", words, clusters)


def _cluster(name: str, items: Sequence[ItemLabels], ways: Mapping[Kind, Convention]) -> ClusterCounts:
    negative = sum(bool(item.standard or item.local) for item in items)
    return ClusterCounts(
        name, len(items), negative, _tally(items, ways.get("types")), _tally(items, ways.get("clauses"))
    )


def _tally(items: Iterable[ItemLabels], convention: Convention | None) -> dict[str, int]:
    return dict(Counter(label for item in items for label in convention.counted(item))) if convention else {}
