"""Run tasks of lm-evaluation-harness with a model and keep samples and results."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jatdae.errors import RequestError
from jatdae.evaluate.harness.language_model import StoredLanguageModel
from jatdae.evaluate.harness.samples import Logged, estimates_of, harness_numbers, headline_of, samples_of
from jatdae.evaluate.run import Run
from jatdae.models.base import AnyBackend
from jatdae.types import Protocol, Result, canonical, digest

PREFIX = "lm-eval/"
"""Before the name of a harness task, so that no task of our own shares it."""


@dataclass(frozen=True, slots=True)
class HarnessRequest:
    """Tasks or groups of the harness, the number of solved examples (None for the task's own), and how many items.

    `include` is a folder with further task files.
    """

    tasks: tuple[str, ...]
    shots: int | None = None
    limit: int | None = None
    include: Path | None = None


def run_harness(request: HarnessRequest, backend: AnyBackend, run: Run) -> list[tuple[int, Result]]:
    """Evaluate; returns each task's result with its number in the store.

    Raises RequestError for a task that the harness does not know or whose data cannot be had, ModelError where an
    item got no answer.
    """
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.tasks import TaskManager

    if request.include is not None and not request.include.is_dir():
        raise RequestError(f"--include_path {request.include}: there is no such folder")
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    manager = TaskManager(include_path=str(request.include) if request.include else None)
    unknown = [name for name in request.tasks if name not in manager.all_tasks]
    if unknown:
        raise RequestError(f"lm-evaluation-harness has no task {unknown[0]!r}; `lm-eval ls tasks` lists them")
    run.store.remember_model(backend.identity)
    try:
        told: Any = simple_evaluate(
            model=StoredLanguageModel(backend, run),
            tasks=list(request.tasks),
            num_fewshot=request.shots,
            limit=request.limit,
            task_manager=manager,
        )
    except (OSError, ConnectionError) as error:
        raise RequestError(
            f"data of {', '.join(request.tasks)} cannot be had: {' '.join(str(error).split())}"
        ) from error
    return list(_results(told, request, backend, run))


def _results(
    told: Mapping[str, Any], request: HarnessRequest, backend: AnyBackend, run: Run
) -> Iterator[tuple[int, Result]]:
    for name, logged in told["samples"].items():
        yield _store(name, logged, told, request, backend, run)


def _store(
    name: str, logged: Sequence[Logged], told: Mapping[str, Any], request: HarnessRequest, backend: AnyBackend, run: Run
) -> tuple[int, Result]:
    numbers = harness_numbers(told["results"][name])
    headline = headline_of(list(numbers))
    samples = samples_of(logged, numbers, headline, backend.identity.key)
    estimates, notes = estimates_of(samples, numbers)
    shots = int(told["n-shot"].get(name) or 0)
    protocol = Protocol(
        mode="lm-eval", shots=shots, limit=request.limit, split=str(_config(told, name).get("test_split"))
    )
    task_version = str(told["versions"].get(name, ""))
    data_hash = digest(*(str(row["doc_hash"]) for row in logged))
    wording = canonical(
        {key: str(value) for key, value in _config(told, name).items() if key not in ("metadata", "task")}
    )
    fingerprint = digest(PREFIX + name, task_version, data_hash, wording, str(shots), str(request.limit))
    result = Result(
        task=PREFIX + name,
        model=backend.identity.reference,
        protocol=protocol,
        fingerprint=fingerprint,
        title=f"{name} (lm-evaluation-harness)",
        headline=headline,
        estimates=estimates,
        rates={},
        floors={},
        breakdown={},
        items=len(samples),
        complete=True,
        notes=(
            f"task and metrics of lm_eval {version('lm_eval')}, task version {task_version}",
            *notes,
            *backend.notes,
        ),
        settings=backend.settings,
        model_key=backend.identity.key,
        data_hash=data_hash,
        task_version=task_version,
    )
    number = run.store.start_result(
        run.id,
        task=result.task,
        model_key=result.model_key,
        mode=protocol.mode,
        protocol=protocol,
        fingerprint=fingerprint,
        data_hash=data_hash,
        task_version=task_version,
    )
    run.store.add_samples(number, samples)
    run.store.finish_result(number, result)
    return number, result


def _config(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return told["configs"].get(name, {})
