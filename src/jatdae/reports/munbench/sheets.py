"""All tables of a leaderboard, in the order in which they are shown."""

from __future__ import annotations

from dataclasses import replace

from jatdae.reports.munbench.judge_sheets import JUDGEMENTS, judges
from jatdae.reports.munbench.result_sheets import RESULTS, main
from jatdae.reports.munbench.sheet import Record, Sheet
from jatdae.reports.munbench.words import Words


def sheets(record: Record, words: Words) -> list[Sheet]:
    """All tables that have a row, each marked as provisional while the whole is."""
    made = [make(record, words) for make in (main, judges, *RESULTS, *JUDGEMENTS)]
    mark = f" ({words.title('provisional')})" if record["provisional"] else ""
    return [replace(one, title=one.title + mark) for one in made if one.rows]
