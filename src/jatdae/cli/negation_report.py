"""`jatdae report negation`: thin. A store and a models file in, tables out."""

from __future__ import annotations

from pathlib import Path

from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError


def report_negation_command(
    store: Path,
    models: Path | None = None,
    *,
    split: str = "test",
    lang: str = "en",
    out: Path | None = None,
    draw: bool = False,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Print the report as Markdown or JSON; with `out`, write `negation.md`, `.ko.md`, `.json` there instead.

    `draw` adds SVG charts to the folder. Raises RequestError, and DataError for a models file that cannot be read.
    """
    from jatdae.evaluate.munbench.lines import write_text
    from jatdae.reports.negation import LANGUAGES, charts, json_text, markdown, negation_report, read_models
    from jatdae.runtime import Progress

    language = one_of("--lang", lang, LANGUAGES)
    if out is not None and out.exists() and not out.is_dir():
        raise RequestError(f"{out} is a file; name a folder with --out")
    if draw and out is None:
        raise RequestError("charts are files; name a folder for them with --out")
    known = read_models(models)
    with open_existing(store) as opened:
        report = negation_report(opened, known, split=split, progress=Progress(quiet=quiet))
    if out is not None:
        write_text(out / "negation.md", markdown(report, "en"))
        write_text(out / "negation.ko.md", markdown(report, "ko"))
        write_text(out / "negation.json", json_text(report) + "\n")
        for name, drawing in charts(report).items() if draw else ():
            write_text(out / f"{name}.svg", drawing)
    elif as_json:
        print(json_text(report))
    else:
        print(markdown(report, language), end="")
