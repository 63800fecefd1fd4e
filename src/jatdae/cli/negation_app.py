"""The commands of `jatdae negation` and `jatdae report`, and their options; each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

negation_app = typer.Typer(
    help="Negation in Korean text: find it, study a corpus, align and build a benchmark.", no_args_is_help=True
)
report_app = typer.Typer(help="What is stored as a report: HTML, Markdown or JSON.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
MethodOption = Annotated[str, typer.Option(help="'morphemes', or the published surface 'rules'.")]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Processes that work at once; by default as many as cores.")
]


@negation_app.command()
def detect(
    texts: Annotated[list[str], typer.Argument(help="Sentences, files of them, or - for standard input.")],
    method: MethodOption = "morphemes",
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> int:
    """The negations of each sentence: span, type, what is denied, and the clause that holds it."""
    from jatdae.cli.negation_study import detect_command

    return detect_command(texts, method=method, workers=workers, as_json=as_json)


@negation_app.command()
def study(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files or folders (txt, jsonl, parquet, .gz), or hub:NAME[@REVISION].")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for figures, report, charts and review sheet.")] = Path(
        "negation-study"
    ),
    sample: Annotated[int, typer.Option(min=1, help="Sentences to look at.")] = 30_000,
    clusters: Annotated[
        int | None, typer.Option(min=1, help="Draw so many whole blocks of 1,000 sentences instead.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 2025,
    max_chars: Annotated[int, typer.Option(min=1, help="Longer sentences are counted and left out.")] = 400,
    splitter: Annotated[
        str, typer.Option(help="'kiwi', 'rules' (final marks alone, fast), 'kss', or 'line'.")
    ] = "kiwi",
    method: MethodOption = "morphemes",
    field: Annotated[str, typer.Option(help="Field or column of jsonl and parquet that holds the text.")] = "text",
    review: Annotated[
        Path | None, typer.Option("--review", help="A sheet that a person filled in, for the study in --out.")
    ] = None,
    engine: Annotated[str, typer.Option(help="'local' processes, or a 'ray' cluster.")] = "local",
    workers: WorkersOption = None,
    offline: Annotated[bool, typer.Option("--offline", help="Touch no network.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """How often a corpus negates, how, and in which clauses; the same command again continues where it stopped."""
    from jatdae.cli.negation_study import study_command

    return study_command(
        paths or [],
        out=out,
        sample=sample,
        clusters=clusters,
        seed=seed,
        max_chars=max_chars,
        splitter=splitter,
        method=method,
        field=field,
        review=review,
        engine=engine,
        workers=workers,
        offline=offline,
        as_json=as_json,
        quiet=quiet,
    )


@negation_app.command()
def align(
    benchmark: Annotated[
        Path, typer.Option("--benchmark", help="File in KoNUBench's format, or folder of its splits.")
    ],
    study: Annotated[str, typer.Option("--study", help="Folder of a study, or 'reference' for the published one.")],
    select: Annotated[
        int | None, typer.Option("--select", min=1, help="Choose N items that come closest to the corpus.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File for the chosen items.")] = None,
    labels: Annotated[str, typer.Option(help="The file's 'gold' labels, or those of the 'detector'.")] = "gold",
    smoothing: Annotated[
        float | None, typer.Option(help="Added to every class; without it an empty class is an error.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """How near a benchmark's negation is to a corpus' (divergences with intervals), and which items bring it nearer."""
    from jatdae.cli.negation_align import align_command

    return align_command(
        study,
        benchmark,
        select=select,
        out=out,
        labels=labels,
        smoothing=smoothing,
        as_json=as_json,
        quiet=quiet,
    )


@negation_app.command()
def build(
    project: Annotated[Path, typer.Argument(help="The project's folder.")],
    step: Annotated[
        str,
        typer.Argument(help="init, units, add, merge, sheet, draft, check, verify, review, disputes, release ..."),
    ],
    words: Annotated[
        list[str] | None, typer.Argument(help="What the step takes: a name, a file, a folder, an id.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Who works: an author that project.yaml names.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Touch no network.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Build a benchmark of negation, step by step, with every change on record."""
    from jatdae.cli.negation_build import build_command

    return build_command(project, step, words or [], by=by, offline=offline, as_json=as_json, quiet=quiet)


@negation_app.command()
def testbed(
    split: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    data: Annotated[str | None, typer.Option("--data", help="Folder with KoNUBench, or the word 'mini'.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the tables and all disagreements.")] = None,
    as_json: JsonOption = False,
) -> None:
    """How accurate detector, clause classifier and negator are against the benchmark's labels."""
    from jatdae.cli.negation_testbed import testbed_command

    testbed_command(split, data=data, out=out, as_json=as_json)


@report_app.callback(invoke_without_command=True)
def report(
    context: typer.Context,
    store: Annotated[Path, typer.Option("--store", help="Folder that keeps answers and results.")] = Path(
        "jatdae-store"
    ),
    style: Annotated[str, typer.Option("--format", help="'html', 'md' or 'json'.")] = "html",
    out: Annotated[Path | None, typer.Option("--out", help="File to write; needed for html.")] = None,
    lang: Annotated[str, typer.Option(help="'en' or 'ko'; an HTML report has both and shows this one first.")] = "en",
    task: Annotated[list[str] | None, typer.Option("--task", help="Only this task or family; may repeat.")] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="Only models with this name; may repeat.")] = None,
    run: Annotated[list[int] | None, typer.Option("--run", help="Only this run; may repeat.")] = None,
    samples: Annotated[int, typer.Option(min=0, help="Samples of each result in the browser of samples.")] = 40,
    munbench: Annotated[
        list[Path] | None,
        typer.Option("--munbench", help="Results folder of MunBench with its leaderboard; may repeat."),
    ] = None,
) -> None:
    """One file to pass on: leaderboard, families, comparisons, protocols, samples. It fetches nothing."""
    if context.invoked_subcommand:
        return
    from jatdae.cli.reporting import ReportRequest, report_command

    chosen = (tuple(task or ()), tuple(model or ()), tuple(run or ()))
    report_command(store, ReportRequest(style, out, lang, *chosen, samples, tuple(munbench or ())))


@report_app.command("negation")
def report_negation(
    store: Annotated[Path, typer.Option("--store", help="Folder that keeps answers and results.")] = Path(
        "jatdae-store"
    ),
    models: Annotated[
        Path | None,
        typer.Option("--models", help="CSV or YAML: reference, name, family, parameters, tuning, korean."),
    ] = None,
    split: Annotated[str, typer.Option(help="Which split's results.")] = "test",
    lang: Annotated[str, typer.Option(help="'en' or 'ko'.")] = "en",
    out: Annotated[Path | None, typer.Option("--out", help="Folder for Markdown in both languages and JSON.")] = None,
    charts: Annotated[bool, typer.Option("--charts", help="SVG charts beside the report; needs --out.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """KoNUBench's tables for the stored models: shots, groups, errors by distractor, what surface alone achieves."""
    from jatdae.cli.negation_report import report_negation_command

    report_negation_command(store, models, split=split, lang=lang, out=out, draw=charts, as_json=as_json, quiet=quiet)
