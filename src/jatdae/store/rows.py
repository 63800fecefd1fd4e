"""Records to rows of the tables and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from jatdae.errors import StoreError
from jatdae.store import records
from jatdae.store.stored import StoredResult, StoredRun
from jatdae.types import Answer, Completion, Request, Sample, Score, Scores, digest, request_json

SELECT_RUNS = "SELECT id, command, started, ended, status, versions, machine, error, origin FROM runs"
SELECT_RESULTS = (
    "SELECT id, run_id, task, model_key, model_reference, mode, fingerprint, data_hash, task_version, status, created,"
    " summary FROM results"
)
SELECT_SAMPLES = "SELECT item, seed, body FROM samples"
COUNT_ROWS = (
    "SELECT 'models', count(*) FROM models UNION ALL SELECT 'responses', count(*) FROM responses"
    " UNION ALL SELECT 'failures', count(*) FROM failures UNION ALL SELECT 'runs', count(*) FROM runs"
    " UNION ALL SELECT 'results', count(*) FROM results UNION ALL SELECT 'samples', count(*) FROM samples"
)

Row = tuple[Any, ...]


def request_key(model_key: str, request: Request) -> str:
    """The key of an answer: a hash of who is asked and of all that is asked."""
    return digest(model_key, request_json(request))


def response_row(model_key: str, key: str, request: Request, answer: Answer, created: str) -> Row:
    """Raises ValueError when the key is not the request's, or the answer is not of the kind that was asked for."""
    if key != request_key(model_key, request):
        raise ValueError(f"{key} is not the key of this request to model {model_key}; build it with request_key()")
    if not _is_answered_by(request, answer):
        raise ValueError(f"a {type(answer).__name__} does not answer this {type(request).__name__} ({key})")
    kind = type(request).__name__
    return key, model_key, kind, records.encode_answer(answer), created, records.encode_request(request)


def _is_answered_by(request: Request, answer: Answer) -> bool:
    if isinstance(request, Score):
        return isinstance(answer, Scores) and len(answer.options) == len(request.options)
    return isinstance(answer, Completion)


def sample_rows(result_id: int, samples: Sequence[Sample]) -> list[Row]:
    """Raises StoreError when an item is there twice for one seed."""
    rows = [(result_id, *_sample_key(one), str(one.outcome), records.encode_sample(one)) for one in samples]
    repeated = [key for key, times in Counter(row[1:3] for row in rows).items() if times > 1]
    if repeated:
        item, seed = repeated[0]
        raise StoreError(f"the samples of result {result_id} hold item {item!r} twice for seed {seed or 'none'}")
    return rows


def _sample_key(sample: Sample) -> tuple[str, str]:
    return records.column_text(sample.item), "" if sample.seed is None else str(sample.seed)


def stored_run(row: Row) -> StoredRun:
    """A row of SELECT_RUNS."""
    run_id, command, started, ended, status, versions, machine, error, origin = row
    facts = json.loads(versions), json.loads(machine)
    return StoredRun(run_id, command, started, ended, status, *facts, error, origin)


def stored_result(row: Row) -> StoredResult:
    """A row of SELECT_RESULTS, whose order is that of the record. Raises StoreError when the summary cannot be read."""
    *facts, summary = row
    names = (entry.name for entry in fields(StoredResult))
    result = None if summary is None else records.decode_result(summary)
    columns: dict[str, Any] = dict(zip(names, [*facts, result], strict=True))
    return StoredResult(**columns)
