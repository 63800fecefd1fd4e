"""`jatdae report`: what the store holds, as one file to pass on."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError

FORMATS = ("html", "md", "json")


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What the user typed."""

    style: str
    out: Path | None
    lang: str
    tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    runs: tuple[int, ...] = ()
    samples: int = 40
    munbench: tuple[Path, ...] = ()


def report_command(store: Path, request: ReportRequest) -> None:
    """Write the report to a file, or Markdown and JSON to standard output. Raises RequestError where nothing fits."""
    from jatdae.evaluate.munbench.lines import write_text
    from jatdae.reports.html import Wanted, content_json, gather, html_report, markdown_report

    style = one_of("--format", request.style, FORMATS)
    lang = "ko" if one_of("--lang", request.lang, ("en", "ko")) == "ko" else "en"
    if style == "html" and request.out is None:
        raise RequestError("an HTML report is a file; name one with --out, such as --out report.html")
    wanted = Wanted(request.tasks, request.models, request.runs, request.samples, request.munbench)
    with open_existing(store) as opened:
        content = gather(opened, wanted)
    if style == "html":
        text = html_report(content, lang)
    else:
        text = markdown_report(content, lang) if style == "md" else content_json(content) + "\n"
    if request.out is None:
        print(text, end="")
        return
    write_text(request.out, text)
    size = request.out.stat().st_size / 2**20
    print(f"{request.out}: {len(content.results)} results, {size:.1f} MiB", file=sys.stderr)
