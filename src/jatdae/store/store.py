"""Everything that has been asked, answered and measured, in one SQLite file of a store directory.

Several processes, and several threads of one, may use a store at once: each writing call is one short transaction.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from typing import Protocol as TypingProtocol

from jatdae.errors import RequestError, StoreError
from jatdae.store import records
from jatdae.store.connection import FILE_NAME, open_connection, store_errors, transaction
from jatdae.store.records import column_text
from jatdae.store.rows import (
    COUNT_ROWS,
    SELECT_RESULTS,
    SELECT_RUNS,
    SELECT_SAMPLES,
    response_row,
    sample_rows,
    stored_result,
    stored_run,
)
from jatdae.store.stored import RunStatus, StoredResult, StoredRun
from jatdae.types import Answer, Protocol, Request, Result, Sample

SAMPLES_A_PAGE = 500


def _now() -> datetime:
    return datetime.now(UTC)


class Identity(TypingProtocol):
    """What the store keeps of a model; `jatdae.models.base.ModelIdentity` is one."""

    @property
    def key(self) -> str: ...

    @property
    def reference(self) -> str: ...

    @property
    def facts(self) -> Mapping[str, str]: ...


class Store:
    """Opened with `Store.open(directory)`; a context manager. Every method raises StoreError when the file fails it."""

    def __init__(self, connection: sqlite3.Connection, file: Path, clock: Callable[[], datetime]) -> None:
        self.file = file
        self._connection = connection
        self._clock = clock
        self._lock = threading.RLock()

    @classmethod
    def open(cls, directory: Path | str, *, clock: Callable[[], datetime] = _now) -> Store:
        """Open or create the store in `directory`. A foreign, torn or newer file is left as it is."""
        directory = Path(directory)
        return cls(open_connection(directory), directory / FILE_NAME, clock)

    def close(self) -> None:
        """Close the file. Closing again does nothing."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Answers

    def answers(self, keys: Sequence[str]) -> dict[str, Answer]:
        """The stored answers among `keys`; a key without one is absent."""
        # One JSON text carries all keys: SQLite takes a limited number of variables.
        rows = self.read(
            "SELECT key, answer FROM responses WHERE key IN (SELECT value FROM json_each(?))",
            (records.to_json(list(keys), what="keys"),),
        )
        return {key: records.decode_answer(answer) for key, answer in rows}

    def remember(self, model_key: str, entries: Sequence[tuple[str, Request, Answer]]) -> None:
        """Keep answers, all of them or none. An answer that is there already stays; the model must be known.

        Raises ValueError when a key is not its request's, or an answer is not of the kind that was asked for.
        """
        created = self.now()
        rows = [response_row(model_key, *entry, created) for entry in entries]
        with self.writing() as connection:
            connection.executemany(
                "INSERT INTO responses (key, model_key, kind, answer, created, request) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO NOTHING",
                rows,
            )

    def remember_model(self, identity: Identity) -> None:
        """Make a model known. A model that comes back under another name is listed under the latest from then on."""
        row = (identity.key, column_text(identity.reference), records.to_json(identity.facts, what="model facts"))
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO models (key, reference, facts) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET reference = excluded.reference",
                row,
            )

    def record_failure(self, key: str, model_key: str, kind: str, message: str) -> None:
        """Note that a request got no answer. It is never read as an answer; the request will be asked again."""
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO failures (key, model_key, kind, message, created) VALUES (?, ?, ?, ?, ?)",
                (key, model_key, kind, column_text(message), self.now()),
            )

    def exchange(self, key: str) -> tuple[Request, Answer] | None:
        """What was asked under a key and what came back, or None."""
        for request, answer in self.read("SELECT request, answer FROM responses WHERE key = ?", (key,)):
            return records.decode_request(request), records.decode_answer(answer)
        return None

    def spent(self) -> tuple[int, float]:
        """How many texts were generated, and what they cost in US dollars as far as anybody said."""
        rows = self.read(
            "SELECT count(*), total(json_extract(answer, '$.cost_usd')) FROM responses WHERE kind = 'Generate'"
        )
        return rows[0][0], rows[0][1]

    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        return dict(self.read(COUNT_ROWS))

    # Runs and results

    def start_run(self, command: str, versions: Mapping[str, str], machine: Mapping[str, str]) -> int:
        """Open a run and return its id. `command` is kept as it is: pass it through `redact` first."""
        facts = (records.to_json(versions, what="versions"), records.to_json(machine, what="machine"))
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO runs (command, started, status, versions, machine) VALUES (?, ?, 'running', ?, ?)",
                (column_text(command), self.now(), *facts),
            )
            return _new_id(connection)

    def end_run(self, run_id: int, status: RunStatus, error: str | None = None) -> None:
        """Close a run. Results of it that were never finished become `failed` if it failed, else `interrupted`."""
        left = "failed" if status == "failed" else "interrupted"
        with self.writing() as connection:
            cursor = connection.execute(
                "UPDATE runs SET status = ?, ended = ?, error = ? WHERE id = ?",
                (status, self.now(), None if error is None else column_text(error), run_id),
            )
            _one_row(cursor, f"{self.file} has no run {run_id}")
            connection.execute("UPDATE results SET status = ? WHERE run_id = ? AND status = 'running'", (left, run_id))

    def start_result(
        self,
        run_id: int,
        *,
        task: str,
        model_key: str,
        mode: str,
        protocol: Protocol,
        fingerprint: str,
        data_hash: str,
        task_version: str,
    ) -> int:
        """Open a result of a run and return its id. The model must be known to the store."""
        asked = (run_id, task, model_key, mode, records.encode_protocol(protocol))
        measured = (fingerprint, data_hash, task_version)
        with self.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO results (run_id, task, model_key, mode, protocol, fingerprint, data_hash, task_version,"
                " status, created, model_reference) SELECT ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, reference"
                " FROM models WHERE key = ?",
                (*asked, *measured, self.now(), model_key),
            )
            _one_row(cursor, f"{self.file} knows no model {model_key}; remember_model() comes first")
            return _new_id(connection)

    def add_samples(self, result_id: int, samples: Sequence[Sample]) -> None:
        """Keep samples, all or none. An item counts once a seed: a later sample takes the place of an earlier one.

        Raises StoreError when one call holds an item twice for a seed.
        """
        rows = sample_rows(result_id, samples)
        with self.writing() as connection:
            connection.executemany(
                "INSERT INTO samples (result_id, item, seed, outcome, body) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (result_id, item, seed) DO UPDATE SET outcome = excluded.outcome, body = excluded.body",
                rows,
            )

    def finish_result(self, result_id: int, result: Result) -> None:
        """Commit the whole result, once: `done`, or `incomplete` when a request of it failed."""
        status = "done" if result.complete else "incomplete"
        summary = records.encode_result(result)
        with self.writing() as connection:
            cursor = connection.execute(
                "UPDATE results SET status = ?, summary = ? WHERE id = ? AND status = 'running'",
                (status, summary, result_id),
            )
            _one_row(cursor, f"{self.file} has no result {result_id} that is still running")

    # Looking back

    def runs(self) -> list[StoredRun]:
        """All runs, the newest first."""
        return [stored_run(row) for row in self.read(SELECT_RUNS + " ORDER BY id DESC")]

    def results(
        self, *, task: str | None = None, model: str | None = None, run: int | None = None
    ) -> list[StoredResult]:
        """Results, the newest first. `model` is a reference or a model key."""
        rows = self.read(
            SELECT_RESULTS + " WHERE (?1 IS NULL OR task = ?1)"
            " AND (?2 IS NULL OR model_reference = ?2 OR model_key = ?2) AND (?3 IS NULL OR run_id = ?3)"
            " ORDER BY id DESC",
            (task, model, run),
        )
        return [stored_result(row) for row in rows]

    def model_facts(self, model_key: str) -> dict[str, str]:
        """What decides a model's answers: weights, dtype, tokenizer. Raises RequestError for an unknown key."""
        for (text,) in self.read("SELECT facts FROM models WHERE key = ?", (model_key,)):
            return json.loads(text)
        raise RequestError(f"{self.file} has no model {model_key[:12]}")

    def result(self, result_id: int) -> StoredResult:
        """Raises RequestError when there is none of that id."""
        for row in self.read(SELECT_RESULTS + " WHERE id = ?", (result_id,)):
            return stored_result(row)
        raise RequestError(f"{self.file} has no result {result_id}; `jatdae results` lists those it has")

    def protocol(self, result_id: int) -> Protocol:
        """How a result was asked for, finished or not. Raises RequestError when there is none of that id."""
        for (text,) in self.read("SELECT protocol FROM results WHERE id = ?", (result_id,)):
            return records.decode_protocol(text)
        raise RequestError(f"{self.file} has no result {result_id}; `jatdae results` lists those it has")

    def samples(self, result_id: int) -> Iterator[Sample]:
        """The samples by item and seed, whatever the order they came in. Raises RequestError for an unknown id.

        They are read a page at a time, so that a large result needs little memory and no lock stays held.
        """
        self.protocol(result_id)
        return self._sample_pages(result_id)

    def _sample_pages(self, result_id: int) -> Iterator[Sample]:
        last = ("", "")
        comparison = ">="  # the first page may begin with an item whose id is empty
        while True:
            page = self.read(
                SELECT_SAMPLES
                + f" WHERE result_id = ? AND (item, seed) {comparison} (?, ?) ORDER BY item, seed LIMIT ?",
                (result_id, *last, SAMPLES_A_PAGE),
            )
            for _, _, body in page:
                yield records.decode_sample(body)
            if len(page) < SAMPLES_A_PAGE:
                return
            last, comparison = page[-1][:2], ">"

    # For the modules of this package that keep tables of their own

    def read(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of one query."""
        with self._lock, store_errors(self.file):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, all or nothing."""
        with self._lock, store_errors(self.file), transaction(self._connection):
            yield self._connection

    @contextmanager
    def attached(self, file: Path, name: str) -> Iterator[None]:
        """Another SQLite file beside this one, under a name, only to be read."""
        with self._lock, store_errors(file):
            self._connection.execute("ATTACH DATABASE ? AS " + name, (f"{file.resolve().as_uri()}?mode=ro",))
            try:
                yield
            finally:
                self._connection.execute("DETACH DATABASE " + name)

    def now(self) -> str:
        """The time in UTC, ISO 8601."""
        return self._clock().astimezone(UTC).isoformat(timespec="milliseconds")


def _one_row(cursor: sqlite3.Cursor, otherwise: str) -> None:
    if cursor.rowcount != 1:
        raise StoreError(otherwise)


def _new_id(connection: sqlite3.Connection) -> int:
    return connection.execute("SELECT last_insert_rowid()").fetchone()[0]
