"""`jatdae munbench`: the commands and their options. What a command needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

munbench_app = typer.Typer(help="MunBench: generate, judge, rate and report Korean writing.", no_args_is_help=True)

ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="YAML file with the settings.")]
ModelsOption = Annotated[
    list[str] | None, typer.Option("--models", "-m", help="Only these contestants of the settings; may repeat.")
]
TrackOption = Annotated[str, typer.Option("--track", help="all, 1 (emotion), 2 (literary) or 3 (nuance).")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
DEFAULT = Path("munbench.yaml")

human_app = typer.Typer(help="People's scores: a blind sheet out, ratings in.", no_args_is_help=True)
munbench_app.add_typer(human_app, name="human")


@munbench_app.command("validate-data")
def validate_data(
    config: ConfigOption = DEFAULT,
    data: Annotated[
        str | None, typer.Option("--data", help="Folder with the data, or 'mini'; else the settings'.")
    ] = None,
    full: Annotated[Path | None, typer.Option("--full", help="The full set that this one was taken from.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Check items, rubrics, slop list and sidecars by 28 rules; exit code 2 if there is an error."""
    from jatdae.cli.munbench import validate_command

    return validate_command(config, data, full, as_json=as_json)


@munbench_app.command()
def doctor(
    config: ConfigOption = DEFAULT,
    ping: Annotated[bool, typer.Option("--ping", help="Send each model one small request.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Check keys, command-line clients and logins, before a call is spent; exit code 3 if something lacks."""
    from jatdae.cli.munbench import doctor_command

    return doctor_command(config, ask=ping, as_json=as_json)


@munbench_app.command()
def estimate(config: ConfigOption = DEFAULT, track: TrackOption = "all", as_json: JsonOption = False) -> int:
    """Calls, tokens, cost and expected precision of a run, without asking anything."""
    from jatdae.cli.munbench import estimate_command

    return estimate_command(config, track, as_json=as_json)


@munbench_app.command()
def generate(
    config: ConfigOption = DEFAULT, track: TrackOption = "all", models: ModelsOption = None, quiet: QuietOption = False
) -> int:
    """Have every contestant write. The same command again asks only for what is missing."""
    from jatdae.cli.munbench import stage_command

    return stage_command(("generate",), config, track=track, models=models, quiet=quiet)


@munbench_app.command()
def judge(
    mode: Annotated[str, typer.Option("--mode", help="'rubric' or 'pairwise'.")] = "rubric",
    config: ConfigOption = DEFAULT,
    track: TrackOption = "all",
    models: ModelsOption = None,
    quiet: QuietOption = False,
) -> int:
    """Have the judges score every text, or compare texts two by two in both orders."""
    from jatdae.cli.munbench import stage_command
    from jatdae.cli.settings import one_of

    chosen: str = one_of("--mode", mode, ("rubric", "pairwise"))
    return stage_command((chosen,), config, track=track, models=models, quiet=quiet)


@munbench_app.command()
def elo(config: ConfigOption = DEFAULT, quiet: QuietOption = False) -> int:
    """Ratings from the comparisons: Bradley-Terry with intervals, and the published Elo beside it."""
    from jatdae.cli.munbench import stage_command

    return stage_command(("elo",), config, track="all", models=None, quiet=quiet)


@munbench_app.command()
def report(
    config: ConfigOption = DEFAULT, models: ModelsOption = None, as_json: JsonOption = False, quiet: QuietOption = False
) -> int:
    """Write leaderboard.md and leaderboard.json, and show the tables."""
    from jatdae.cli.munbench import stage_command

    return stage_command(("report",), config, track="all", models=models, quiet=quiet, as_json=as_json)


@munbench_app.command()
def run(
    config: ConfigOption = DEFAULT,
    track: TrackOption = "all",
    models: ModelsOption = None,
    skip_generate: Annotated[bool, typer.Option("--skip-generate", help="Take the texts that are there.")] = False,
    skip_rubric: Annotated[bool, typer.Option("--skip-rubric", help="No rubric judging.")] = False,
    skip_pairwise: Annotated[bool, typer.Option("--skip-pairwise", help="No pairwise judging.")] = False,
    skip_elo: Annotated[bool, typer.Option("--skip-elo", help="No ratings.")] = False,
    skip_report: Annotated[bool, typer.Option("--skip-report", help="No leaderboard.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """All stages in order; what stays missing is told. The same command again continues."""
    from jatdae.cli.munbench import stage_command

    skipped = {
        "generate": skip_generate,
        "rubric": skip_rubric,
        "pairwise": skip_pairwise,
        "elo": skip_elo,
        "report": skip_report,
    }
    stages = tuple(stage for stage, skip in skipped.items() if not skip)
    return stage_command(stages, config, track=track, models=models, quiet=quiet, as_json=as_json)


@human_app.command("export")
def human_export(
    out: Annotated[Path, typer.Option("--out", help="New file: CSV for spreadsheets, or .jsonl.")],
    size: Annotated[int | None, typer.Option("--size", min=1, help="How many texts; all by default.")] = None,
    config: ConfigOption = DEFAULT,
) -> None:
    """Write texts for people to rate, without names and in a balanced order, and the key beside it."""
    from jatdae.cli.munbench_judges import export_command

    export_command(config, out, size)


@human_app.command("import")
def human_import(
    sheets: Annotated[list[Path], typer.Argument(help="Sheets that raters filled in.")],
    key: Annotated[Path | None, typer.Option("--key", help="The key, if it is not beside the first sheet.")] = None,
    config: ConfigOption = DEFAULT,
) -> None:
    """Put people's scores beside the texts that they saw."""
    from jatdae.cli.munbench_judges import import_command

    import_command(config, sheets, key)


@munbench_app.command()
def agreement(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """How the judges agree with people, with each other, with themselves, and with both orders of a pair."""
    from jatdae.cli.munbench_judges import agreement_command

    agreement_command(config, as_json=as_json)


@munbench_app.command()
def audit(
    config: ConfigOption = DEFAULT,
    items: Annotated[int, typer.Option("--items", min=1, help="Texts to attack with; 30 or more say something.")] = 30,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Attack the judges: injections, flattery, padding, empty shells; exit code 1 when one gives in."""
    from jatdae.cli.munbench_judges import audit_command

    return audit_command(config, items, as_json=as_json, quiet=quiet)


@munbench_app.command()
def knowledge(
    scores: Annotated[Path, typer.Option("--scores", help="JSON file: model id to its score in a knowledge test.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Does knowing go with writing? Rank correlation over models, where there are enough of them."""
    from jatdae.cli.munbench_judges import knowledge_command

    knowledge_command(config, scores, as_json=as_json)


@munbench_app.command()
def show(
    sample: Annotated[str, typer.Argument(help="An item, such as T3-02-01, or one of its prompts.")],
    config: ConfigOption = DEFAULT,
) -> None:
    """One item in full, as JSON: what was asked, written, scored, compared and measured."""
    from jatdae.cli.munbench_judges import show_command

    show_command(config, sample)
