"""A benchmark's files for alignment: one split file, or a folder of splits; and the rows chosen from them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.konubench.data import Record, present_splits, read_records
from jatdae.benchmarks.sources import Source, read_json_array
from jatdae.errors import DataError, RequestError


@dataclass(frozen=True, slots=True)
class BenchmarkFiles:
    """The files read, in order, and all of their items."""

    paths: tuple[Path, ...]
    records: tuple[Record, ...]


def read_benchmark(path: Path) -> BenchmarkFiles:
    """The items of a file in the benchmark's format, or of a folder's splits. Raises RequestError, DataError."""
    paths = [found for _, found in present_splits(Source.of(path))] if path.is_dir() else [path]
    if not paths:
        raise RequestError(f"--benchmark {path}: no train.json, val.json or test.json in it; name one file")
    records: list[Record] = []
    holders: dict[str, Path] = {}
    for file in paths:
        for record in read_records(file):
            if record.idx in holders:
                raise DataError(f"id {record.idx!r} is in {holders[record.idx]} as well", path=file, field="idx")
            holders[record.idx] = file
            records.append(record)
    return BenchmarkFiles(tuple(paths), tuple(records))


def chosen_rows(paths: Sequence[Path], ids: Collection[str]) -> str:
    """The chosen items as a file in the benchmark's format: rows as they were, in their order.

    A lone surrogate is spelled as an escape, since no UTF-8 file can hold it.
    """
    wanted = set(ids)
    rows = [row for path in paths for row in read_json_array(path) if row["idx"] in wanted]
    text = json.dumps(rows, ensure_ascii=False, indent=2)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
