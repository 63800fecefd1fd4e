"""`jatdae compare`: two or more models on the same items, from what is stored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError
from jatdae.evaluate.comparing import compare, verdict
from jatdae.evaluate.munbench.lines import write_text
from jatdae.reports.comparison import comparison_markdown, print_comparison
from jatdae.reports.documents import document
from jatdae.reports.tables import console


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What the user typed. `flips` is how many changed items the table lists each way."""

    names: tuple[str, ...]
    force: bool = False
    groups: bool = False
    flips: int = 0
    style: str | None = None
    lang: str | None = None
    data: str | None = None
    out: Path | None = None


def compare_command(folder: Path, request: CompareRequest, *, as_json: bool) -> None:
    """Print the comparison as a table, as Markdown (`style` is `md`) or as JSON, or write the latter two to a file.

    Raises RequestError.
    """
    if len(request.names) < 2:
        raise RequestError("name two models or runs to compare, such as: jatdae compare 3 4")
    style = one_of("--format", request.style, ("table", "md")) or "table"
    lang = one_of("--lang", request.lang, ("en", "ko")) or "en"
    if request.out is not None and style == "table" and not as_json:
        raise RequestError("--out takes Markdown or JSON; add --format md or --json")
    with open_existing(folder) as store:
        found = compare(store, request.names, force=request.force, data=request.data)
    if style == "table" and not as_json:
        print_comparison(console(), found, groups=request.groups, flips=request.flips, lang=lang)
        return
    told = [{**asdict(one), "verdict": verdict(one, lang)} for one in found]
    text = document({"comparisons": told}) + "\n" if as_json else comparison_markdown(found, lang)
    if request.out is None:
        print(text, end="")
    else:
        write_text(request.out, text)
