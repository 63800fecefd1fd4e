"""`jatdae audit contamination`: checks of a corpus or a model, printed with what they let one claim."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Task, load_task
from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.contamination import audit
from jatdae.contamination.words import file_lines, option_lines, overlap_lines, shift_lines
from jatdae.errors import RequestError
from jatdae.evaluate import open_run
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.run import Run
from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions
from jatdae.negation.corpus.passages import find_places, read_passages
from jatdae.reports.documents import document
from jatdae.reports.munbench.escaping import markdown_text
from jatdae.runtime import Progress
from jatdae.store import Store, redact


@dataclass(frozen=True, slots=True)
class Told:
    """How the finding is told: language, JSON, a Markdown file, and how many items are listed."""

    lang: str = "en"
    as_json: bool = False
    out: Path | None = None
    listed: int = 20
    quiet: bool = False


def ngrams_command(
    task: str, corpus: list[str], field: str, data: str | None, store: Path | None, run: int | None, told: Told
) -> None:
    """Overlap of a task's items with a corpus; with a stored run the scores of both parts."""
    loaded = load_task(task, data=data)
    places = find_places(corpus, offline=True)
    passages = ((f"{one.file}:{one.number}", one.text) for one in read_passages(places, field))
    if run is None or store is None:
        found = audit.audit_overlap(loaded, passages)
    else:
        with open_existing(store) as opened:
            results = [one for one in opened.results(task=loaded.name, run=run) if one.result]
            if not results:
                raise RequestError(f"{store} has no finished result of {loaded.name} in run {run}")
            found = audit.audit_overlap(loaded, passages, opened, results[0])
    _tell(found, overlap_lines(found, _lang(told), told.listed), told)


def model_command(
    check: str,
    task: str,
    model: str,
    options: ModelOptions,
    limit: int | None,
    data: str | None,
    store: Path,
    told: Told,
) -> None:
    """One check of a model: `order`, `files` or `shuffle`."""
    checks: dict[str, tuple[Any, Any]] = {
        "order": (audit.audit_options, option_lines),
        "files": (audit.audit_file, file_lines),
        "shuffle": (audit.audit_shifts, shift_lines),
    }
    loaded: Task = load_task(task, data=data, limit=limit)
    progress = Progress(quiet=told.quiet)
    backend = open_backend(parse_reference(model), options, progress.stage)
    ask, lines = checks[check]
    with _opened(store, progress) as run:
        found = ask(loaded, backend, run)
    _tell(found, lines(found, _lang(told)), told)


@contextmanager
def _opened(store: Path, progress: Progress) -> Iterator[Run]:
    with Store.open(store) as opened, open_run(opened, redact(["jatdae", *sys.argv[1:]]), progress) as run:
        yield run


def _lang(told: Told) -> str:
    return one_of("--lang", told.lang, ("en", "ko"))


def _tell(found: object, lines: list[str], told: Told) -> None:
    if told.out is not None:
        write_text(told.out, "\n".join(f"- {markdown_text(line)}" for line in lines) + "\n")
    if told.as_json:
        print(document({"finding": found, "claim": lines[-1]}))
    elif told.out is None:
        print("\n".join(lines))
