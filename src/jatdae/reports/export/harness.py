"""Results in the layout of lm-evaluation-harness: one file of results a model, one file of samples a task.

Metrics keep our names with the filter `none`; a standard error that is not known is the text `N/A`, as the harness
writes it. Each headline is also given as the metric that stands first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jatdae.errors import RequestError
from jatdae.reports.export.files import new_file
from jatdae.store import Store, StoredResult
from jatdae.store.paging import prompt_text
from jatdae.types import Completion, Generate, Result, Sample, Score, Scores

FILTER = "none"
TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}


def write_harness_layout(store: Store, results: Sequence[StoredResult], folder: Path, *, force: bool) -> list[Path]:
    """Write `results_TIME.json` and `samples_TASK_TIME.jsonl` into a folder of each model; returns the files.

    Raises RequestError where nothing is finished, or a file is there already.
    """
    models: dict[str, list[StoredResult]] = {}
    for stored in results:
        if stored.result is not None:
            models.setdefault(stored.model_reference, []).append(stored)
    if not models:
        raise RequestError("nothing finished fits; `jatdae results` lists what the store has")
    return [path for own in models.values() for path in _model(store, _latest(own), folder, force=force)]


def _latest(results: Sequence[StoredResult]) -> dict[str, StoredResult]:
    """One result a task name, the newest; the name tells modes and shots apart where a task has several."""
    found: dict[str, StoredResult] = {}
    several = len({one.task for one in results}) < len({(one.task, one.mode, _shots(one)) for one in results})
    for one in sorted(results, key=lambda one: one.id):
        name = one.task.replace("/", "_")
        found[f"{name}_{one.mode}_{_shots(one)}shot" if several else name] = one
    return found


def _shots(stored: StoredResult) -> int:
    return _finished(stored).protocol.shots


def _finished(stored: StoredResult) -> Result:
    assert stored.result is not None  # noqa: S101 - only finished ones are exported
    return stored.result


def _model(store: Store, tasks: dict[str, StoredResult], folder: Path, *, force: bool) -> Iterator[Path]:
    newest = max(tasks.values(), key=lambda one: one.id)
    time = newest.created[:23].replace(":", "-")
    own = folder / _safe(newest.model_reference)
    with new_file(own / f"results_{time}.json", force=force) as passing:
        passing.write_text(json.dumps(_document(tasks, newest), ensure_ascii=False, indent=2), encoding="utf-8")
    yield own / f"results_{time}.json"
    for name, stored in tasks.items():
        path = own / f"samples_{name}_{time}.jsonl"
        with (
            new_file(path, force=force) as passing,
            passing.open("w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            for number, sample in enumerate(store.samples(stored.id)):
                file.write(json.dumps(_sample(store, number, sample, stored), ensure_ascii=False) + "\n")
        yield path


def _safe(model: str) -> str:
    """A folder's name as the harness makes it: what no file name may hold becomes two underscores."""
    return "".join(sign if sign.isalnum() or sign in "-._" else "__" for sign in model)[:200]


def _document(tasks: dict[str, StoredResult], newest: StoredResult) -> dict[str, Any]:
    finished = {name: _finished(stored) for name, stored in tasks.items()}
    return {
        "results": {name: _figures(name, result) for name, result in finished.items()},
        "group_subtasks": {name: [] for name in finished},
        "configs": {name: _config(name, result) for name, result in finished.items()},
        "versions": {name: result.task_version for name, result in finished.items()},
        "n-shot": {name: result.protocol.shots for name, result in finished.items()},
        "higher_is_better": {name: dict.fromkeys(_metrics(result), True) for name, result in finished.items()},
        "n-samples": {name: {"original": result.items, "effective": result.items} for name, result in finished.items()},
        "config": {"model": newest.model_reference, "model_args": "", "model_sha": newest.model_key},
        "model_source": "jatdae",
        "model_name": newest.model_reference,
        "model_name_sanitized": _safe(newest.model_reference),
        "task_hashes": {name: result.fingerprint for name, result in finished.items()},
    }


def _metrics(result: Result) -> list[str]:
    """The headline first."""
    return sorted(result.estimates, key=lambda name: name != result.headline)


def _metric(name: str) -> str:
    """A comma parts metric and filter, so that one inside a name becomes a blank."""
    return name.replace(", ", " ").replace(",", " ")


def _figures(name: str, result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {"alias": name}
    for metric in _metrics(result):
        estimate = result.estimates[metric]
        row[f"{_metric(metric)},{FILTER}"] = estimate.value
        row[f"{_metric(metric)}_stderr,{FILTER}"] = "N/A" if estimate.stderr is None else estimate.stderr
    return row


def _config(name: str, result: Result) -> dict[str, Any]:
    protocol = result.protocol
    return {
        "task": name,
        "output_type": protocol.mode,
        "num_fewshot": protocol.shots,
        "test_split": protocol.split,
        "metric_list": [{"metric": _metric(metric), "higher_is_better": True} for metric in _metrics(result)],
        "metadata": {"version": result.task_version, "fingerprint": result.fingerprint, "title": result.title},
    }


def _sample(store: Store, number: int, sample: Sample, stored: StoredResult) -> dict[str, Any]:
    exchanges = [pair for key in sample.requests if (pair := store.exchange(key))]
    arguments, replies = _exchange(exchanges)
    return {
        "doc_id": number,
        "doc": {"id": sample.item, "group": sample.group, **dict(sample.detail)},
        "target": sample.target,
        "arguments": arguments,
        "resps": replies,
        "filtered_resps": [sample.prediction],
        "filter": FILTER,
        "metrics": list(sample.scores),
        **{_metric(name): value for name, value in sample.scores.items()},
        "outcome": sample.outcome.value,
        "doc_hash": sample.item,
        "task": stored.task,
    }


def _exchange(exchanges: Sequence[tuple[Any, Any]]) -> tuple[dict[str, dict[str, Any]], list[list[Any]]]:
    """Arguments and replies as the harness logs them: one entry an option, or one a text."""
    arguments: list[tuple[str, Any]] = []
    replies: list[list[Any]] = []
    for request, answer in exchanges:
        if isinstance(request, Generate) and isinstance(answer, Completion):
            arguments.append((prompt_text(request), {"until": list(request.sampling.stop)}))
            replies.append([answer.text])
        elif isinstance(request, Score) and isinstance(answer, Scores):
            for option, score in zip(request.options, answer.options, strict=True):
                arguments.append((prompt_text(request), option))
                replies.append([[str(score.log_likelihood), str(score.greedy)]])
    named = {f"gen_args_{at}": {"arg_0": first, "arg_1": second} for at, (first, second) in enumerate(arguments)}
    return named, replies
