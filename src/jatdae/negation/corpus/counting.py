"""From findings to figures: the negation rate, the shares of types and clauses, and what is reported apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jatdae.korean.negation.kinds import SYNTACTIC, ClauseType, Negation, NegationType
from jatdae.negation.corpus.sentences import Finding, study_clause
from jatdae.negation.distribution import ClusterCounts, Kind
from jatdae.stats import cluster_bootstrap, proportion, seed_from
from jatdae.types import Estimate

TYPES = tuple(kind.value for kind in SYNTACTIC)
CLAUSES = tuple(
    clause.value
    for clause in (
        ClauseType.MAIN,
        ClauseType.ADNOMINAL,
        ClauseType.ADVERBIAL,
        ClauseType.SUBORDINATE,
        ClauseType.NOMINAL,
        ClauseType.QUOTATIVE,
    )
)
APART = (NegationType.COPULA.value, NegationType.LEXICAL.value, ClauseType.CONFIRMATION.value)
DRAWS = 2_000
"""Resamples of each bootstrap interval."""


@dataclass(frozen=True, slots=True)
class Share:
    """A class: how often it occurs, in how many sentences, and its share of all occurrences (None without any)."""

    label: str
    occurrences: int
    sentences: int
    share: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """What a study reports. Both rates are the share of negative sentences, without and with regard to clusters."""

    sentences: int
    negative: int
    occurrences: int
    doubled: int
    quoted: int
    duplicates: int
    rate: Estimate | None
    rate_by_cluster: Estimate | None
    types: tuple[Share, ...]
    clauses: tuple[Share, ...]
    apart: tuple[Share, ...]
    clusters: tuple[ClusterCounts, ...]


def figures_of(findings: Sequence[Finding], seed: int, *, with_clauses: bool) -> Figures:
    """All figures of a sample. Without `with_clauses` (the rules know of none) the clauses stay empty."""
    negative = [float(bool(finding.counted)) for finding in findings]
    clusters = [finding.sentence.cluster for finding in findings]
    counted = [negation for finding in findings for negation in finding.counted]
    return Figures(
        sentences=len(findings),
        negative=int(sum(negative)),
        occurrences=len(counted),
        doubled=sum(any(negation.double for negation in finding.counted) for finding in findings),
        quoted=sum(negation.in_quote for negation in counted),
        duplicates=sum(bool(finding.duplicate_of) for finding in findings),
        rate=proportion(negative) if findings else None,
        rate_by_cluster=proportion(negative, clusters) if findings else None,
        types=_shares(findings, "types", TYPES, seed),
        clauses=_shares(findings, "clauses", CLAUSES, seed) if with_clauses else (),
        apart=_apart(findings),
        clusters=_by_cluster(findings, with_clauses=with_clauses),
    )


def label_of(negation: Negation, kind: Kind) -> str:
    """The class of a counted negation in one of the two classifications; "" where its clause is not known."""
    if kind == "types":
        return negation.type.value
    clause = study_clause(negation.clause)
    return clause.value if clause else ""


def _shares(findings: Sequence[Finding], kind: Kind, labels: Sequence[str], seed: int) -> tuple[Share, ...]:
    places = [
        (label_of(negation, kind), finding.sentence.cluster) for finding in findings for negation in finding.counted
    ]
    clusters = [cluster for _, cluster in places]
    return tuple(
        Share(
            label,
            sum(found == label for found, _ in places),
            _sentences(findings, lambda finding, label=label: [label_of(one, kind) for one in finding.counted], label),
            _share([float(found == label) for found, _ in places], clusters, seed_from(kind, label, str(seed))),
        )
        for label in labels
    )


def _share(hits: Sequence[float], clusters: Sequence[str], seed: int) -> Estimate | None:
    return cluster_bootstrap(hits, clusters, draws=DRAWS, seed=seed) if hits else None


def _sentences(findings: Iterable[Finding], labels: Callable[[Finding], Iterable[str]], label: str) -> int:
    return sum(label in labels(finding) for finding in findings)


def _apart(findings: Sequence[Finding]) -> tuple[Share, ...]:
    """Copular and lexical negation, and confirmation forms of any type: listed, and no part of the rate."""
    labels = [[_apart_label(negation) for negation in finding.negations] for finding in findings]
    return tuple(
        Share(label, sum(found.count(label) for found in labels), sum(label in found for found in labels))
        for label in APART
    )


def _apart_label(negation: Negation) -> str:
    if negation.confirmation:
        return ClauseType.CONFIRMATION.value
    return negation.type.value


def _by_cluster(findings: Sequence[Finding], *, with_clauses: bool) -> tuple[ClusterCounts, ...]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.sentence.cluster, []).append(finding)
    return tuple(
        ClusterCounts(
            name,
            len(group),
            sum(bool(finding.counted) for finding in group),
            _tally(group, "types"),
            _tally(group, "clauses") if with_clauses else {},
        )
        for name, group in groups.items()
    )


def _tally(findings: Iterable[Finding], kind: Kind) -> dict[str, int]:
    return dict(Counter(label_of(negation, kind) for finding in findings for negation in finding.counted))
