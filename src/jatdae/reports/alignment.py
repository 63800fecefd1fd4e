"""A benchmark's alignment with a corpus as tables for a terminal and as one record for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from jatdae.negation.alignment import CLASSES, CONVENTIONS, VERDICT, Alignment, Comparison, NextItems, Selected
from jatdae.negation.distribution import Kind
from jatdae.reports.tables import columns
from jatdae.stats import in_bits
from jatdae.types import Estimate

DEFINITION = "D(P||Q) = sum of p ln(p/q), P = corpus, Q = benchmark"
_DIRECTIONS = {"forward": "D(corpus||benchmark)", "reverse": "D(benchmark||corpus)", "jensen_shannon": "Jensen-Shannon"}


def print_alignment(screen: Console, alignment: Alignment, published: Mapping[Kind, float] | None) -> None:
    """Shares, divergences in both directions and units, what to write next, and the selection if there is one."""
    _say(screen, _opening(alignment))
    for kind in CLASSES:
        found = {name: one for name, one in alignment.comparisons.items() if one.kind == kind}
        if found:
            screen.print(_share_table(kind, found))
    screen.print(_divergence_table(alignment.comparisons))
    for line in _notes(alignment):
        _say(screen, line)
    if published:
        _say(screen, f"as published, without direction or base: {_published(published)}. {VERDICT}")
    if alignment.next:
        screen.print(_next_table(alignment.next))
    if alignment.selected:
        _print_selected(screen, alignment.selected)


def alignment_record(alignment: Alignment, published: Mapping[Kind, float] | None) -> dict[str, Any]:
    """All of it for `document`; a divergence that is infinite is null."""
    return {
        "corpus": {
            "name": alignment.corpus.name,
            "convention": alignment.corpus.convention,
            "sentences": sum(cluster.sentences for cluster in alignment.corpus.clusters),
            "negative": sum(cluster.negative for cluster in alignment.corpus.clusters),
        },
        "items": alignment.items,
        "definition": DEFINITION,
        "comparisons": {name: _comparison_record(one) for name, one in alignment.comparisons.items()},
        "published": {"nats_or_bits_not_stated": published, "verdict": VERDICT} if published else None,
        "next": _next_record(alignment.next) if alignment.next else None,
        "selected": _selected_record(alignment.selected) if alignment.selected else None,
    }


def _say(screen: Console, line: str) -> None:
    screen.print(line, highlight=False, markup=False)


def _opening(alignment: Alignment) -> str:
    sentences, negative = (
        sum(getattr(cluster, name) for cluster in alignment.corpus.clusters) for name in ("sentences", "negative")
    )
    rate = f", {negative:,} of {sentences:,} sentences negative ({100 * negative / sentences:.1f} %)"
    corpus = f"{alignment.corpus.name}{rate if sentences else ''}"
    return f"corpus: {corpus}; {alignment.corpus.convention}\nbenchmark: {alignment.items:,} items"


def _share_table(kind: Kind, found: Mapping[str, Comparison]) -> Table:
    first = next(iter(found.values()))
    rows = [
        (
            share.label,
            f"{100 * share.corpus:.1f} ({share.corpus_count:,})",
            *(f"{100 * one.shares[row].benchmark:.1f} ({one.shares[row].benchmark_count:,})" for one in found.values()),
        )
        for row, share in enumerate(first.shares)
    ]
    return columns((kind, "corpus", *found), rows, title=f"Shares of {kind} in percent (occurrences)")


def _divergence_table(comparisons: Mapping[str, Comparison]) -> Table:
    rows = []
    for name, one in comparisons.items():
        three = [getattr(one.divergences, direction) for direction in _DIRECTIONS]
        bias = one.divergences.bias
        noise = "n/a" if bias is None else f"{bias:.4f}"
        rows.append((f"{one.kind} {name}", "nats", *map(_figure, three), noise))
        rows.append(("", "bits", *(_figure(in_bits(estimate)) for estimate in three), ""))
    header = ("benchmark counts", "unit", *_DIRECTIONS.values(), "noise")
    return columns(header, rows, title=f"Divergence [95 %]; {DEFINITION}")


def _figure(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4f} [n/a]"
    return f"{estimate.value:.4f} [{estimate.low:.4f}, {estimate.high:.4f}]"


def _notes(alignment: Alignment) -> Iterator[str]:
    first = next(iter(alignment.comparisons.values()))
    for name in alignment.comparisons:
        yield f"{name}: {CONVENTIONS[name].words}"
    smoothing = "no smoothing" if first.smoothing is None else f"{first.smoothing} added to every class of both"
    yield f"{smoothing}; intervals, as in the first row: {first.divergences.forward.method}"
    yield "noise: by how much resampling raises D(corpus||benchmark); the value itself lies too high by about as much"


def _published(published: Mapping[Kind, float]) -> str:
    return ", ".join(f"{kind} {value:.6f}" for kind, value in published.items())


def _next_table(following: NextItems) -> Table:
    clauses = list(following.clauses)
    rows = [
        (kind, *(str(following.cells[kind, clause] or "") for clause in clauses), str(total))
        for kind, total in following.types.items()
        if total
    ]
    rows.append(("all", *map(str, following.clauses.values()), str(sum(following.types.values()))))
    return columns(
        ("to write next", *clauses, "all"), rows, title="The next negations, for SN+LN and (c) to come nearest"
    )


def _print_selected(screen: Console, selected: Selected) -> None:
    quotas = [
        (quota.label, *(f"{number:,}" for number in (quota.wanted, quota.chosen, quota.available, quota.lacking)))
        for quota in selected.selection.quotas
    ]
    header = ("class", "wanted", "chosen", "in the pool", "lacking")
    screen.print(columns(header, quotas, title=f"{len(selected.selection.ids):,} items selected by SN+LN and (c)"))
    rows = [(name, _nats(value), _nats(selected.after[name])) for name, value in selected.before.items()]
    screen.print(columns(("benchmark counts", "whole pool", "selected"), rows, title="D(corpus||items) in nats"))


def _nats(value: float | None) -> str:
    return "infinite" if value is None else f"{value:.6f}"


def _comparison_record(one: Comparison) -> dict[str, Any]:
    three = {direction: getattr(one.divergences, direction) for direction in _DIRECTIONS}
    return {
        "kind": one.kind,
        "convention": one.convention,
        "smoothing": one.smoothing,
        "shares": one.shares,
        "nats": three,
        "bits": {direction: in_bits(estimate) for direction, estimate in three.items()},
        "noise_nats": one.divergences.bias,
    }


def _next_record(following: NextItems) -> dict[str, Any]:
    cells = [{"type": kind, "clause": clause, "count": n} for (kind, clause), n in following.cells.items() if n]
    return {"types": following.types, "clauses": following.clauses, "cells": cells}


def _selected_record(selected: Selected) -> dict[str, Any]:
    quotas = [{**asdict(quota), "lacking": quota.lacking} for quota in selected.selection.quotas]
    return {
        "ids": selected.selection.ids,
        "quotas": quotas,
        "before_nats": selected.before,
        "after_nats": selected.after,
    }
