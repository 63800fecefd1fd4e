"""What a store gives back about runs and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jatdae.types import Result

RunStatus = Literal["running", "done", "interrupted", "failed"]
ResultStatus = Literal["running", "done", "incomplete", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One invocation. Times are ISO 8601 in UTC. A run whose process was killed keeps the status `running`.

    `failed` is a run that broke off or left something unanswered; `error` says why, where it is known. `origin` is the
    store that a run was imported from.
    """

    id: int
    command: str
    started: str
    ended: str | None
    status: RunStatus
    versions: Mapping[str, str]
    machine: Mapping[str, str]
    error: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result with what the store knows of it. `result` is None until it has been finished.

    `model_reference` is the name under which the model ran that time; `status` is `incomplete` when a request failed.
    """

    id: int
    run_id: int
    task: str
    model_key: str
    model_reference: str
    mode: str
    fingerprint: str
    data_hash: str
    task_version: str
    status: ResultStatus
    created: str
    result: Result | None
