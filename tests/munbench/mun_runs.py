"""Runs of the whole MunBench pipeline against a server on loopback, and a look at what they left behind."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from faulty_server import FaultyServer, body_key

from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.pipeline import run_stages, workspace
from jatdae.models.api.parameters import body_of
from jatdae.models.base import parse_reference
from jatdae.store.records import decode_request
from jatdae.types import Generate

STAGES = ("generate", "rubric", "pairwise", "elo")
FIRST, SECOND, THIRD = "openai:가람-7B", "openai:나루-7B", "openai:다온-7B"
JUDGES = ("openai:판관-1", "openai:판관-2", "rule")
UNITS, ROLE_PLAYS = 51, 10
"""Of the bundled set. A role play takes four calls."""
CALLS = UNITS + 3 * ROLE_PLAYS
_CLOCKED = re.compile(rb'"seconds": \[[^\]]*\]|"at": "[^"]*"')
"""What differs between two runs with the same answers: how long each call took, and when the report was written."""

Row = dict[str, Any]


@dataclass(frozen=True)
class MunRun:
    """A folder with `munbench.yaml` and, once something has run, `results`."""

    folder: Path
    server: FaultyServer
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        return self.folder / "munbench.yaml"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def changed(self, **settings: Any) -> MunRun:
        """The same folder with other settings."""
        return replace(self, settings={**self.settings, **settings})

    def copied(self, folder: Path) -> MunRun:
        """The same run, as far as it has come, in another folder."""
        shutil.copytree(self.results, folder / "results")
        return replace(self, folder=folder)

    def write(self) -> Path:
        """Write the settings; returns the file."""
        least = {
            "models": [FIRST, SECOND, THIRD],
            "judges": list(JUDGES),
            "rubric_iterations": 2,
            "pairwise": {"anchors": [FIRST]},
            "base_url": self.server.base_url,
            "paths": {"data_dir": "mini", "results_dir": "results"},
            "concurrency": 16,
            "request_timeout_seconds": 60,
            "retry_backoff_seconds": 0.02,
            "ratings": {"bootstrap": 100},
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config.write_text(yaml.safe_dump({**least, **self.settings}, allow_unicode=True), encoding="utf-8")
        return self.config

    def stages(
        self, *stages: str, tracks: Sequence[int] = (1, 2, 3), models: Sequence[str] = ()
    ) -> tuple[list[str], list[str]]:
        """Run stages, all by default; returns what they said was missing, and what they found broken."""
        config = read_config(self.write())
        with workspace(config, "a test", tracks=tracks, models=models) as work:
            run_stages(work, stages or STAGES)
            return work.faults, work.folder.warnings

    def rows(self, kind: str, model: str = "") -> list[Row]:
        """Records by kind (`generations`, `judgments/rubric`, `judgments/pairwise` ...), of one model or all."""
        files = sorted((self.results / kind).parent.glob(f"{Path(kind).name}*"))
        files = [inner for file in files for inner in (sorted(file.glob("*.jsonl")) if file.is_dir() else [file])]
        found = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return [row for row in found if not model or row["model"] == model]

    def file_of(self, kind: str, model: str) -> Path:
        """The file of a kind that holds a model's records."""
        place = self.results / kind
        files = place.glob("*.jsonl") if place.is_dir() else place.parent.glob(f"{place.name}*.jsonl")
        return next(file for file in files if json.loads(file.read_text("utf-8").partition("\n")[0])["model"] == model)

    def files(self) -> dict[str, bytes]:
        """All files that a run leaves beside the store, by name, without times."""
        return {
            str(file.relative_to(self.results)): _CLOCKED.sub(b"", file.read_bytes())
            for file in sorted(self.results.rglob("*"))
            if file.is_file() and not file.name.startswith(("jatdae.sqlite3", ".lock"))
        }

    def stored_bodies(self) -> set[str]:
        """What the store has an answer to, named as the server names it: by a digest of the request's body."""
        file = self.results / "jatdae.sqlite3"
        if not file.exists():
            return set()
        connection = sqlite3.connect(file)
        try:
            rows = connection.execute("SELECT request, reference FROM responses JOIN models ON model_key = models.key")
            return {_sent(decode_request(request), reference) for request, reference in rows}
        except sqlite3.OperationalError:
            return set()  # killed before there were tables
        finally:
            connection.close()


def _sent(request: Any, reference: str) -> str:
    assert isinstance(request, Generate)
    return body_key(json.loads(json.dumps(body_of(parse_reference(reference).name, request))))


def forget(server: FaultyServer) -> None:
    """Let a server count anew, and so meet the same requests with the same faults as before."""
    for counted in (server.requests, server.seen, server.answered, server.injected):
        counted.clear()


def asked_by(server: FaultyServer) -> set[str]:
    """The models that were asked since the server last forgot."""
    return {body["model"] for body in server.requests}


def by_sample(rows: Sequence[Row]) -> dict[tuple[str, str, str | None, int], Row]:
    """Generations by model, item, variant and index."""
    return {(row["model"], row["item_id"], row["variant"], row["index"]): row for row in rows}


def made_equal(rows: Sequence[Row]) -> list[Row]:
    """Records without how long calls took and without store keys, which hold the server's address."""
    return [{name: value for name, value in row.items() if name not in ("seconds", "requests")} for row in rows]
