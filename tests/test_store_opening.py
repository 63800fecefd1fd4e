"""A store opens its own file, mends what a crash left, and leaves every other file as it is."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jatdae.errors import StoreError
from jatdae.models.base import ModelIdentity
from jatdae.store import Store, request_key
from jatdae.store.connection import FILE_NAME, open_connection
from jatdae.store.schema import APPLICATION_ID, MIGRATIONS
from jatdae.types import Answer, Completion, Generate, Request

MODEL = ModelIdentity("hf:./모델", {"weights": "aaa"})


def entries(count: int) -> list[tuple[str, Request, Answer]]:
    asked = [Generate(f"질문 {n}") for n in range(count)]
    return [(request_key(MODEL.key, one), one, Completion(f"{one.prompt}의 답", "stop")) for one in asked]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The closed file of a store that holds 200 answers."""
    with Store.open(tmp_path) as store:
        store.remember_model(MODEL)
        store.remember(MODEL.key, entries(200))
    return tmp_path / FILE_NAME


def assert_refused_untouched(file: Path, message: str) -> None:
    before = {path.name: path.read_bytes() for path in file.parent.iterdir()}
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(file.parent)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == before


def pragma(file: Path, name: str) -> object:
    connection = sqlite3.connect(file)
    try:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        connection.close()


def test_a_new_store_says_what_it_is(tmp_path: Path) -> None:
    directory = tmp_path / "깊은" / "곳"
    Store.open(directory).close()

    file = directory / FILE_NAME
    assert file.read_bytes()[68:72] == b"JATD"
    assert pragma(file, "user_version") == len(MIGRATIONS)
    assert pragma(file, "journal_mode") == "wal"
    assert [path.name for path in directory.iterdir()] == [FILE_NAME]


def test_an_empty_file_left_by_a_crash_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()

    with Store.open(tmp_path) as store:
        assert store.counts()["responses"] == 0


@pytest.mark.parametrize("content", [b"x", b"SQLite", b"PK\x03\x04" + bytes(5000), "질문,답\n".encode() * 100])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)

    assert_refused_untouched(tmp_path / FILE_NAME, "not an SQLite database")


@pytest.mark.parametrize("application_id", [0, 7])
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_of_another_application_is_refused(tmp_path: Path, application_id: int, journal: str) -> None:
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute(f"PRAGMA journal_mode={journal}")
    other.execute(f"PRAGMA application_id={application_id}")
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()

    assert_refused_untouched(tmp_path / FILE_NAME, "belongs to another application")


