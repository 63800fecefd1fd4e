"""`jatdae data pull | info | validate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from jatdae.benchmarks.download import pull
from jatdae.benchmarks.families import Family, find_family
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.reports.tables import columns, console
from jatdae.runtime import Progress


def pull_command(names: Sequence[str], folder: Path | None, *, offline: bool, as_json: bool, quiet: bool) -> None:
    """Fetch and verify each benchmark's release."""
    progress = Progress(quiet=quiet)
    pulled: list[dict[str, object]] = []
    for family in _families(names):
        benchmark, release = family.name, family.release
        if release is None:
            raise RequestError(
                f"{benchmark} has no pinned release to fetch; put its files into a folder and name it with --data"
            )
        progress.stage(f"{release.title}, revision {release.revision[:12]}, licence: {release.licence}")
        report = pull(release, folder, progress=progress.stage, offline=offline)
        told = family.after_pull(folder)
        pulled.append({"benchmark": benchmark, "release": release.revision, "report": report, "note": told})
        if not as_json:
            print(
                f"{benchmark}: {len(report.downloaded)} fetched, {len(report.already_there)} already there, "
                f"{len(report.verified)} verified by hash, in {report.folder}" + (f"; {told}" if told else "")
            )
    if as_json:
        print(document({"pulled": pulled}))


def info_command(names: Sequence[str], data: str | None, *, as_json: bool) -> None:
    """Describe local data: files, counts, hashes, licence, irregularities."""
    inspected = [(family, _inspect(family, data)) for family in _families(names)]
    if as_json:
        print(document({"data": [_record(family, inspection) for family, inspection in inspected]}))
        return
    screen = console()
    for family, inspection in inspected:
        card = family.card
        screen.print(f"\n{card.title}: licence {card.licence}, from {card.origin}", style="bold", highlight=False)
        files = [(fact.name, f"{fact.items:,}", fact.sha256[:16]) for fact in inspection.files]
        screen.print(columns(("file", "items", "sha256"), files))
        screen.print(columns(("fact", "value"), [(name, str(value)) for name, value in inspection.facts.items()]))
        found = [(f.name, f"{f.count:,}", _some(f.ids), f.meaning) for f in inspection.findings]
        screen.print(columns(("irregularity", "count", "items", "what it means"), found))
        _problems(screen, inspection)


def validate_command(names: Sequence[str], data: str | None, *, as_json: bool) -> int:
    """Check local data; 0 when all of it can be used, 2 otherwise."""
    inspected = [(family, _inspect(family, data)) for family in _families(names)]
    if as_json:
        print(document({"data": [_record(family, inspection) for family, inspection in inspected]}))
    else:
        for family, inspection in inspected:
            items = sum(fact.items for fact in inspection.files)
            verdict = "valid" if inspection.valid else "NOT valid"
            print(f"{family.name}: {len(inspection.files)} files, {items:,} items, {verdict}")
            _problems(console(), inspection)
    return 0 if all(inspection.valid for _, inspection in inspected) else RequestError.exit_code


def _families(names: Sequence[str]) -> list[Family]:
    """The families of the names, each once."""
    families = [find_family(name) for name in names]
    return list({family.name: family for family in families}.values())


def _inspect(family: Family, data: str | None) -> Inspection:
    inspection = family.inspect(Source.of(data))
    if inspection is None:
        raise RequestError(f"{family.name} has no description of its data")
    return inspection


def _record(family: Family, inspection: Inspection) -> dict[str, object]:
    return {"benchmark": family.name, "card": family.card, "valid": inspection.valid, "inspection": inspection}


def _problems(screen: Console, inspection: Inspection) -> None:
    for problem in inspection.problems:
        screen.print(f"problem: {problem}", highlight=False, markup=False)


def _some(ids: Sequence[str], most: int = 6) -> str:
    return ", ".join(ids[:most]) + (f", ... ({len(ids)})" if len(ids) > most else "")
