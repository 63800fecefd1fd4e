"""Judge-free measures of a run's texts, kept beside its records, since to analyse all of them takes a while.

A measure is kept under the digest of all that decides it: data set, unit, text, version. A broken file is made anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from jatdae.benchmarks.munbench.metrics import VERSION, Measurer, TextMetrics
from jatdae.benchmarks.munbench.records import Dataset
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.lines import read_lines, write_lines
from jatdae.types import digest

Key = tuple[str, str, int]
METRICS = TypeAdapter(TextMetrics)


def measured(
    texts: Mapping[Key, tuple[str, ...]], units: Mapping[str, Unit], dataset: Dataset, file: Path
) -> dict[Key, TextMetrics]:
    """The measures of texts (by model, unit and index), those in `file` as they are there; new ones are added to it."""
    kept = _read(file)
    names = {key: digest(VERSION, dataset.hash, key[1], *outputs) for key, outputs in texts.items()}
    new = {names[key]: key for key in texts if names[key] not in kept}
    if new:
        measurer = Measurer(dataset)
        kept |= {name: measurer.measure(units[key[1]], texts[key]) for name, key in new.items()}
        write_lines(file, ({"text": name, "metrics": asdict(one)} for name, one in sorted(kept.items())))
    return {key: kept[names[key]] for key in texts}


def _read(file: Path) -> dict[str, TextMetrics]:
    found: dict[str, TextMetrics] = {}
    for row in read_lines(file)[0]:
        try:
            found[str(row["text"])] = METRICS.validate_python(row["metrics"])
        except (KeyError, ValidationError):
            continue
    return found
