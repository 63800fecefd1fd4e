"""The release: the benchmark's files from all finished items, the same bytes from the same log."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.konubench.data import Record
from jatdae.benchmarks.konubench.own_release import MANIFEST, own_hashes
from jatdae.errors import RequestError
from jatdae.negation.construction.checks import Problem, check_items
from jatdae.negation.construction.datasheet import Facts, datasheet
from jatdae.negation.construction.events import MACHINE
from jatdae.negation.construction.human_evaluation import FORM, form_rows
from jatdae.negation.construction.item import CONTENT, RELEASED, Item
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.sheets import inert, write_file
from jatdae.negation.construction.splitting import choose_held_out, split_items, split_sizes
from jatdae.negation.construction.states import FINISHED, State
from jatdae.types import canonical

ACTOR = f"{MACHINE}release"
HUMAN, FORM_FILE = "human_evaluation.json", "human_evaluation_form.csv"


@dataclass(frozen=True, slots=True)
class Released:
    """Where the release is, its items by split, and the warnings that its authors have let stand."""

    folder: Path
    sizes: Mapping[str, int]
    warnings: tuple[Problem, ...]


def release(project: Project, folder: Path) -> Released:
    """Write all verified, settled and earlier released items.

    Raises RequestError where a check finds an error, or where the folder holds a file of somebody else's.
    """
    items = project.items(*FINISHED)
    if not items:
        raise RequestError("no item is verified or settled; see where they stand with the step status")
    problems = check_items(items)
    errors = [str(problem) for problem in problems if problem.is_error]
    if errors:
        raise RequestError(f"{len(errors)} errors keep the items from a release; the first: {errors[0]}")
    splits, held = _divided(project, items)
    files = _files(project, items, splits, held, problems)
    _check_target(project, folder, files)
    for name, text in files.items():
        write_file(folder / name, text)
    _mark(project, items)
    return Released(folder, {name: len(ids) for name, ids in splits.items()}, tuple(problems))


def _check_target(project: Project, folder: Path, files: Mapping[str, str]) -> None:
    """Raises RequestError where a file would be lost that no release of this project has written.

    A release that was stopped has no manifest yet; what it has written is the same as now.
    """
    own = own_hashes(folder / MANIFEST) or {}
    ours = {*own, MANIFEST} if _table_name(project) in own else set()
    for name, text in files.items():
        path = folder / name
        if name not in ours and path.exists() and path.read_bytes() != text.encode():
            what = f"{path} is there and was not written by a release of {project.config.name}"
            raise RequestError(f"{what}; name another folder: release FOLDER")


def _table_name(project: Project) -> str:
    return f"{project.config.name}.csv"


def _divided(project: Project, items: Sequence[Item]) -> tuple[dict[str, list[str]], list[str]]:
    config, ids = project.config.split, [item.idx for item in items]
    sizes = split_sizes({"train": config.train, "val": config.val, "test": config.test}, len(ids))
    held = choose_held_out(ids, min(config.human_evaluation, sizes["test"]), config.seed)
    return split_items(ids, held, sizes, config.seed), held


def _files(
    project: Project,
    items: Sequence[Item],
    splits: Mapping[str, Sequence[str]],
    held: Sequence[str],
    problems: Sequence[Problem],
) -> dict[str, str]:
    """The text of each file by its name."""
    rows = {item.idx: row_of(item) for item in items}
    records = {item.idx: item.record() for item in items}
    files = {f"{name}.json": json_array([rows[idx] for idx in ids]) for name, ids in splits.items() if ids}
    files[_table_name(project)] = csv_table([rows[item.idx] for item in items])
    if held:
        files[HUMAN] = json_array([rows[idx] for idx in held])
        files[FORM_FILE] = _form([records[idx] for idx in held])
    facts = Facts.of(project, items, splits, held, problems)
    files |= {"DATASHEET.md": datasheet(facts, "en"), "DATASHEET.ko.md": datasheet(facts, "ko")}
    files[MANIFEST] = _manifest(project, splits, files)
    return files


def row_of(item: Item) -> dict[str, Any]:
    """The item's 15 fields as they are released: `raw_id` a number with a point or null, others text or null."""
    raw_id = float(item["raw_id"]) if item["raw_id"] else None
    return {"idx": item.idx, "raw_id": raw_id, **{name: item[name] or None for name in CONTENT}}


def json_array(rows: Sequence[Mapping[str, Any]]) -> str:
    """The array in the layout of the released files."""
    return json.dumps(rows, ensure_ascii=False, indent=2)


def csv_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All items in table order. No cell is a formula: the checks refuse a sentence that begins like one."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(RELEASED)
    writer.writerows(["" if row[name] is None else row[name] for name in RELEASED] for row in rows)
    return "\ufeff" + text.getvalue()


def _form(records: Sequence[Record]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FORM)
    writer.writerows([inert(row.get(name, "")) for name in FORM] for row in form_rows(records))
    return "\ufeff" + text.getvalue()


def _manifest(project: Project, splits: Mapping[str, Sequence[str]], files: Mapping[str, str]) -> str:
    """What the release consists of; `jatdae data validate` holds the files to these hashes."""
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(files.items())}
    told = {
        "name": project.config.name,
        "licence": project.config.licence,
        "format": "konubench",
        "seed": project.config.split.seed,
        "items": {name: len(ids) for name, ids in splits.items()},
        "sha256": hashes,
    }
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _mark(project: Project, items: Sequence[Item]) -> None:
    """Log that the items are released, unless somebody has changed one meanwhile."""
    written = {item.idx: canonical(dict(item.values)) for item in items}
    with project.journal.writing(ACTOR, project.time) as draft:
        for idx, values in written.items():
            if canonical(dict(draft.items[idx].values)) != values:
                raise RequestError(f"item {idx} has been changed meanwhile; release again")
            draft.change(idx, {}, State.RELEASED)
