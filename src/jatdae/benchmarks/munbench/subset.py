"""A part of a data folder as a data folder of its own, its records as they were."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from pathlib import Path

from jatdae.benchmarks.munbench.reading.layout import CHECKS, CONSENSUS, ITEM_FILES, MANIFEST, VARIANTS

BY_ITEM = (CHECKS, VARIANTS, CONSENSUS)


def write_subset(folder: Path, target: Path, items: Collection[str]) -> Path:
    """Copy rubrics, slop list and the chosen items into `target`, which it returns. The manifest counts the whole set
    and stays behind. Raises ValueError for an item that is not there."""
    shutil.copytree(folder, target, dirs_exist_ok=True)
    (target / MANIFEST).unlink(missing_ok=True)
    found: set[str] = set()
    for name in ITEM_FILES.values():
        kept = [item for item in json.loads((folder / name).read_text(encoding="utf-8")) if item["id"] in items]
        found |= {item["id"] for item in kept}
        _write(target / name, kept)
    for name in BY_ITEM:
        if (folder / name).is_file():
            sidecar = json.loads((folder / name).read_text(encoding="utf-8"))
            _write(target / name, {item: value for item, value in sidecar.items() if item in items})
    if found != set(items):
        raise ValueError(f"{folder} has no item {sorted(set(items) - found)}")
    return target


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
