"""The whole flow: items -> coroutines -> samples -> estimates -> store; or, for what is fine-tuned, fit -> predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.evaluate.asking import collect, measure
from jatdae.evaluate.planning import check_capabilities, choose_items, fingerprint_of, prepare
from jatdae.evaluate.run import Run, open_run
from jatdae.evaluate.summary import summarise
from jatdae.evaluate.tuned import is_fine_tuned, measure_fine_tuned, open_tuner
from jatdae.models.base import AnyBackend, parse_reference
from jatdae.runtime import Progress
from jatdae.store import Store
from jatdae.types import Result

__all__ = [
    "Run",
    "check_capabilities",
    "choose_items",
    "collect",
    "evaluate",
    "fingerprint_of",
    "is_fine_tuned",
    "measure",
    "measure_fine_tuned",
    "open_run",
    "open_tuner",
    "prepare",
    "summarise",
]


def evaluate(
    task: str,
    model: str | AnyBackend,
    *,
    store: Store | Path | str = "jatdae-store",
    data: str | Path | None = None,
    mode: str | None = None,
    quiet: bool = True,
    **choices: Any,
) -> Result:
    """Measure one model on one task and return the result, which is also kept in the store.

    `model` is a reference such as `hf:./checkpoint` or a backend. `choices` are fields of `Protocol` (shots, seeds,
    limit, chat_template, options ...). Raises RequestError for what cannot be asked, ModelError for a model that
    cannot be run.
    """
    from jatdae.models.opening import open_backend
    from jatdae.models.options import ModelOptions

    entry = find_task(task)
    protocol = build_protocol(entry, mode, **choices)
    progress = Progress(quiet=quiet)
    opened = store if isinstance(store, Store) else Store.open(store)
    try:
        passes = prepare(entry, protocol, Source.of(data))
        if is_fine_tuned(passes[0]):
            if not isinstance(model, str):
                raise RequestError(f"{task} fine-tunes an encoder; name one, such as 'hf:klue/roberta-small'")
            tuner = open_tuner(passes[0], parse_reference(model), ModelOptions())
            with open_run(opened, f"evaluate({task!r})", progress) as run:
                return measure_fine_tuned(passes[0], tuner, run)[1]
        backend = (
            open_backend(parse_reference(model), ModelOptions(), progress.stage) if isinstance(model, str) else model
        )
        with open_run(opened, f"evaluate({task!r})", progress) as run:
            return measure(passes, backend, run)[1]
    finally:
        if opened is not store:
            opened.close()