def test_a_store_of_a_newer_schema_is_refused(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version=99")
    connection.close()

    assert_refused_untouched(file, "made by a newer Jatdae .schema 99")


@pytest.mark.parametrize("kept", [40, 100, 4096, 20_000])
def test_a_file_that_was_cut_short_is_refused(file: Path, kept: int) -> None:
    file.write_bytes(file.read_bytes()[:kept])

    assert_refused_untouched(file, "cut short")


def test_an_empty_file_beside_a_log_with_data_is_refused(file: Path) -> None:
    file.write_bytes(b"")
    file.with_name(FILE_NAME + "-wal").write_bytes(b"a log")

    assert_refused_untouched(file, "restore the file")


def test_damage_in_the_schema_is_one_clear_error(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[100:200] = bytes([0xFF]) * 100
    file.write_bytes(content)

    assert_refused_untouched(file, "it is damaged")


def test_damage_that_shows_later_names_the_file(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096:] = bytes([0x5A]) * (len(content) - 4096)
    file.write_bytes(content)

    with Store.open(file.parent) as store, pytest.raises(StoreError, match="it is damaged") as caught:
        store.answers([key for key, _, _ in entries(200)])

    assert str(file) in str(caught.value)


def test_a_text_that_is_no_longer_utf8_names_the_file(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content.replace("의 답".encode(), b"\xff" * len("의 답".encode())))

    with Store.open(file.parent) as store, pytest.raises(StoreError, match="it is damaged"):
        store.answers([key for key, _, _ in entries(200)])


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("메모", encoding="utf-8")

    for directory in (tmp_path / "notes.txt", tmp_path / "notes.txt" / "store"):
        with pytest.raises(StoreError, match=r"notes\.txt.* cannot hold a store"):
            Store.open(directory)


@pytest.fixture
def without_privileges() -> Iterator[Path]:
    """A directory outside pytest's private ones; the superuser, who may write anywhere, becomes nobody for the test."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        is_superuser = hasattr(os, "geteuid") and os.geteuid() == 0
        if is_superuser:
            os.seteuid(65534)
        else:
            directory.chmod(0o555)
        try:
            yield directory
        finally:
            if is_superuser:
                os.seteuid(0)
            directory.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="directories have no write bit on Windows")
@pytest.mark.parametrize("inside", [".", "new"])
def test_a_directory_that_cannot_be_written_is_refused(without_privileges: Path, inside: str) -> None:
    with pytest.raises(StoreError, match="choose another --store"):
        Store.open(without_privileges / inside)

    assert list(without_privileges.iterdir()) == []


def test_answers_that_are_still_in_the_log_survive_a_copy_of_both_files(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    more = entries(300)
    with Store.open(file.parent) as store:
        store.remember(MODEL.key, more)
        for path in file.parent.glob(FILE_NAME + "*"):
            (copy / path.name).write_bytes(path.read_bytes())

    with Store.open(copy) as store:
        assert len(store.answers([key for key, _, _ in more])) == 300


def test_a_crash_while_the_log_was_being_written_back_is_mended(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with Store.open(file.parent) as store:
        store.remember(MODEL.key, entries(2000))
        before = file.read_bytes()
        (copy / (FILE_NAME + "-wal")).write_bytes(file.with_name(FILE_NAME + "-wal").read_bytes())
    after = file.read_bytes()
    assert len(before) < len(after)

    (copy / FILE_NAME).write_bytes(after[:4096] + before[4096:])  # the first page already promises the later ones

    with Store.open(copy) as store:
        assert len(store.answers([key for key, _, _ in entries(2000)])) == 2000
    assert pragma(copy / FILE_NAME, "integrity_check") == "ok"


def test_a_log_cut_anywhere_loses_only_the_last_answers(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with Store.open(file.parent) as store:
        for known in entries(230)[200:]:
            store.remember(MODEL.key, [known])
        log = file.with_name(FILE_NAME + "-wal").read_bytes()
        main = file.read_bytes()
    keys = [key for key, _, _ in entries(230)]

    for kept in range(0, len(log), max(1, len(log) // 12)):
        (copy / FILE_NAME).write_bytes(main)
        (copy / (FILE_NAME + "-wal")).write_bytes(log[:kept])
        with Store.open(copy) as store:
            found = store.answers(keys)
        assert list(found) and keys[: len(found)] == [key for key in keys if key in found]
        assert len(found) >= 200
        assert pragma(copy / FILE_NAME, "integrity_check") == "ok"


ADD_NOTE = "ALTER TABLE runs ADD COLUMN note TEXT;\nCREATE INDEX runs_by_note\n  ON runs (note);"


def test_an_older_store_is_brought_up_to_date_and_keeps_its_answers(file: Path) -> None:
    open_connection(file.parent, (*MIGRATIONS, ADD_NOTE)).close()

    assert pragma(file, "user_version") == len(MIGRATIONS) + 1
    assert pragma(file, "application_id") == APPLICATION_ID
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM responses").fetchone() == (200,)
    assert connection.execute("SELECT note FROM runs").fetchall() == []
    connection.close()
    assert_refused_untouched(file, "made by a newer Jatdae")


def test_a_store_upgraded_by_another_process_is_left_alone_even_while_that_process_runs(file: Path) -> None:
    newer = open_connection(file.parent, (*MIGRATIONS, ADD_NOTE))
    try:
        assert file.read_bytes()[60:64] == (len(MIGRATIONS) + 1).to_bytes(4, "big")
        assert_refused_untouched(file, "made by a newer Jatdae")
    finally:
        newer.close()


def test_a_migration_that_fails_half_way_leaves_the_version_before_it(file: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        open_connection(file.parent, (*MIGRATIONS, "CREATE TABLE extra (a);\nDROP TABLE absent;"))

    assert pragma(file, "user_version") == len(MIGRATIONS)
    with Store.open(file.parent) as store:
        assert store.counts()["responses"] == 200
