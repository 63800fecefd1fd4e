"""Results of one question kind together: same task, mode and number of examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jatdae.reports.html.charts import unique_names
from jatdae.reports.inert import inert
from jatdae.reports.tables import short_name
from jatdae.store import StoredResult
from jatdae.types import Result

Key = tuple[str, str, int]
MOST_GROUPS = 8
"""So many questions of a family get charts; the leaderboard has them all."""


def finished(stored: StoredResult) -> Result:
    """The figures of a result that has them."""
    assert stored.result is not None  # noqa: S101 - reports hold finished results only
    return stored.result


def of_family(results: Iterable[StoredResult], family: str) -> list[StoredResult]:
    """The results of a family's tasks, `kmmlu` and `kmmlu/law` alike."""
    return [one for one in results if one.task == family or one.task.startswith(f"{family}/")]


def by_asking(results: Sequence[StoredResult]) -> dict[Key, list[StoredResult]]:
    """Grouped by task, mode and shots; the newest result of each model."""
    groups: dict[Key, dict[str, StoredResult]] = {}
    for one in sorted(results, key=lambda one: one.id):
        groups.setdefault((one.task, one.mode, finished(one).protocol.shots), {})[one.model_reference] = one
    ordered = sorted(groups.items(), key=lambda pair: pair[0])
    return {key: list(own.values()) for key, own in ordered[:MOST_GROUPS]}


def short_names(results: Sequence[StoredResult]) -> dict[str, str]:
    """A short name for every model reference, safe to show."""
    names = unique_names(list(dict.fromkeys(one.model_reference for one in results)), short_name)
    return {model: inert(name) for model, name in names.items()}
