"""What `jatdae data info` and `jatdae data validate` say of MunBench's files: counts, and the findings of 28 rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from jatdae.benchmarks.inspection import FileFact, Finding, Inspection
from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.benchmarks.munbench.reading.layout import ITEM_FILES
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.units import NEUTRAL, units_of
from jatdae.benchmarks.munbench.validation import validate
from jatdae.benchmarks.munbench.validation.findings import Finding as Warned
from jatdae.errors import DataError


def inspect_folder(folder: Path) -> Inspection:
    """Errors of the rules are problems, warnings are findings; a set that cannot be read has problems only."""
    report = validate(folder)
    problems = tuple(str(error) for error in report.errors)
    try:
        dataset = read_dataset(folder)
    except DataError as error:
        return Inspection("munbench", (), problems=problems or (str(error),))
    units = units_of(dataset)
    files = tuple(FileFact.of(folder / name, len(dataset.of_track(track))) for track, name in ITEM_FILES.items())
    facts = {
        "items": len(dataset.items),
        "prompts with variants": len(units),
        "variants": sum(unit.variant == NEUTRAL for unit in units),
        "prompts that cannot be scored": sum(not unit.scorable for unit in units),
        **{f"{TRACKS[track]} items": len(dataset.of_track(track)) for track in TRACKS},
        "slop entries": len(dataset.slop.entries),
        "data hash": dataset.hash[:12],
    }
    return Inspection("munbench", files, facts, _findings(report.warnings), problems)


def _findings(warnings: Sequence[Warned]) -> tuple[Finding, ...]:
    """The warnings of each rule as one finding."""
    by_rule = Counter(one.rule for one in warnings)
    return tuple(
        Finding(
            rule,
            number,
            tuple(one.item or one.file for one in warnings if one.rule == rule),
            next(one.message for one in warnings if one.rule == rule),
        )
        for rule, number in by_rule.items()
    )
