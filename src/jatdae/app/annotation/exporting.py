"""What raters said, out of the store: as a sheet that `jatdae munbench human import` takes, or into a run's records."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.app.annotation.loading import LoadedSet
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.believing import key_file
from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.human_records import Placed, place_preferences, place_scores
from jatdae.evaluate.munbench.pipeline import workspace
from jatdae.judging.annotation.answers import (
    criteria_of,
    human_scores_of,
    pair_key,
    preferences_of,
    rating_of,
    vote_of,
)
from jatdae.judging.annotation.shown import as_text, rubric_body
from jatdae.judging.fence import cleaned
from jatdae.judging.validation.blind_sheet import NOT_APPLICABLE, BlindSheet, KeyEntry, neutralised, write_key
from jatdae.store import Store

Row = dict[str, Any]


def export_set(store: Store, name: str, out: Path) -> int:
    """Write a set's answers, a row each, as CSV or (.jsonl) JSON lines; returns how many.

    For a rubric set the key lies beside the sheet, as `munbench human import` wants it. Rows of a set of pairs name
    the models. Raises RequestError when there are no answers, or a file is there already.
    """
    loaded = LoadedSet.open(store, name)
    if not loaded.answers:
        raise RequestError(f"nobody has rated {name!r} yet; open it with: jatdae view")
    if out.exists():
        raise RequestError(f"{out} is there already; name another file or move it away")
    rows = list(_rubric_rows(loaded) if loaded.set.kind == "rubric" else _pair_rows(loaded))
    if loaded.set.kind == "rubric":
        key = {unit: KeyEntry(one.sample, one.track, one.criteria, one.text_hash) for unit, one in loaded.rated.items()}
        write_key(BlindSheet((), key), key_file(out))
    (_write_lines if out.suffix == ".jsonl" else _write_table)(out, rows, loaded)
    return len(rows)


def _rubric_rows(loaded: LoadedSet) -> Iterator[Row]:
    for answer in loaded.answers:
        unit = loaded.rated[answer.unit]
        body = rubric_body(loaded.tables.body(loaded.set.id, answer.unit))
        rating = rating_of(answer, unit.criteria)
        yield {
            "id": answer.unit,
            "track": unit.track,
            "prompt": as_text(body.prompt),
            "response": as_text(body.response),
            "criteria": dict(rating.criteria),
            "overall": None if rating.score is None else round(rating.score, 6),
            "rater_id": answer.rater,
            "at": answer.created,
            "comment": answer.value["comment"],
        }


def _pair_rows(loaded: LoadedSet) -> Iterator[Row]:
    for answer in loaded.answers:
        unit = loaded.compared[answer.unit]
        key = pair_key(unit)
        left = unit.first if answer.value["left"] == "first" else unit.second
        yield {
            "id": answer.unit,
            "item_id": key.item,
            "variant": key.variant,
            "model_a": key.a,
            "model_b": key.b,
            "preference": vote_of(answer.value, unit),
            "left": "A" if left == key.a else "B",
            "rater_id": answer.rater,
            "at": answer.created,
            "comment": answer.value["comment"],
        }


def _write_lines(out: Path, rows: Sequence[Row], _: LoadedSet) -> None:
    _write(out, "utf-8", lambda stream: stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _write_table(out: Path, rows: Sequence[Row], loaded: LoadedSet) -> None:
    """CSV with the byte-order mark that Excel needs; no cell is a formula."""
    names = criteria_of(loaded.rated) if loaded.set.kind == "rubric" else []
    flat = [_flat(row, names) for row in rows]

    def write(stream: Any) -> None:
        writer = csv.writer(stream)
        writer.writerow([neutralised(name) for name in flat[0]])
        writer.writerows([[neutralised(cleaned(str(cell))) for cell in row.values()] for row in flat])

    _write(out, "utf-8-sig", write)


def _flat(row: Row, names: Sequence[str]) -> Row:
    """A column a criterion, in the place where the sheet for raters has them."""
    flat: Row = {}
    for name, value in row.items():
        if name == "criteria":
            scores: Mapping[str, float] = value
            flat |= {one: scores.get(one, NOT_APPLICABLE) for one in names}
        else:
            flat[name] = value
    return flat


def _write(out: Path, encoding: str, write: Any) -> None:
    try:
        with out.open("x", encoding=encoding, newline="", errors="replace") as stream:
            write(stream)
    except OSError as error:
        raise RequestError(f"{out} cannot be written ({error.strerror})") from None


def apply_set(store: Store, name: str) -> Placed:
    """Put a set's results into the `human_score` fields of the MunBench run that its texts are from.

    Raises RequestError for a set of another source, and when nobody has rated.
    """
    loaded = LoadedSet.open(store, name)
    if loaded.set.settings["source"] != "munbench":
        raise RequestError(f"{name!r} is of stored samples, which have no field for people's scores; use: export")
    if not loaded.answers:
        raise RequestError(f"nobody has rated {name!r} yet; open it with: jatdae view")
    config = read_config(Path(loaded.set.settings["config"]))
    with workspace(config, f"jatdae annotate apply {name}") as work:
        if loaded.set.kind == "rubric":
            hashes = {one.sample: one.text_hash for one in loaded.rated.values()}
            return place_scores(work, human_scores_of(loaded.answers, loaded.rated), hashes, merge=True)
        shown = {pair_key(one): one.hashes for one in loaded.compared.values()}
        return place_preferences(work, preferences_of(loaded.answers, loaded.compared), shown)
