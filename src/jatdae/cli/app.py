"""The commands and their options. What a command needs is imported when it runs, so that help comes at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jatdae.cli.annotate_app import annotate_app
from jatdae.cli.audit_app import audit_app
from jatdae.cli.munbench_app import munbench_app
from jatdae.cli.negation_app import negation_app, report_app

if TYPE_CHECKING:
    from jatdae.models.options import ModelOptions

app = typer.Typer(
    name="jatdae",
    help="Jatdae (잣대) measures Korean language models: numbers that can be trusted, compared and explained.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(help="Fetch, check and describe the benchmarks' data.", no_args_is_help=True)
app.add_typer(data_app, name="data")
export_app = typer.Typer(help="Write what is stored in the formats of others.", no_args_is_help=True)
app.add_typer(export_app, name="export")
app.add_typer(annotate_app, name="annotate")
app.add_typer(audit_app, name="audit")
app.add_typer(munbench_app, name="munbench")
app.add_typer(negation_app, name="negation")
app.add_typer(report_app, name="report")

StoreOption = Annotated[Path, typer.Option("--store", help="Folder that keeps answers and results.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
DataOption = Annotated[str | None, typer.Option("--data", help="Folder with the data, or the word 'mini'.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Touch no network.")]
PrecisionOption = Annotated[str | None, typer.Option("--dtype", help="float32, or mixed precision: bfloat16, float16.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
TrustOption = Annotated[bool, typer.Option("--trust-remote-code", help="Run code that a checkpoint brings.")]
BackendOption = Annotated[
    list[str] | None, typer.Option("--backend-option", help="key=value of a backend, such as actors=4; may repeat.")
]
DEFAULT_STORE = Path("jatdae-store")


@app.callback()
def options(debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False) -> None:
    """Options of every command; `--debug` is taken off before commands are parsed."""


@app.command()
def run(
    tasks: Annotated[list[str] | None, typer.Argument(help="Tasks or benchmarks, such as kmmlu or konubench.")] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="BACKEND:NAME[@REVISION]; may repeat.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="YAML file: a matrix of models and tasks.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="How the task asks; see: jatdae list modes.")] = None,
    shots: Annotated[str | None, typer.Option(help="Solved examples in the prompt; several: 0,5.")] = None,
    seeds: Annotated[str | None, typer.Option(help="Seeds of examples or of training, such as 1234,308,1028.")] = None,
    demos: Annotated[str | None, typer.Option(help="Examples: 'fixed' for all items, or 'per-item'.")] = None,
    split: Annotated[str | None, typer.Option(help="Which split to measure.")] = None,
    limit: Annotated[int | None, typer.Option(help="A random subset: N items of each task or subject.")] = None,
    data: DataOption = None,
    store: StoreOption = DEFAULT_STORE,
    chat_template: Annotated[
        bool | None, typer.Option("--chat-template/--no-chat-template", help="Ask through the model's chat template.")
    ] = None,
    shots_as: Annotated[
        str | None, typer.Option(help="With a chat template: examples as 'turns' or as 'text'.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="key=value ...: a task's settings, or sampling.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, or balanced over all GPUs.")] = "auto",
    batch_tokens: Annotated[int | None, typer.Option(help="Token positions in one forward pass.")] = None,
    backend_option: BackendOption = None,
    truncate: Annotated[
        str, typer.Option(help="Prompts over the model's window: 'refuse', or cut from the 'left'.")
    ] = "refuse",
    trust_remote_code: TrustOption = False,
    grid: Annotated[
        str | None,
        typer.Option("--grid", help="klue: 'paper', or settings to vary such as 'lr=1e-5,3e-5;epochs=3,5'."),
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", help="munbench: who scores the texts, or 'rule'; may repeat.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="openai: root of a compatible server, ending in /v1.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests in flight to one provider.")] = 8,
    max_usd: Annotated[float | None, typer.Option(help="Most US dollars to spend; checked before each call.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Most calls to make, repeated attempts included.")] = None,
    preview: Annotated[
        int | None, typer.Option(min=1, help="Print N prompts as text and token ids, and ask nothing.")
    ] = None,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Evaluate models on tasks. The same command again continues where it stopped."""
    from jatdae.cli.run import RunRequest, run_command

    request = RunRequest(
        tasks=tuple(tasks or ()),
        models=tuple(model or ()),
        config=config,
        mode=mode,
        shots=shots,
        seeds=seeds,
        demos=demos,
        split=split,
        limit=limit,
        data=data,
        chat_template=chat_template,
        shots_as=shots_as,
        settings=tuple(settings or ()),
        dtype=dtype,
        device=device,
        batch_tokens=batch_tokens,
        backend_options=tuple(backend_option or ()),
        truncate=truncate,
        trust_remote_code=trust_remote_code,
        offline=offline,
        grid=grid,
        judges=tuple(judge or ()),
        base_url=base_url,
        concurrency=concurrency,
        max_usd=max_usd,
        max_calls=max_calls,
    )
    return run_command(request, store=store, preview=preview, as_json=as_json, quiet=quiet)


SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", help="key=value ...: epochs, lr, batch, max_length and other settings.")
]


@app.command()
def train(
    words: Annotated[
        list[str], typer.Argument(metavar="TASK", help="One task: of klue, such as klue/dp, or konubench.")
    ],
    model: Annotated[str, typer.Option("--model", "-m", help="klue: an encoder; konubench: a language model.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the checkpoint; it must be new or empty.")],
    mode: Annotated[str | None, typer.Option(help="konubench: learn as 'cloze' or as 'symbol'.")] = None,
    data: DataOption = None,
    settings: SettingsOption = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**32 - 1, help="Training seed; 42 for klue, 1200 for konubench.")
    ] = None,
    dtype: PrecisionOption = None,
    device: DeviceOption = "auto",
    trust_remote_code: TrustOption = False,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fine-tune an encoder (klue) or learn a LoRA adapter (konubench). The same command again continues."""
    from jatdae.cli.training import TrainRequest, train_command

    options = _model_options(dtype, device, trust_remote_code=trust_remote_code, offline=offline)
    request = TrainRequest(words, model, out, data, settings or (), seed, mode)
    train_command(request, options, as_json=as_json, quiet=quiet)


def _model_options(
    dtype: str | None, device: str, *, trust_remote_code: bool, offline: bool, own: Sequence[str] = ()
) -> ModelOptions:
    from jatdae.cli.settings import key_values, one_of
    from jatdae.models.options import ModelOptions

    known = one_of("--dtype", dtype, ("float32", "bfloat16", "float16"))
    return ModelOptions(
        dtype=known,
        device=device,
        trust_remote_code=trust_remote_code,
        offline=offline,
        backend_options=key_values("--backend-option", own),
    )


@app.command()
def predict(
    task: Annotated[str, typer.Argument(help="A task of KLUE, such as klue/ner.")],
    model: Annotated[str, typer.Option("--model", "-m", help="Fine-tuned checkpoint: a folder or a hub name.")],
    input_file: Annotated[
        Path, typer.Option("--input", help="Items without labels: JSON, JSONL, TXT, or as released.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="File for JSON lines; by default standard output.")] = None,
    dtype: PrecisionOption = None,
    device: DeviceOption = "auto",
    trust_remote_code: TrustOption = False,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Predict items with a fine-tuned checkpoint, as JSON lines that `jatdae score` reads."""
    from jatdae.cli.predicting import predict_command

    options = _model_options(dtype, device, trust_remote_code=trust_remote_code, offline=offline)
    return predict_command(task, model, input_file, out, options=options, as_json=as_json, quiet=quiet)


