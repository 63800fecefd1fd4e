"""Reads a folder of MunBench data: items, rubrics, the slop list and the sidecars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.reading.checks import read_checks
from jatdae.benchmarks.munbench.reading.documents import documents_hash, read_document
from jatdae.benchmarks.munbench.reading.items import check_unique, read_items, read_variants
from jatdae.benchmarks.munbench.reading.layout import (
    APPLICABILITY,
    CHECKS,
    CONSENSUS,
    ITEM_FILES,
    MANIFEST,
    REQUIRED,
    RUBRIC_FILES,
    SIDECARS,
    SLOP_FILE,
    VARIANTS,
)
from jatdae.benchmarks.munbench.reading.rubrics import default_applicability, read_applicability, read_rubric
from jatdae.benchmarks.munbench.reading.slop import read_slop
from jatdae.benchmarks.munbench.records import Dataset, MunItem
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError

__all__ = ["locate_data", "read_dataset"]


def locate_data(source: Source) -> Path:
    """The folder that holds `items/` and `rubrics/`. Raises RequestError that says how to name it."""
    mend = "name the folder that holds items/ and rubrics/ with --data, or try --data mini"
    return source.find("munbench", tuple(ITEM_FILES.values()), layouts=("data",), mend=mend)


def read_dataset(folder: Path) -> Dataset:
    """All of a folder's data. Blank optional strings become None.

    Raises DataError, naming file, item and field, at the first fault that prevents use; `validation.validate` lists all
    faults, including those that do not.
    """
    documents = {name: read_document(folder / name) for name in (*REQUIRED, *_present(folder))}
    rubrics = {track: read_rubric(track, documents[name], folder / name) for track, name in RUBRIC_FILES.items()}
    items = _items(documents, folder)
    if APPLICABILITY in documents:
        applicability = read_applicability(documents[APPLICABILITY], rubrics[3], folder / APPLICABILITY)
    else:
        applicability = default_applicability(rubrics[3])
    checks = read_checks(documents.get(CHECKS, {}), folder / CHECKS)
    _check_references(checks, items, folder / CHECKS)
    return Dataset(
        items=items,
        rubrics=rubrics,
        slop=read_slop(documents[SLOP_FILE], folder / SLOP_FILE),
        hash=documents_hash(documents),
        applicability=applicability,
        checks=checks,
        extra={name: documents[name] for name in (MANIFEST, CONSENSUS) if name in documents},
    )


def _present(folder: Path) -> list[str]:
    return [name for name in SIDECARS if (folder / name).is_file()]


def _items(documents: dict[str, Any], folder: Path) -> tuple[MunItem, ...]:
    variants = read_variants(documents.get(VARIANTS, {}), folder / VARIANTS)
    items = [
        item
        for track, name in ITEM_FILES.items()
        for item in read_items(track, documents[name], folder / name, variants)
    ]
    check_unique(items, folder)
    _check_references(variants, [item for item in items if item.id.startswith("T3")], folder / VARIANTS)
    return tuple(items)


def _check_references(names: Any, items: Any, path: Path) -> None:
    known = {item.id for item in items}
    for name in names:
        if name not in known:
            raise DataError(f"no item has the id {name!r:.60}", path=path, field=name)
