"""`jatdae lm-eval`: tasks of lm-evaluation-harness on this package's engine and store."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.evaluate import open_run
from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.reports.tables import console, leaderboard
from jatdae.runtime import Progress
from jatdae.store import Store, redact


@dataclass(frozen=True, slots=True)
class HarnessCommand:
    """What the user typed."""

    model: str
    tasks: tuple[str, ...]
    shots: int | None
    limit: int | None
    include: Path | None
    store: Path


def harness_command(request: HarnessCommand, options: ModelOptions, *, as_json: bool, quiet: bool) -> None:
    """Evaluate and print. Raises RequestError where the harness is not installed or does not know a task."""
    if options.offline:  # the libraries below read this when they are imported
        os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    try:
        from jatdae.evaluate.harness import HarnessRequest, run_harness
    except ModuleNotFoundError as error:
        message = f"the bridge needs the package {error.name}; install it with: pip install 'jatdae[lm-eval]'"
        raise RequestError(message) from None
    tasks = tuple(name for word in request.tasks for name in word.split(",") if name)
    wanted = HarnessRequest(tasks, request.shots, request.limit, request.include)
    progress = Progress(quiet=quiet)
    backend = open_backend(parse_reference(request.model), options, progress.stage)
    command = redact(["jatdae", *sys.argv[1:]])
    with Store.open(request.store) as store, open_run(store, command, progress) as run:
        results = [result for _, result in run_harness(wanted, backend, run)]
    if as_json:
        print(document({"run": run.id, "store": str(request.store), "results": results}))
        return
    console().print(leaderboard(results))
    print(
        f"run {run.id} is in {request.store}; `jatdae show {run.id} --store {request.store}` explains it",
        file=sys.stderr,
    )
