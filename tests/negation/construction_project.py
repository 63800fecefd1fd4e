"""A project folder for tests, steps taken in it, and sheets filled in as people would."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from construction_texts import PASSAGES

from jatdae.cli.negation_build import build_command

NOW = datetime(2030, 5, 1, 9, 30, tzinfo=UTC)
CONFIG = """\
name: small-negation
licence: CC0-1.0
sources: [texts]
source_note: written for a test
authors: [kim, lee, park]
model: openai:served
base_url: {base_url}
split: {{train: 0.5, val: 0.2, test: 0.3, human_evaluation: 3}}
"""
Row = dict[str, str]


def make_project(folder: Path, base_url: str = "null", passages: str = PASSAGES) -> Path:
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "passages.txt").write_text(passages, encoding="utf-8")
    (folder / "project.yaml").write_text(CONFIG.format(base_url=base_url), encoding="utf-8")
    return folder


class Steps:
    """Takes steps in a project through the command's function and reads what it prints."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.code = 0

    def __call__(self, step: str, *words: object, by: str | None = None) -> Any:
        self._capsys.readouterr()
        texts = [str(word) for word in words]
        self.code = build_command(self.folder, step, texts, by=by, offline=False, as_json=True, quiet=True, now=NOW)
        return json.loads(self._capsys.readouterr().out)["result"]

    def states(self) -> dict[str, int]:
        return self("status")["states"]


def fill_in(sheet: Path, edit: Callable[[Row], None], bom: str = "utf-8-sig") -> Path:
    """Edit each row of a CSV sheet as a spreadsheet would save it: quoted otherwise, with the mark and CR LF."""
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        edit(row)
    filled = sheet.with_name(f"{sheet.stem}-filled.csv")
    with filled.open("w", encoding=bom, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    return filled


def written(result: dict[str, list[str]]) -> Path:
    return next(Path(name) for name in result["files"] if name.endswith(".csv"))
