"""From what lm-evaluation-harness logs to our samples and estimates, with the harness's own numbers kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from jatdae.evaluate.harness.language_model import request_of
from jatdae.stats import mean, proportion
from jatdae.stats.intervals import Z
from jatdae.store import request_key
from jatdae.types import Estimate, Outcome, Sample

Logged = Mapping[str, Any]
PREFERRED = ("acc_norm", "acc", "exact_match")
"""Which metric stands for a task, the first that it has; else the first of its own."""


def metric_name(metric: str, filter_name: str) -> str:
    """`acc` for the harness's `acc,none`; another filter stays in the name."""
    return metric if filter_name == "none" else f"{metric},{filter_name}"


def harness_numbers(row: Mapping[str, Any]) -> dict[str, tuple[float, float | None]]:
    """Each metric of a task's row of results with its standard error, None where the harness gives none."""
    numbers: dict[str, tuple[float, float | None]] = {}
    for key, value in row.items():
        metric, comma, filter_name = key.partition(",")
        if comma and not metric.endswith("_stderr") and isinstance(value, int | float):
            error = row.get(f"{metric}_stderr,{filter_name}")
            known = float(error) if isinstance(error, int | float) and math.isfinite(error) else None
            numbers[metric_name(metric, filter_name)] = (float(value), known)
    return numbers


def headline_of(names: Sequence[str]) -> str:
    """The metric that stands for a task. Raises ValueError where there is none."""
    if not names:
        raise ValueError("a task without any metric")
    return next((name for name in PREFERRED if name in names), names[0])


def samples_of(logged: Sequence[Logged], numbers: Mapping[str, object], headline: str, model_key: str) -> list[Sample]:
    """One sample a document; its scores are the metrics that the harness has for single documents.

    A document that several filters read is one sample. It is right where its headline is 1; a headline that is no
    number of single documents, such as a perplexity, leaves `unparsed` out of it: every document then counts as right.
    """
    rows: dict[str, list[Logged]] = {}
    for row in logged:
        rows.setdefault(str(row["doc_id"]), []).append(row)
    return [_sample(item, own, numbers, headline, model_key) for item, own in rows.items()]


def _sample(item: str, rows: Sequence[Logged], numbers: Mapping[str, object], headline: str, model_key: str) -> Sample:
    scores: dict[str, float] = {}
    for row in rows:
        for metric in row.get("metrics", ()):
            name, value = metric_name(metric, str(row.get("filter", "none"))), row.get(metric)
            if name in numbers and isinstance(value, int | float) and 0 <= value <= 1:
                scores[name] = float(value)
    right = scores.get(headline, 1.0) == 1.0
    return Sample(
        item=item,
        outcome=Outcome.RIGHT if right else Outcome.WRONG,
        prediction=_shown(rows[0].get("filtered_resps")),
        target=str(rows[0].get("target", "")),
        scores=scores,
        requests=tuple(request_key(model_key, request_of(arguments)) for arguments in rows[0].get("arguments", ())),
        detail={"doc_hash": str(rows[0].get("doc_hash", ""))},
    )


def _shown(responses: Any) -> str:
    return str(responses)[:2000]


def estimates_of(
    samples: Sequence[Sample], numbers: Mapping[str, tuple[float, float | None]]
) -> tuple[dict[str, Estimate], list[str]]:
    """Estimates by metric, and notes. Where a metric is the mean over documents, the interval is ours; else it is the
    harness's number with the normal interval of its own standard error.
    """
    found: dict[str, Estimate] = {}
    notes: list[str] = []
    for name, (value, error) in numbers.items():
        values = [sample.scores[name] for sample in samples if name in sample.scores]
        if len(values) == len(samples) and math.isclose(math.fsum(values) / len(values), value, abs_tol=1e-9):
            found[name] = proportion(values) if set(values) <= {0.0, 1.0} else mean(values)
        else:
            reach = (None, None) if error is None else (value - Z * error, value + Z * error)
            found[name] = Estimate(value, error, *reach, len(samples), None, "harness's own, normal")
            notes.append(f"{name} is no mean over documents: number and error are the harness's own")
    return found, notes
