"""Results and samples as flat rows, one figure or one sample each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from jatdae.store import Store, StoredResult
from jatdae.types import Estimate, Sample

Row = dict[str, Any]
RESULT_COLUMNS = (
    *("run", "result", "created", "model", "model_key", "task", "title", "mode", "shots", "split", "seeds", "limit"),
    *("kind", "group", "metric", "headline", "value", "stderr", "low", "high", "n", "clusters", "method"),
    *("complete", "fingerprint", "data_hash", "task_version"),
)
SAMPLE_COLUMNS = (
    *("run", "result", "model", "task", "mode", "shots", "item", "seed", "outcome", "prediction", "target"),
    *("group", "cluster", "scores", "detail", "requests"),
)


def result_rows(results: Iterable[StoredResult]) -> Iterator[Row]:
    """One row a figure: `kind` is estimate, rate, floor or breakdown, whose `group` says of what."""
    for stored in results:
        if stored.result is None:
            continue
        about = _about(stored)
        result = stored.result
        for kind, figures in (("estimate", result.estimates), ("rate", result.rates), ("floor", result.floors)):
            for metric, estimate in figures.items():
                is_headline = kind == "estimate" and metric == result.headline
                yield {**about, **_figure(kind, "", metric, estimate), "headline": is_headline}
        for group, figures in result.breakdown.items():
            for metric, estimate in figures.items():
                yield {**about, **_figure("breakdown", group, metric, estimate), "headline": False}


def _about(stored: StoredResult) -> Row:
    assert stored.result is not None  # noqa: S101 - rows are of finished results
    result, protocol = stored.result, stored.result.protocol
    return {
        "run": stored.run_id,
        "result": stored.id,
        "created": stored.created,
        "model": stored.model_reference,
        "model_key": stored.model_key,
        "task": stored.task,
        "title": result.title,
        "mode": stored.mode,
        "shots": protocol.shots,
        "split": protocol.split,
        "seeds": " ".join(map(str, protocol.seeds)),
        "limit": protocol.limit,
        "complete": result.complete,
        "fingerprint": stored.fingerprint,
        "data_hash": stored.data_hash,
        "task_version": stored.task_version,
    }


def _figure(kind: str, group: str, metric: str, estimate: Estimate) -> Row:
    return {
        "kind": kind,
        "group": group,
        "metric": metric,
        "value": estimate.value,
        "stderr": estimate.stderr,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "clusters": estimate.clusters,
        "method": estimate.method,
    }


def sample_rows(store: Store, results: Iterable[StoredResult]) -> Iterator[Row]:
    """One row a sample, read as they are needed; `scores`, `detail` and `requests` are JSON."""
    for stored in results:
        about = {
            "run": stored.run_id,
            "result": stored.id,
            "model": stored.model_reference,
            "task": stored.task,
            "mode": stored.mode,
            "shots": store.protocol(stored.id).shots,
        }
        for sample in store.samples(stored.id):
            yield {**about, **_sample(sample)}


def _sample(sample: Sample) -> Row:
    return {
        "item": sample.item,
        "seed": sample.seed,
        "outcome": sample.outcome.value,
        "prediction": sample.prediction,
        "target": sample.target,
        "group": sample.group,
        "cluster": sample.cluster,
        "scores": _json(dict(sample.scores)),
        "detail": _json(dict(sample.detail)),
        "requests": _json(list(sample.requests)),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
