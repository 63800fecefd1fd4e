"""MunBench: rubric means by track, ratings raw and with style held equal, judges beside one another.

What a results folder holds is read from its `leaderboard.json`; results of single tasks come from the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.errors import DataError, RequestError
from jatdae.reports.html.blocks import Block, Chart, Grid, Lang, Paragraph, Section
from jatdae.reports.html.charts import dots, unique_names
from jatdae.reports.html.families.groups import of_family, short_names
from jatdae.reports.html.families.words import Words, words
from jatdae.reports.html.leaderboard import headline
from jatdae.reports.inert import inert
from jatdae.reports.tables import short_name
from jatdae.store import StoredResult
from jatdae.types import Estimate

FILE = "leaderboard.json"
Record = Mapping[str, Any]


def section(results: Sequence[StoredResult], lang: Lang, folders: Sequence[Path]) -> Section | None:
    """None where nothing of MunBench is there. Raises RequestError for a folder without a leaderboard."""
    own, say = of_family(results, "munbench"), words(lang)
    tasks = sorted({one.task for one in own})
    blocks: list[Block] = [_stored(task, [one for one in own if one.task == task], say) for task in tasks]
    for number, folder in enumerate(folders):
        blocks += _folder(number, read_board(folder), say)
    if not blocks:
        return None
    return Section("munbench", "MunBench (문벤치)", (Paragraph(say["munbench_help"]), *blocks))


def read_board(folder: Path) -> Record:
    """The leaderboard of a results folder. Raises RequestError, naming the file, where there is none to be read."""
    path = folder / FILE if folder.is_dir() else folder
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}; `jatdae munbench report` writes it") from None
    except ValueError:
        raise DataError(
            "is not readable as JSON", path=path, mend="write it anew with `jatdae munbench report`"
        ) from None
    if not isinstance(record, dict) or record.get("benchmark") != "munbench":
        raise DataError("is no leaderboard of MunBench", path=path, mend="write one with `jatdae munbench report`")
    return record


def _stored(task: str, own: Sequence[StoredResult], say: Words) -> Chart:
    """A task's mean rubric: stored as a share of the scale, shown out of ten."""
    names = short_names(own)
    shown = [(names[one.model_reference], estimate) for one in own if (estimate := headline(one))]
    return Chart(
        task.replace("/", "-"),
        dots([_row(name, estimate, 10) for name, estimate in shown], axis=say["points"]),
        say["munbench_stored"].format(task=inert(task)),
        (say["model"], say["points"]),
        tuple((name, _told(estimate, 10)) for name, estimate in shown),
    )


def _folder(number: int, record: Record, say: Words) -> Iterator[Block]:
    rows = record["rows"]
    names = {model: inert(name) for model, name in unique_names([row["model"] for row in rows], short_name).items()}
    if record["provisional"]:
        yield Paragraph(say["provisional"])
    overall = [(names[row["model"]], "", _estimate(row["overall"])) for row in rows]
    yield _scores(f"munbench-overall-{number}", overall, say, say["munbench_overall"], say["points"])
    tracks = [
        (names[row["model"]], f"{say['track']} {track}", _estimate(own.get("rubric")))
        for row in rows
        for track, own in row["track_details"].items()
    ]
    yield _scores(f"munbench-tracks-{number}", tracks, say, say["munbench_tracks"], say["points"])
    rated = [(names[row["model"]], kind, one) for row in rows for kind, one in _ratings(row, say)]
    if any(one for _, _, one in rated):
        yield _scores(f"munbench-ratings-{number}", rated, say, say["munbench_ratings"], say["rating"])
    yield _judges(record, names, say)
    if position := _position(record, say):
        yield position


def _ratings(row: Record, say: Words) -> Iterator[tuple[str, Estimate | None]]:
    rating = row.get("rating") or {}
    yield say["raw"], _estimate(rating.get("estimate"))
    yield say["style_controlled"], _estimate(rating.get("style_controlled"))


def _scores(name: str, cells: Sequence[tuple[str, str, Estimate | None]], say: Words, alt: str, axis: str) -> Chart:
    """A point and an interval a model, and a kind where there are several."""
    parts = {part for _, part, _ in cells}
    rows = [{**_row(model, one), "part": part} for model, part, one in cells if one]
    spec = dots(rows, axis=axis, colour="part" if len(parts) > 1 else None)
    table = tuple((model, part, _told(one) if one else "n/a") for model, part, one in cells)
    return Chart(name, spec, alt, (say["model"], "", axis), table)


def _judges(record: Record, names: Mapping[str, str], say: Words) -> Grid:
    judges = sorted({judge for own in record["judge_matrix"].values() for judge in own})
    rows = tuple(
        (names.get(model, inert(model)), *(_judged(own.get(judge)) for judge in judges))
        for model, own in record["judge_matrix"].items()
    )
    return Grid((say["model"], *(inert(short_name(judge)) for judge in judges)), rows, say["munbench_judges"])


def _judged(cell: Record | None) -> str:
    estimate = _estimate(cell.get("mean")) if cell else None
    return _told(estimate) if estimate else "n/a"


def _position(record: Record, say: Words) -> Grid | None:
    kinds = ("consistency", "first_wins", "longer_wins")
    found = record["pairwise"].get("position") or {}
    rows = tuple(
        (inert(short_name(judge)), *(_share(own.get(kind)) for kind in kinds)) for judge, own in sorted(found.items())
    )
    return Grid((say["judge"], *(say[kind] for kind in kinds)), rows, say["position"]) if rows else None


def _share(value: Any) -> str:
    estimate = _estimate(value)
    if estimate is None:
        return "n/a"
    return _told(Estimate(*(None if one is None else 100 * one for one in _ends(estimate)), n=estimate.n), 1)  # pyright: ignore[reportArgumentType]


def _ends(estimate: Estimate) -> tuple[float | None, ...]:
    return estimate.value, estimate.stderr, estimate.low, estimate.high


def _estimate(value: Any) -> Estimate | None:
    """A stored estimate; None for anything else, so that a record of another version shows n/a."""
    if not isinstance(value, Mapping) or not isinstance(value.get("value"), int | float):
        return None
    known = {name: value.get(name) for name in ("stderr", "low", "high")}
    return Estimate(float(value["value"]), n=int(value.get("n") or 0), **known)  # pyright: ignore[reportArgumentType]


def _row(name: str, estimate: Estimate, scale: float = 1.0) -> dict[str, Any]:
    low, high = (None if end is None else round(scale * end, 4) for end in (estimate.low, estimate.high))
    return {"name": name, "value": round(scale * estimate.value, 4), "low": low, "high": high, "n": estimate.n}


def _told(estimate: Estimate, scale: float = 1.0) -> str:
    value = f"{scale * estimate.value:.2f}"
    if estimate.low is None or estimate.high is None:
        return f"{value} [n/a] n={estimate.n:,}"
    return f"{value} [{scale * estimate.low:.2f}, {scale * estimate.high:.2f}] n={estimate.n:,}"
