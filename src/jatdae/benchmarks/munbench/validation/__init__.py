"""Validates a folder of MunBench data by 28 rules; it goes on after a fault and lists them all.

Each module holds the rules of one theme (specification, section 1.9).
"""

from __future__ import annotations

from pathlib import Path

from jatdae.benchmarks.munbench.reading.layout import REQUIRED, SIDECARS
from jatdae.benchmarks.munbench.validation import (
    characters,
    counts,
    duplicates,
    lengths,
    role_play,
    rubrics,
    sidecars,
    slop,
    structure,
    subsets,
    variants,
)
from jatdae.benchmarks.munbench.validation.findings import Finding, Report
from jatdae.benchmarks.munbench.validation.folder import Folder, open_folder

__all__ = ["Finding", "Report", "validate"]

_THEMES = (structure, counts, role_play, characters, lengths, variants, rubrics, slop, duplicates, sidecars)


def validate(folder: Path, *, subset_of: Path | None = None) -> Report:
    """All findings on a folder, in a fixed order. With `subset_of`, its items must be those of that full set (V24).

    A file that is missing or cannot be read is a finding (V01), and the rules go on with the rest.
    """
    data, findings = open_folder(folder)
    for theme in _THEMES:
        findings.extend(theme.check(data))
    if subset_of is not None:
        full, faults = open_folder(subset_of)
        findings.extend(subsets.check(data, full))
        findings.extend(_of_full_set(fault) for fault in faults if fault.rule == "V01")
    return Report(folder, _ordered(findings, data))


def _of_full_set(fault: Finding) -> Finding:
    return Finding("V24", fault.level, fault.file, fault.item, fault.field, f"in the full set: {fault.message}")


def _ordered(findings: list[Finding], data: Folder) -> tuple[Finding, ...]:
    files = {name: place for place, name in enumerate((*REQUIRED, *SIDECARS))}
    places = {item.id: place for place, item in enumerate(data.items)}

    def key(finding: Finding) -> tuple[str, int, int, str, str, str]:
        item = finding.item or ""
        place = places.get(item, -1)
        return finding.rule, files[finding.file], place, item, finding.field or "", finding.message

    return tuple(sorted(set(findings), key=key))
