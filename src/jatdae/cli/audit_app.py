"""The commands of `jatdae audit contamination` and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jatdae.models.options import ModelOptions

audit_app = typer.Typer(help="Signs that something is wrong with a measurement.", no_args_is_help=True)
contamination_app = typer.Typer(
    help="Was the benchmark in the training data? Each check says what it lets one claim.", no_args_is_help=True
)
audit_app.add_typer(contamination_app, name="contamination")

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="A task, such as kmmlu or kmmlu/law.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="A model that gives log-likelihoods.")]
DataOption = Annotated[str | None, typer.Option("--data", help="Folder with the data, or the word 'mini'.")]
StoreOption = Annotated[Path, typer.Option("--store", help="Folder that keeps answers and results.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="A random subset: N items of each subject.")]
LangOption = Annotated[str, typer.Option(help="'en' or 'ko'.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="File for the finding as Markdown.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
DtypeOption = Annotated[str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Touch no network.")]
STORE = Path("jatdae-store")


@contamination_app.command()
def ngrams(
    task: TaskArgument,
    corpus: Annotated[list[str], typer.Option("--corpus", help="Files or folders: txt, jsonl, parquet; may repeat.")],
    field: Annotated[str, typer.Option(help="Which field of jsonl and parquet holds the text.")] = "text",
    data: DataOption = None,
    store: StoreOption = STORE,
    run: Annotated[int | None, typer.Option("--run", help="Also the scores of this run on both parts.")] = None,
    items: Annotated[int, typer.Option(min=0, help="List so many overlapping items.")] = 20,
    lang: LangOption = "en",
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Which items does this corpus hold? By character n-grams; no model is asked."""
    from jatdae.cli.auditing import Told, ngrams_command

    ngrams_command(task, corpus, field, data, store, run, Told(lang, as_json, out, items))


@contamination_app.command()
def order(
    task: TaskArgument,
    model: ModelOption,
    limit: LimitOption = None,
    data: DataOption = None,
    store: StoreOption = STORE,
    dtype: DtypeOption = None,
    device: DeviceOption = "auto",
    offline: OfflineOption = False,
    lang: LangOption = "en",
    out: OutOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Is the published order of an item's options the likeliest of all its orders?"""
    from jatdae.cli.auditing import Told, model_command

    options = _options(dtype, device, offline=offline)
    model_command("order", task, model, options, limit, data, store, Told(lang, as_json, out, quiet=quiet))


@contamination_app.command()
def files(
    task: TaskArgument,
    model: ModelOption,
    data: DataOption = None,
    store: StoreOption = STORE,
    dtype: DtypeOption = None,
    device: DeviceOption = "auto",
    offline: OfflineOption = False,
    lang: LangOption = "en",
    out: OutOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Are the rows of the file likelier in their published order than shuffled?"""
    from jatdae.cli.auditing import Told, model_command

    options = _options(dtype, device, offline=offline)
    model_command("files", task, model, options, None, data, store, Told(lang, as_json, out, quiet=quiet))


@contamination_app.command()
def shuffle(
    task: TaskArgument,
    model: ModelOption,
    limit: LimitOption = None,
    data: DataOption = None,
    store: StoreOption = STORE,
    dtype: DtypeOption = None,
    device: DeviceOption = "auto",
    offline: OfflineOption = False,
    lang: LangOption = "en",
    out: OutOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Does accuracy hold when the options are moved round? Robustness, no proof."""
    from jatdae.cli.auditing import Told, model_command

    options = _options(dtype, device, offline=offline)
    model_command("shuffle", task, model, options, limit, data, store, Told(lang, as_json, out, quiet=quiet))


def _options(dtype: str | None, device: str, *, offline: bool) -> ModelOptions:
    from jatdae.cli.settings import one_of
    from jatdae.models.options import ModelOptions

    known = one_of("--dtype", dtype, ("float32", "bfloat16", "float16"))
    return ModelOptions(dtype=known, device=device, offline=offline)
