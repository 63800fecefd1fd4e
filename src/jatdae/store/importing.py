"""Runs of another store, brought into this one: whole, once, and with a word of where they come from."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.store.connection import FILE_NAME, refuse_unusable, store_errors
from jatdae.store.schema import MIGRATIONS
from jatdae.store.store import Store

SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in: runs, results, samples, answers; and runs that were there already."""

    runs: int = 0
    results: int = 0
    samples: int = 0
    responses: int = 0
    known: int = 0


def import_store(store: Store, folder: Path, *, answers: bool = True) -> Imported:
    """Bring in all ended runs of the store in `folder`, all or none; those that were imported before are left out.

    The source is only read, whatever its schema. Raises RequestError for a folder without a store or this very store,
    StoreError for a file that is foreign, torn or newer.
    """
    file = folder / FILE_NAME
    if not file.is_file():
        raise RequestError(f"{folder} holds no store; name the folder that has {FILE_NAME}")
    if file.resolve() == store.file.resolve():
        raise RequestError(f"{folder} is the store that would be imported into; name another with --store")
    refuse_unusable(file, newest=len(MIGRATIONS))
    with store_errors(file), store.attached(file, SOURCE), store.writing() as connection:
        return _Import(connection, folder, answers=answers).all()


class _Import:
    """One import inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, *, answers: bool) -> None:
        self._connection, self._folder, self._answers = connection, folder, answers

    def all(self) -> Imported:
        known = self._known()
        runs = self._rows("SELECT id, command, started FROM source.runs ORDER BY id")
        ended = {row[0] for row in self._rows("SELECT id FROM source.runs WHERE status != 'running'")}
        new = [row for row in runs if row[0] in ended and row[1:3] not in known]
        self._copy_models()
        total = Imported(known=sum(row[1:3] in known for row in runs))
        for run_id, _, _ in new:
            results, samples = self._copy_run(run_id)
            total = Imported(total.runs + 1, total.results + results, total.samples + samples, 0, total.known)
        responses = self._copy_answers() if self._answers and new else 0
        return Imported(total.runs, total.results, total.samples, responses, total.known)

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple]:
        return self._connection.execute(query, values).fetchall()

    def _known(self) -> set[tuple[str, str]]:
        """Runs by command and start, to the millisecond: none is made twice."""
        return set(self._rows("SELECT command, started FROM main.runs"))

    def _copy_models(self) -> None:
        self._connection.execute(
            "INSERT INTO main.models SELECT * FROM source.models WHERE true ON CONFLICT DO NOTHING"
        )

    def _copy_run(self, run_id: int) -> tuple[int, int]:
        """Copy a run under a new number; returns its results and samples."""
        cursor = self._connection.execute(
            "INSERT INTO main.runs (command, started, ended, status, versions, machine, error, origin)"
            " SELECT command, started, ended, status, versions, machine, error, ? FROM source.runs WHERE id = ?",
            (self._folder.resolve().name, run_id),
        )
        number, samples = cursor.lastrowid, 0
        results = [
            row[0] for row in self._rows("SELECT id FROM source.results WHERE run_id = ? ORDER BY id", (run_id,))
        ]
        for result in results:
            cursor = self._connection.execute(
                "INSERT INTO main.results (run_id, task, model_key, model_reference, mode, protocol, fingerprint,"
                " data_hash, task_version, status, created, summary) SELECT ?, task, model_key, model_reference, mode,"
                " protocol, fingerprint, data_hash, task_version, status, created, summary FROM source.results"
                " WHERE id = ?",
                (number, result),
            )
            copied = self._connection.execute(
                "INSERT INTO main.samples (result_id, item, seed, outcome, body)"
                " SELECT ?, item, seed, outcome, body FROM source.samples WHERE result_id = ?",
                (cursor.lastrowid, result),
            )
            samples += copied.rowcount
        return len(results), samples

    def _copy_answers(self) -> int:
        copied = self._connection.execute(
            "INSERT INTO main.responses (key, model_key, kind, answer, created, request)"
            " SELECT key, model_key, kind, answer, created, request FROM source.responses"
            " WHERE true ON CONFLICT (key) DO NOTHING"
        )
        return copied.rowcount
