"""A release of one's own in the benchmark's format: a manifest beside its files says which bytes they have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from jatdae.benchmarks.kmmlu.pinned import problem, sha256_of
from jatdae.benchmarks.konubench.release import REVISION, pin_of
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError

MANIFEST = "release.json"
FORMAT = "konubench"


def changed(path: Path, split: str) -> str | None:
    """What is wrong with the bytes of a split's file; None where they are those of its own or the published release.

    Raises DataError for a manifest that cannot be read.
    """
    own = own_hashes(path.parent / MANIFEST)
    if own is None:
        return None if sha256_of(path) == pin_of(split)[0] else problem(path.name, REVISION)
    if own.get(path.name) == sha256_of(path):
        return None
    return f"{path.name}: not the file that {MANIFEST} beside it describes; release it again"


def own_hashes(manifest: Path) -> Mapping[str, str] | None:
    """The SHA-256 of each file of a release by its name; None where there is no manifest of this format."""
    if not manifest.is_file():
        return None
    try:
        told = json.loads(read_text(manifest))
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"not valid JSON: {error}", path=manifest) from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return None
    hashes = told.get("sha256")
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        raise DataError("hashes by file name are expected", path=manifest, field="sha256")
    return hashes
