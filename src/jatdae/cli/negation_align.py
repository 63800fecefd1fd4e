"""`jatdae negation align`: how near a benchmark's negation is to a corpus', and which items bring it nearer."""

from __future__ import annotations

import sys
from pathlib import Path

from jatdae.cli.predicting import check_writable, write_whole
from jatdae.cli.settings import one_of
from jatdae.errors import RequestError
from jatdae.negation.alignment import (
    REFERENCE,
    Selected,
    align,
    chosen_rows,
    detected_labels,
    gold_labels,
    read_benchmark,
    reference_study,
)
from jatdae.negation.corpus.files import read_study
from jatdae.reports.alignment import alignment_record, print_alignment
from jatdae.reports.documents import document
from jatdae.reports.tables import console
from jatdae.runtime import Progress

GOLD, DETECTOR = "gold", "detector"


def align_command(
    study: str,
    benchmark: Path,
    *,
    select: int | None,
    out: Path | None,
    labels: str,
    smoothing: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare a benchmark with a study's folder or the published one, and write the selected items to `out`.

    `benchmark` is a file in KoNUBench's format, or a folder with its splits. Raises RequestError.
    """
    one_of("--labels", labels, (GOLD, DETECTOR))
    if out is not None and select is None:
        raise RequestError("--out is for selected items; say how many with --select N")
    files = read_benchmark(benchmark)
    if out is not None:
        _check_target(out, files.paths)
    reference = reference_study() if study == REFERENCE else None
    corpus = reference.distribution if reference else read_study(Path(study))
    records = files.records
    items = gold_labels(records) if labels == GOLD else detected_labels(records, Progress(quiet=quiet))
    aligned = align(
        corpus, items, intervals=reference.intervals if reference else None, smoothing=smoothing, count=select
    )
    if out is not None and aligned.selected is not None:
        _write(out, files.paths, aligned.selected)
    published = reference.published if reference else None
    if as_json:
        print(document({"alignment": {**alignment_record(aligned, published), "labels": labels, "out": out}}))
    else:
        print_alignment(console(), aligned, published)
    return 0


def _check_target(out: Path, sources: tuple[Path, ...]) -> None:
    check_writable(out)
    if out.exists() and any(out.samefile(source) for source in sources):
        raise RequestError(f"--out {out} is the file that is selected from; name another")


def _write(out: Path, sources: tuple[Path, ...], selected: Selected) -> None:
    ids = selected.selection.ids
    write_whole(out, chosen_rows(sources, ids))
    print(f"{len(ids):,} items are in {out}", file=sys.stderr)
