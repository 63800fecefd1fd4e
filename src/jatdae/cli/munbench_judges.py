"""`jatdae munbench human | agreement | audit | knowledge | show`: how far the judges can be believed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jatdae.errors import JatdaeError
from jatdae.evaluate.munbench.believing import (
    agreement_record,
    audit,
    correlate,
    export_sheet,
    import_sheets,
    key_file,
    sample_record,
)
from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.pipeline import workspace
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.validation import BatteryReport
from jatdae.reports.documents import document
from jatdae.runtime import Progress
from jatdae.store import redact

NOTHING = "n/a"


@contextmanager
def _opened(config: Path, *, quiet: bool = True) -> Iterator[Workspace]:
    with workspace(read_config(config), redact(["jatdae", *sys.argv[1:]]), progress=Progress(quiet=quiet)) as work:
        yield work
        for line in work.folder.warnings:
            print(f"warning: {line}", file=sys.stderr)


def export_command(config: Path, out: Path, size: int | None) -> None:
    """Write a blind sheet and its key."""
    with _opened(config) as work:
        number = export_sheet(work, out, size)
    print(f"{number} texts are in {out}; who wrote which is in {key_file(out)}: keep it from the raters")


def import_command(config: Path, sheets: Sequence[Path], key: Path | None) -> None:
    """Read sheets back."""
    with _opened(config) as work:
        taken, changed, notes = import_sheets(work, sheets, key)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    print(
        f"{taken} texts have people's scores" + (f"; {changed} have changed since and were left out" if changed else "")
    )


def agreement_command(config: Path, *, as_json: bool) -> None:
    """Print what is known of the judges."""
    with _opened(config) as work:
        record = agreement_record(work)
    if as_json:
        print(document(record))
        return
    if not record["human"]:
        print("judges and people: nobody has rated; `jatdae munbench human export` makes a blind sheet")
    for row in record["human"]:
        scope = f"track {row['track']}" if row["track"] else "all tracks"
        measures = {name: row[name] for name in ("spearman", "kendall", "kappa", "alpha", "pair_accuracy")}
        print(f"{row['judge']} and people, {scope}, {row['criterion']}: {_measures(measures)}")
        if row["not_validated"] and row["track"] is None:
            print(f"  {row['not_validated']}")
    if record["between_judges"]:
        between = record["between_judges"]
        print(f"between judges: {_measures({name: between[name] for name in ('icc_absolute', 'icc_order', 'alpha')})}")
    for row in record["repeatability"]:
        print(f"{row['judge']}, repeatability: {_measures({'std': row['std'], 'icc': row['icc']})}")
    for row in record["position"]:
        orders = row["orders"]
        measures = {"flips": orders["flips"], "first wins": orders["first_wins"], "consistent": orders["consistency"]}
        alarm = "  more than a quarter turn with the order" if row["alarm"] else ""
        print(f"{row['judge']}, both orders: {_measures({**measures, 'longer wins': row['longer_wins']})}{alarm}")
    for row in record["self_preference"]:
        if row["own"] or row["family"]:
            print(f"{row['judge']}, points more for its own: {_measures({'own': row['own'], 'family': row['family']})}")


def _measures(found: Mapping[str, Mapping[str, Any] | None]) -> str:
    return ", ".join(f"{name} {_figure(one)}" for name, one in found.items())


def _figure(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return NOTHING
    if one["low"] is None or one["high"] is None:
        return f"{one['value']:.3f} [n/a]"
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def audit_command(config: Path, items: int, *, as_json: bool, quiet: bool) -> int:
    """Attack the judges and print what came of it; 1 when one of them gives in."""
    with _opened(config, quiet=quiet) as work:
        reports = audit(work, items)
        told = [_audit_record(report) for report in reports]
        write_text(work.folder.path / "audit.json", json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    if as_json:
        print(document({"audit": told}))
    else:
        for one in told:
            _show_audit(one)
    return JatdaeError.exit_code if any(False in one["accepted"].values() for one in told) else 0


def _audit_record(report: BatteryReport) -> dict[str, Any]:
    return {
        "judge": report.judge,
        "accepted": {
            "resists injection": report.resists_injection,
            "null answers score low": report.null_answers_low,
            "resists flattery and padding": report.resists_sycophancy,
            "empty shells rank below models": report.shells_below_models,
        },
        "kinds": {kind: _plain(summary) for kind, summary in report.by_kind().items()},
        "languages": {language: _plain(summary) for language, summary in report.by_language().items()},
    }


def _plain(summary: Any) -> dict[str, Any]:
    return json.loads(document({"summary": summary}))["summary"]


def _show_audit(one: Mapping[str, Any]) -> None:
    print(one["judge"])
    words = {True: "yes", False: "NO", None: NOTHING}
    for name, accepted in one["accepted"].items():
        print(f"  {name}: {words[accepted]}")
    for kind, row in one["kinds"].items():
        measures = {name: row[name] for name in ("uplift", "towards", "success")}
        print(
            f"  {kind}: {_measures(measures)}, n={row['trials']}"
            + (f", {row['missing']} missing" if row["missing"] else "")
        )


def knowledge_command(config: Path, scores: Path, *, as_json: bool) -> None:
    """Print the rank correlation of a knowledge test with each track."""
    with _opened(config) as work:
        found = correlate(work, scores)
    if as_json:
        print(document({"tracks": found}))
        return
    for track, one in found.items():
        rho = json.loads(document({"rho": one.rho}))["rho"]
        print(f"track {track}: rho {_figure(rho)} over {one.models} models" + (f"; {one.note}" if one.note else ""))


def show_command(config: Path, sample: str) -> None:
    """Print one item's prompts, texts, scores, verdicts and measures as JSON, in which nothing can steer a terminal."""
    with _opened(config) as work:
        record = sample_record(work, sample)
    print(document(record))
