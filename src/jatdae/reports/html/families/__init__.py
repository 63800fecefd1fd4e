"""A section for each family of benchmarks that has results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jatdae.reports.html.blocks import Lang, Section
from jatdae.reports.html.families import klue, kmmlu, konubench, munbench
from jatdae.store import StoredResult


def family_sections(results: Sequence[StoredResult], lang: Lang, folders: Sequence[Path] = ()) -> list[Section]:
    """KMMLU, KoNUBench, KLUE, MunBench, as far as there is something to show. `folders` hold MunBench's leaderboards.

    Raises RequestError for a folder without one.
    """
    found = [module.section(results, lang) for module in (kmmlu, konubench, klue)]
    found.append(munbench.section(results, lang, folders))
    return [section for section in found if section]