OutFileOption = Annotated[Path, typer.Option("--out", help="File: .csv, .json, .jsonl or .parquet.")]
RunOption = Annotated[int | None, typer.Option("--run", help="Only this run.")]
TaskOption = Annotated[str | None, typer.Option("--task", help="Only this task or family.")]
ModelOption = Annotated[str | None, typer.Option("--model", help="Only models whose reference contains this.")]
BomOption = Annotated[bool, typer.Option("--bom", help="Begin a CSV file with a byte-order mark, as Excel needs.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


@export_app.command("results")
def export_results(
    out: OutFileOption,
    run: RunOption = None,
    task: TaskOption = None,
    model: ModelOption = None,
    store: StoreOption = DEFAULT_STORE,
    bom: BomOption = False,
    force: ForceOption = False,
) -> None:
    """Every figure with its interval, n and method, one a row."""
    from jatdae.cli.exporting import Chosen, export_results_command

    export_results_command(store, out, Chosen(run, task, model), bom=bom, force=force)


@export_app.command("samples")
def export_samples(
    out: OutFileOption,
    run: RunOption = None,
    task: TaskOption = None,
    model: ModelOption = None,
    store: StoreOption = DEFAULT_STORE,
    bom: BomOption = False,
    force: ForceOption = False,
) -> None:
    """Every sample, one a row; scores and details as JSON in their cells."""
    from jatdae.cli.exporting import Chosen, export_samples_command

    export_samples_command(store, out, Chosen(run, task, model), bom=bom, force=force)


@export_app.command("lm-eval")
def export_lm_eval(
    out: Annotated[Path, typer.Option("--out", help="Folder; each model gets one in it.")],
    run: RunOption = None,
    task: TaskOption = None,
    model: ModelOption = None,
    store: StoreOption = DEFAULT_STORE,
    force: ForceOption = False,
) -> None:
    """Results and samples in the layout of lm-evaluation-harness."""
    from jatdae.cli.exporting import Chosen, export_harness_command

    export_harness_command(store, out, Chosen(run, task, model), force=force)


@export_app.command("model-card")
def export_model_card(
    out: Annotated[Path | None, typer.Option("--out", help="File; by default standard output.")] = None,
    readme: Annotated[
        Path | None, typer.Option("--readme", help="A model's README.md to take the figures into its front matter.")
    ] = None,
    run: RunOption = None,
    task: TaskOption = None,
    model: ModelOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """One model's figures as the hub's `model-index` metadata."""
    from jatdae.cli.exporting import Chosen, export_card_command

    export_card_command(store, out, Chosen(run, task, model), readme)


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="Folder of another store, such as one copied from another machine.")],
    store: StoreOption = DEFAULT_STORE,
    answers: Annotated[bool, typer.Option("--answers/--no-answers", help="Bring in the models' answers, too.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Bring the runs of another store into this one; it is only read, and what is known already is left out."""
    from jatdae.cli.exporting import import_command

    import_command(folder, store, answers=answers, as_json=as_json)


@export_app.command("klue-submission")
def export_klue_submission(
    models: Annotated[list[str], typer.Argument(help="klue/TASK=MODEL, or folders that `jatdae train` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="Folder; each task gets one in it.")],
    data: DataOption = None,
    split: Annotated[str, typer.Option(help="Which split to predict; 'dev' to try it.")] = "test",
    dtype: PrecisionOption = None,
    device: DeviceOption = "auto",
    trust_remote_code: TrustOption = False,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Predict KLUE's test split in the formats of its leaderboard, which is closed and took programs, not files."""
    from jatdae.cli.submitting import export_command

    options = _model_options(dtype, device, trust_remote_code=trust_remote_code, offline=offline)
    return export_command(models, out, data=data, split=split, options=options, as_json=as_json, quiet=quiet)


@app.command()
def demo(
    store: Annotated[
        Path | None, typer.Option("--store", help="Folder that keeps answers; by default a passing one.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Evaluate the bundled items with a small language model and a tiny encoder that is fine-tuned, offline."""
    from jatdae.cli.demo import demo_command

    return demo_command(store, as_json=as_json, quiet=quiet)


@app.command("list")
def list_what(
    what: Annotated[str, typer.Argument(help="tasks, models or modes.")] = "tasks", as_json: JsonOption = False
) -> None:
    """What can be run."""
    from jatdae.cli.listing import list_command

    list_command(what, as_json=as_json)


@app.command()
def score(
    task: Annotated[str, typer.Argument(help="Task whose official scoring applies, such as kmmlu or klue/ner.")],
    pred: Annotated[Path, typer.Option("--pred", help="File of predictions made elsewhere (CSV, TSV, JSON, JSONL).")],
    gold: Annotated[
        Path | None, typer.Option("--gold", help="klue: file of right answers; by default the dev split of the data.")
    ] = None,
    label_order: Annotated[
        str | None,
        typer.Option("--label-order", help="klue: whose order numbers for labels follow, 'official' or 'hub'."),
    ] = None,
    column: Annotated[str | None, typer.Option("--column", help="klue: which column holds the predictions.")] = None,
    gold_column: Annotated[
        str | None, typer.Option("--gold-column", help="klue: which column of the same file holds the gold labels.")
    ] = None,
    draws: Annotated[int, typer.Option("--draws", help="klue: resamples behind an interval.")] = 1_000,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score predictions that were made elsewhere, officially, and say what is missing from them."""
    from jatdae.benchmarks.scored import Submission
    from jatdae.cli.scoring import score_command

    score_command(Submission(task, pred, gold, data, label_order, draws, column, gold_column), as_json=as_json)


@app.command()
def results(
    task: Annotated[str | None, typer.Option(help="Only this task or family, such as klue.")] = None,
    model: Annotated[str | None, typer.Option(help="Only models whose reference contains this.")] = None,
    mode: Annotated[str | None, typer.Option(help="Only this mode.")] = None,
    status: Annotated[str | None, typer.Option(help="done, incomplete, running, interrupted or failed.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this day on, such as 2026-12-01.")] = None,
    last: Annotated[int | None, typer.Option(min=1, help="Only the newest N.")] = None,
    best: Annotated[bool, typer.Option("--best", help="The best of each question and model, best first.")] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """List what was measured, newest first."""
    from jatdae.cli.stored import Listed, results_command

    results_command(store, Listed(task, model, mode, status, since, last, best), as_json=as_json)


@app.command()
def show(
    run: Annotated[int, typer.Argument(help="Number of a run, as `jatdae results` lists it.")],
    samples: Annotated[int, typer.Option(help="Also show N items with what was asked and answered.")] = 0,
    reproduce: Annotated[
        bool, typer.Option("--reproduce", help="Print the command and the environment that give it again.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Explain one run: every figure with its interval, floors, rates and notes."""
    from jatdae.cli.stored import reproduce_command, show_command

    if reproduce:
        reproduce_command(store, run, as_json=as_json)
    else:
        show_command(store, run, samples=samples, as_json=as_json)


@app.command()
def view(
    store: StoreOption = DEFAULT_STORE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 0,
    lang: Annotated[str | None, typer.Option(help="'en' or 'ko'; by default as the browser asks.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    negation: Annotated[
        Path | None, typer.Option("--negation", help="Project of `jatdae negation build` to work on as forms.")
    ] = None,
) -> None:
    """The web app on this machine: runs, samples, models side by side, live progress, people's annotation."""
    from jatdae.cli.viewing import view_command

    view_command(store, port=port, lang=lang, browser=browser, negation=negation)


@app.command()
def compare(
    names: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Numbers of runs, or models; each is compared with A.")
    ],
    store: StoreOption = DEFAULT_STORE,
    force: Annotated[
        bool, typer.Option("--force", help="Compare answers to questions that differ; it is told.")
    ] = False,
    groups: Annotated[bool, typer.Option("--groups", help="Also show every subject or clause.")] = False,
    flips: Annotated[int, typer.Option(min=0, help="Also list N items that were gained, and N lost.")] = 0,
    style: Annotated[str | None, typer.Option("--format", help="'table' or 'md'.")] = None,
    lang: Annotated[str | None, typer.Option(help="'en' or 'ko': the language of the verdicts.")] = None,
    data: Annotated[
        str | None, typer.Option("--data", help="Folder of the data, where KLUE's F1 is computed anew from them.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File for Markdown or JSON.")] = None,
    as_json: JsonOption = False,
) -> None:
    """What B gains over A on the same items: paired differences with intervals, tests and a verdict in words."""
    from jatdae.cli.comparing import CompareRequest, compare_command

    request = CompareRequest(tuple(names), force, groups, flips, style, lang, data, out)
    compare_command(store, request, as_json=as_json)


@app.command("lm-eval")
def lm_eval(
    model: Annotated[str, typer.Option("--model", "-m", help="BACKEND:NAME[@REVISION].")],
    tasks: Annotated[
        list[str], typer.Option("--tasks", help="Tasks or groups of lm-evaluation-harness: a,b; may repeat.")
    ],
    num_fewshot: Annotated[
        int | None, typer.Option("--num_fewshot", min=0, help="Solved examples; by default the task's own number.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The first N items of each task, as the harness has it.")
    ] = None,
    include_path: Annotated[
        Path | None,
        typer.Option("--include_path", help="Folder with further task files."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    dtype: PrecisionOption = None,
    device: DeviceOption = "auto",
    trust_remote_code: TrustOption = False,
    offline: OfflineOption = False,
    backend_option: BackendOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run any task of lm-evaluation-harness on this engine; samples and results are kept in the store."""
    from jatdae.cli.harness import HarnessCommand, harness_command

    options = _model_options(
        dtype, device, trust_remote_code=trust_remote_code, offline=offline, own=backend_option or ()
    )
    request = HarnessCommand(model, tuple(tasks), num_fewshot, limit, include_path, store)
    harness_command(request, options, as_json=as_json, quiet=quiet)


@data_app.command("pull")
def data_pull(
    tasks: Annotated[list[str], typer.Argument(help="Benchmarks to fetch, such as kmmlu.")],
    data: Annotated[Path | None, typer.Option("--data", help="Folder to fetch into, instead of the cache.")] = None,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fetch the pinned upstream release and verify it."""
    from jatdae.cli.data import pull_command

    pull_command(tasks, data, offline=offline, as_json=as_json, quiet=quiet)


@data_app.command("info")
def data_info(
    tasks: Annotated[list[str], typer.Argument(help="Benchmarks to describe.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Counts, hashes, licence and known irregularities of local data."""
    from jatdae.cli.data import info_command

    info_command(tasks, data, as_json=as_json)


@data_app.command("validate")
def data_validate(
    tasks: Annotated[list[str], typer.Argument(help="Benchmarks to check.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check local data against the format and the official counts; exit code 2 if something is wrong."""
    from jatdae.cli.data import validate_command

    return validate_command(tasks, data, as_json=as_json)
