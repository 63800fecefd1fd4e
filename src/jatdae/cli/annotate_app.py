"""`jatdae annotate`: sets of stored outputs for people to rate. What a command needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

annotate_app = typer.Typer(help="People rate stored outputs: blind sets, agreement, export.", no_args_is_help=True)

StoreOption = Annotated[Path, typer.Option("--store", help="Folder that keeps the sets and what raters say.")]
NameArgument = Annotated[str, typer.Argument(help="The set's name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
DEFAULT_STORE = Path("jatdae-store")


@annotate_app.command()
def create(
    name: Annotated[str, typer.Argument(help="A name for the set; raters see it.")],
    kind: Annotated[str, typer.Option("--kind", help="'rubric' (scores) or 'pairs' (which of two is better).")],
    munbench: Annotated[Path | None, typer.Option("--munbench", help="Settings of a MunBench run.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Or a task with stored results.")] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="With --task: whose outputs; may repeat.")] = None,
    run: Annotated[list[int] | None, typer.Option("--run", help="With --task: only these runs; may repeat.")] = None,
    size: Annotated[int | None, typer.Option("--size", min=1, help="How many; all by default.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the choice and every order.")] = 0,
    criteria: Annotated[
        list[str] | None, typer.Option("--criteria", help="What to score: 'NAME' or 'NAME: DESCRIPTION'; may repeat.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Make a blind set of a MunBench run's texts, or of what models wrote to a task."""
    from jatdae.cli.annotating import Source, create_command

    source = Source(munbench, task, tuple(model or ()), tuple(run or ()))
    create_command(store, name, kind, source, size=size, seed=seed, criteria=tuple(criteria or ()))


@annotate_app.command("list")
def list_(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """The sets, and how far each rater has come."""
    from jatdae.cli.annotating import list_command

    list_command(store, as_json=as_json)


@annotate_app.command()
def export(
    name: NameArgument,
    out: Annotated[Path, typer.Option("--out", help="New file: CSV for spreadsheets, or .jsonl.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write what raters said; scores in the form that `munbench human import` takes."""
    from jatdae.cli.annotating import export_command

    export_command(store, name, out)


@annotate_app.command()
def apply(name: NameArgument, store: StoreOption = DEFAULT_STORE) -> None:
    """Put what raters said into the records of the MunBench run, beside the texts that they saw."""
    from jatdae.cli.annotating import apply_command

    apply_command(store, name)


@annotate_app.command()
def agreement(name: NameArgument, store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """How raters agree with each other, and judges with them."""
    from jatdae.cli.annotating import agreement_command

    agreement_command(store, name, as_json=as_json)
