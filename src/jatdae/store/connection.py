"""Opening the file: refuse what is not ours without touching it, then bring its schema up to date.

A new file gets its application id together with its tables in one ordinary transaction, before it is switched to the
write-ahead log. So the first page of every Jatdae file says what it is, even while its latest content is in the log,
and a look at 100 bytes is enough to leave a foreign file alone.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from jatdae.errors import StoreError
from jatdae.store.schema import APPLICATION_ID, MIGRATIONS

FILE_NAME = "jatdae.sqlite3"
BUSY_SECONDS = 60.0
MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100

_ADVICE = {
    "SQLITE_BUSY": f"another process has held it for over {BUSY_SECONDS:.0f} s; wait for that process or end it",
    "SQLITE_READONLY": "it cannot be written; check its permissions and its directory's, or choose another --store",
    "SQLITE_CANTOPEN": "it cannot be opened; check its permissions and its directory's, or choose another --store",
    "SQLITE_FULL": "the disk is full; free some space and run the same command again",
    "SQLITE_IOERR": "the disk failed to read or write it; check the disk and its free space",
    "SQLITE_CORRUPT": "it is damaged; restore a copy, or set it aside and start a new store",
    "SQLITE_NOTADB": "it is damaged; restore a copy, or set it aside and start a new store",
    "SQLITE_CONSTRAINT_FOREIGNKEY": "a row names a model, run or result that it lacks; remember_model() comes first",
}


def open_connection(directory: Path, migrations: Sequence[str] = MIGRATIONS) -> sqlite3.Connection:
    """Open or create the store's file in `directory`, which is created too. Raises StoreError; see refuse_unusable."""
    file = directory / FILE_NAME
    try:
        directory.mkdir(parents=True, exist_ok=True)
        refuse_unusable(file, newest=len(migrations))
    except OSError as error:
        raise StoreError(f"{directory} cannot hold a store: {error.strerror}; choose another --store") from error
    with store_errors(file), ExitStack() as undo:
        # By its address, so that a store beside this one can be attached by an address that says "read only".
        address = file.resolve().as_uri()
        connection = sqlite3.connect(
            address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
        )
        undo.callback(connection.close)
        connection.execute("PRAGMA foreign_keys=ON")
        migrate(connection, file, migrations)
        _use_write_ahead_log(connection, file)
        connection.execute("PRAGMA synchronous=NORMAL")
        undo.pop_all()
        return connection


def refuse_unusable(file: Path, *, newest: int) -> None:
    """Raise StoreError for a file that is foreign, cut short, or of a schema above `newest`. Only ever reads.

    A file that is absent or empty may be taken: a crash before the first write leaves 0 bytes.
    """
    # The log is looked for first: while it is there, the header may promise pages that are still in it.
    log = file.with_name(file.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    if not file.exists():
        return
    with file.open("rb") as stream:
        head, size = stream.read(HEADER_BYTES), file.stat().st_size
    if not head:
        if has_log:
            raise StoreError(
                f"{file} is empty but {log.name} beside it holds data; restore the file, or set both aside"
            )
        return
    if not head.startswith(MAGIC):
        raise StoreError(
            f"{file} is not an SQLite database and was left as it is; move it away, or choose another --store"
        )
    if len(head) < HEADER_BYTES:
        raise StoreError(f"{file} is cut short inside its header ({size} bytes); restore a copy, or set it aside")
    _refuse_header(file, head, size=size, has_log=has_log, newest=newest)


def _refuse_header(file: Path, head: bytes, *, size: int, has_log: bool, newest: int) -> None:
    """Offsets by SQLite's file format: page size 16, pages 28, user version 60, application id 68."""

    def number(offset: int) -> int:
        return int.from_bytes(head[offset : offset + 4], "big")

    if number(68) != APPLICATION_ID:
        raise StoreError(f"{file} belongs to another application and was left as it is; choose another --store")
    _refuse_newer(file, number(60), newest)
    page_size = int.from_bytes(head[16:18], "big")
    promised = number(28) * (65536 if page_size == 1 else page_size)
    page_count_is_valid = number(24) == number(92)
    if page_count_is_valid and size < promised and not has_log:
        raise StoreError(f"{file} is cut short: {size} of {promised} bytes are there; restore a copy, or set it aside")


def _refuse_newer(file: Path, version: int, newest: int) -> None:
    if version > newest:
        raise StoreError(
            f"{file} was made by a newer Jatdae (schema {version}, this one knows {newest}); "
            "upgrade with `pip install -U jatdae`, or choose another --store"
        )


@contextmanager
def store_errors(file: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file into a StoreError that names it; mistakes in our own SQL pass as they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorname", "")
        if not code and isinstance(error, sqlite3.OperationalError):
            code = "SQLITE_CORRUPT"  # the one error that Python raises by itself here: a text that is not UTF-8
        advice = next((text for name, text in _ADVICE.items() if code.startswith(name)), None)
        if advice is None:
            raise
        raise StoreError(f"{file}: {error}: {advice}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing. The write lock is taken at once, so that a later step never has to wait and fail half way."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


def migrate(connection: sqlite3.Connection, file: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Apply the scripts that the file lacks, each in one transaction. Raises StoreError for a newer schema.

    Even with nothing to apply it takes the write lock once, so that a file that is read-only is refused here.
    """
    moved = False
    while _migrate_once(connection, file, migrations):
        moved = True
    if moved:
        # The header of the file itself now shows the version to an older Jatdae, which then leaves it alone.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _migrate_once(connection: sqlite3.Connection, file: Path, migrations: Sequence[str]) -> bool:
    with transaction(connection):
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        _refuse_newer(file, version, len(migrations))
        if version == len(migrations):
            return False
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        for statement in _statements(migrations[version]):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={version + 1}")
        return True


def _statements(script: str) -> Iterator[str]:
    """Split a script at its statements; `executescript` would commit the transaction that it is to run in."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise ValueError(f"a migration ends in an unfinished statement: {pending.strip()!r}")


def _use_write_ahead_log(connection: sqlite3.Connection, file: Path) -> None:
    """The switch needs the file for itself for a moment, and SQLite does not always wait for that by itself."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
            continue
        if mode != "wal":
            raise StoreError(f"{file}: this file system has no shared memory for SQLite; put the store on a local disk")
        return
