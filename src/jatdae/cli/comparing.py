"""`jatdae compare`: two or more models on the same items, from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError
from jatdae.evaluate.comparing import compare, verdict
from jatdae.reports.comparison import comparison_markdown, print_comparison
from jatdae.reports.documents import document
from jatdae.reports.tables import console


def compare_command(
    names: Sequence[str], folder: Path, *, force: bool, groups: bool, style: str | None, as_json: bool
) -> None:
    """Print the comparison as a table, as Markdown (`style` is `md`) or as JSON. Raises RequestError."""
    if len(names) < 2:
        raise RequestError("name two models or runs to compare, such as: jatdae compare 3 4")
    style = one_of("--format", style, ("table", "md")) or "table"
    with open_existing(folder) as store:
        found = compare(store, names, force=force)
    if as_json:
        print(document({"comparisons": [{**asdict(one), "verdict": verdict(one)} for one in found]}))
    elif style == "md":
        print(comparison_markdown(found), end="")
    else:
        print_comparison(console(), found, groups=groups)
