"""How often each negation type and each clause type occurs, by cluster: what a study finds and alignment compares.

Sentences of one file or document resemble one another, so an interval resamples clusters, never sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["types", "clauses"]
"""The two classifications, by the words of negation.kinds."""


@dataclass(frozen=True, slots=True)
class ClusterCounts:
    """What was counted in one cluster: `sentences` looked at, `negative` ones, and occurrences by label."""

    name: str
    sentences: int
    negative: int
    types: Mapping[str, int] = field(default_factory=dict)
    clauses: Mapping[str, int] = field(default_factory=dict)

    def counts(self, kind: Kind) -> Mapping[str, int]:
        """Occurrences by label of one classification."""
        return self.types if kind == "types" else self.clauses


@dataclass(frozen=True, slots=True)
class Distribution:
    """The counts of a corpus or of a benchmark. `convention` says in words what was counted and how."""

    name: str
    convention: str
    clusters: tuple[ClusterCounts, ...]

    def totals(self, kind: Kind) -> dict[str, int]:
        """Occurrences by label over all clusters, labels that occur nowhere left out."""
        total: dict[str, int] = {}
        for cluster in self.clusters:
            for label, count in cluster.counts(kind).items():
                if count:
                    total[label] = total.get(label, 0) + count
        return total
