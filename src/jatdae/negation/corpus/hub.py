"""Datasets of a hub, streamed row by row."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, cast

from jatdae.errors import DataError, JatdaeError, RequestError

HUB = "hub:"
"""How a dataset is told from a file: `hub:NAME` or `hub:NAME@REVISION`."""


def hub_rows(dataset: str, field: str) -> Iterator[tuple[int, str]]:
    """The texts of all splits, in the dataset's own order, numbered through from 1.

    Raises RequestError where the `datasets` package is missing or the dataset cannot be opened, DataError for a field
    that a row lacks, JatdaeError where reading breaks off.
    """
    number = 0
    for split in _splits(dataset).values():
        for row in _rows(split, dataset):
            number += 1
            if not isinstance(row.get(field), str | None) or field not in row:
                found = ", ".join(sorted(map(str, row))[:8])
                raise DataError("no text in this field", path=dataset, line=number, field=field, mend=f"found: {found}")
            yield number, row[field] or ""


def _splits(dataset: str) -> dict[str, Any]:
    if find_spec("datasets") is None:
        raise RequestError("datasets of a hub need a package: pip install 'jatdae[sft]'")
    from datasets import load_dataset

    name, _, revision = dataset.partition("@")
    try:
        return dict(cast("dict[str, Any]", load_dataset(name, revision=revision or None, streaming=True)))
    except (OSError, ValueError) as error:
        raise RequestError(f"{HUB}{dataset}: cannot be opened ({_first_line(error)})") from None


def _rows(split: Any, dataset: str) -> Iterator[dict[str, Any]]:
    try:
        yield from split
    except (OSError, ValueError) as error:
        raise JatdaeError(f"{HUB}{dataset}: reading broke off ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
