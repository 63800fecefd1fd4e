"""One labelled KLUE file as three: train, dev and test of a task whose other splits are not at hand.

Whole clusters go to one part (all pairs of one premise, for example), by a hash of the cluster's name, so the parts
depend on nothing but the data. Identifiers name their split, and are rewritten to the part that they are in.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source

SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.1, "test": 0.2}
"""Shares of the clusters: what is learned from, what the weights are chosen by, what is scored."""

_GUID = re.compile(r"(?<=_)(train|dev|test)(?=_)")


def split_task(task: str, source: Source, folder: Path) -> dict[str, list[Any]]:
    """Write a task's dev file as `..._train`, `..._dev` and `..._test` to `folder`; returns each part's records."""
    path = locate(source, task, "dev")
    parts = _parts(task, read_task(task, path))
    text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    rows = _json_rows(text) if path.suffix == ".json" else _table_rows(text)
    made = {}
    for part in SHARES:
        kept = [_GUID.sub(part, row, count=1) for guid, row in rows.items() if parts[guid] == part]
        whole = f"[{','.join(kept)}]" if path.suffix == ".json" else "\n".join(kept)
        file = folder / path.name.replace(".sample", "").replace("_dev.", f"_{part}.")
        file.write_text(whole, encoding="utf-8", newline="")
        made[part] = read_task(task, file)
    return made


def _parts(task: str, records: Sequence[Any]) -> dict[str, str]:
    """Identifier to part. `SHARES` are those of the clusters, which are put in order by their hashes."""
    units = JUDGING[task].units(records)
    clusters = sorted({unit.cluster for unit in units}, key=lambda name: hashlib.sha256(name.encode()).digest())
    chosen: dict[str, str] = {}
    start = 0.0
    for part, share in SHARES.items():
        first, start = round(start * len(clusters)), start + share
        chosen |= dict.fromkeys(clusters[first : round(start * len(clusters))], part)
    return {unit.id: chosen[unit.cluster] for unit in units}


def _json_rows(text: str) -> dict[str, str]:
    """Identifier to its row's JSON, which begins with the identifier."""
    rows = json.loads(text)
    return {row["guid"]: json.dumps({"guid": row["guid"], **row}, ensure_ascii=False, indent=1) for row in rows}


def _table_rows(text: str) -> dict[str, str]:
    """Identifier to its sentence's lines: a header, rows, and the blank line that ends it."""
    starts = [found.start() for found in re.finditer(r"^## klue-", text, re.MULTILINE)]
    blocks = [text[start:end].rstrip("\n") + "\n" for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return {block[len("## ") : block.index("\t")].strip(): block for block in blocks}
