"""`jatdae munbench ...`: thin. Settings and options in, the stages of `evaluate.munbench`, tables and files out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jatdae.benchmarks.munbench.reading import locate_data
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.validation import validate
from jatdae.benchmarks.sources import Source
from jatdae.cli.settings import one_of
from jatdae.errors import JatdaeError, RequestError
from jatdae.evaluate.munbench.config import ModelEntry, MunConfig, read_config
from jatdae.evaluate.munbench.panel import asked, ping, problems
from jatdae.evaluate.munbench.pipeline import data_folder, run_stages, workspace
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.reports.documents import document
from jatdae.reports.munbench import leaderboard, show_leaderboard, write_leaderboard
from jatdae.runtime import Progress
from jatdae.store import redact

NOT_READY, LITTLE_COVERAGE = 3, 4
"""Exit codes beside the usual ones: a check failed before a call was spent; too much is missing to publish."""


def validate_command(config: Path, data: str | None, full: Path | None, *, as_json: bool) -> int:
    """Print every finding; 2 when there is an error."""
    folder = locate_data(Source.of(data)) if data is not None else data_folder(read_config(config))
    report = validate(folder, subset_of=full)
    if as_json:
        print(document({"folder": str(folder), "findings": report.findings, "passed": report.passed}))
    else:
        for finding in report.findings:
            print(finding)
        found = ", ".join(f"{rule} {number}" for rule, number in report.counts().items())
        print(
            f"{folder}: {len(report.errors)} errors, {len(report.warnings)} warnings"
            + (f" ({found})" if found else ""),
            file=sys.stderr,
        )
    return 0 if report.passed else RequestError.exit_code


def doctor_command(path: Path, *, ask: bool, as_json: bool) -> int:
    """Say for each model whether it could be asked, and how to mend it."""
    config = read_config(path)
    entries = asked([*config.models, *config.judges, *config.pairwise_judges])
    found = {entry.id: problems([entry], config) for entry in entries}
    if ask and not any(found.values()):
        found = ping(entries, config)
    if as_json:
        print(document({"models": found}))
    else:
        for name, lines in found.items():
            print(f"{name}: {'; '.join(lines) or 'ready'}")
    return NOT_READY if any(found.values()) else 0


def estimate_command(path: Path, track: str, *, as_json: bool) -> int:
    """Print what a run would take."""
    from jatdae.evaluate.munbench.estimating import estimate_run
    from jatdae.reports.munbench import show_estimate

    config = read_config(path)
    told = estimate_run(config, _tracks(track))
    if as_json:
        print(document({"estimate": told}))
    else:
        show_estimate(told)
    return 0


def stage_command(
    stages: Sequence[str],
    path: Path,
    *,
    track: str,
    models: Sequence[str] | None,
    quiet: bool,
    as_json: bool = False,
) -> int:
    """Run stages in order and the report at their end, if it is among them. See the exit codes above."""
    config = read_config(path)
    lacking = problems(_asked_by(stages, config), config)
    if lacking:
        for line in lacking:
            print(f"error: {line}", file=sys.stderr)
        return NOT_READY
    command = redact(["jatdae", *sys.argv[1:]])
    with workspace(config, command, tracks=_tracks(track), models=models or (), progress=Progress(quiet=quiet)) as work:
        run_stages(work, [stage for stage in stages if stage != "report"])
        covered = _report(work, as_json=as_json) if "report" in stages else 1.0
        for line in [*work.folder.warnings, *work.faults]:
            print(f"warning: {line}", file=sys.stderr)
    if covered < config.publish.min_coverage:
        return LITTLE_COVERAGE
    return JatdaeError.exit_code if work.faults else 0


def _asked_by(stages: Sequence[str], config: MunConfig) -> list[ModelEntry]:
    """Who will be asked: a stage needs neither the keys nor the logins of another's models."""
    who = {"generate": config.models, "rubric": config.judges, "pairwise": config.pairwise_judges}
    return [entry for stage in stages for entry in who.get(stage, [])]


def _report(work: Workspace, *, as_json: bool) -> float:
    """Write and show the leaderboard; returns the least coverage of any model."""
    board = leaderboard(work)
    write_leaderboard(board, work.folder.path)
    if as_json:
        print(document(board.record))
    else:
        show_leaderboard(board)
    return board.least_coverage


def _tracks(given: str) -> tuple[int, ...]:
    """`all`, or one number or name. Raises RequestError."""
    names = {"all": tuple(TRACKS), **{str(track): (track,) for track in TRACKS}}
    names |= {name: (track,) for track, name in TRACKS.items()}
    return names[one_of("--track", given, tuple(names))]
