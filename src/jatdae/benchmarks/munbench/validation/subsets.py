"""A subset against the full set that it was taken from: V24."""

from __future__ import annotations

import json
from collections.abc import Iterator

from jatdae.benchmarks.munbench.reading.layout import ITEM_FILES
from jatdae.benchmarks.munbench.validation.findings import Finding, error
from jatdae.benchmarks.munbench.validation.folder import Folder


def check(folder: Folder, full: Folder) -> Iterator[Finding]:
    """V24: every item of the folder is in the full set, the same to the byte; how lines are broken does not matter."""
    records = _records(full)
    for (file, name), record in _records(folder).items():
        if (file, name) not in records:
            yield error("V24", file, "the full set has no such item", item=name)
        elif record != records[file, name]:
            yield error("V24", file, f"differs from the full set in {full.path}", item=name)


def _records(folder: Folder) -> dict[tuple[str, str], str]:
    """Items as they stand in their files, without sidecars, as text with the order of fields kept."""
    found = {}
    for file in ITEM_FILES.values():
        value = folder.values.get(file)
        for row in value if isinstance(value, list) else []:
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                found[file, row["id"]] = json.dumps(row)
    return found
