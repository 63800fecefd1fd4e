"""The log of a project: replayed, torn, contradicted, and written by several processes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.errors import DataError, JatdaeError, RequestError
from jatdae.negation.construction.item import COMMENT, ORIGINAL
from jatdae.negation.construction.journal import Journal
from jatdae.negation.construction.locking import locked
from jatdae.negation.construction.states import State, may_follow

TIME = "2030-05-01T09:30:00+00:00"
WRITER = """
import sys
from pathlib import Path
from jatdae.negation.construction.journal import Journal
from jatdae.negation.construction.states import State
journal = Journal(Path(sys.argv[1]))
for number in range(40):
    with journal.writing(sys.argv[2], "t") as draft:
        idx = str(len(draft.items))
        draft.change(idx, {"comment": sys.argv[2]}, State.DRAFTED)
"""


def new_item(journal: Journal, idx: str, text: str = "바람이 분다.") -> None:
    with journal.writing("kim", TIME) as draft:
        draft.change(idx, {ORIGINAL: text}, State.CORRECTED)


def test_what_is_logged_is_what_another_reader_sees(tmp_path: Path) -> None:
    journal, other = Journal(tmp_path / "events.jsonl"), Journal(tmp_path / "events.jsonl")
    new_item(journal, "7")
    assert other.items["7"][ORIGINAL] == "바람이 분다."

    with other.writing("lee", TIME) as draft:
        assert not draft.change("7", {ORIGINAL: "바람이 분다."})
        draft.change("7", {ORIGINAL: "바람이 세게 분다."}, note="더 분명하게")

    assert journal.items == other.items == Journal(tmp_path / "events.jsonl").items
    assert journal.items["7"].people == {"kim", "lee"}
    event = list(journal.events())[1]
    assert (event.by, event.time, event.note) == ("lee", TIME, "더 분명하게")
    assert event.changes == {ORIGINAL: ("바람이 분다.", "바람이 세게 분다.")}


def test_an_error_in_the_middle_of_a_change_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "events.jsonl")
    new_item(journal, "1")
    before = journal.path.read_bytes()

    told = pytest.raises(RequestError, match="item 1 is corrected and cannot become settled")
    with told, journal.writing("kim", TIME) as draft:
        draft.change("2", {ORIGINAL: "눈이 온다."}, State.CORRECTED)
        draft.change("1", {}, State.SETTLED)

    assert journal.path.read_bytes() == before and list(journal.items) == ["1"]


def test_a_torn_last_line_is_passed_over_and_then_replaced(tmp_path: Path) -> None:
    # Given a log whose last line was cut off, at any byte, also inside a character
    path = tmp_path / "events.jsonl"
    new_item(Journal(path), "1")
    whole = path.read_bytes()
    new_item(Journal(path), "2")
    both = path.read_bytes()
    for cut in (1, 30, len(both) - len(whole) - 1):
        path.write_bytes(both[: len(whole) + cut])

        # When it is read, the first line counts; when it is written, the torn one goes.
        assert list(Journal(path).items) == ["1"]
        new_item(Journal(path), "2")
        assert path.read_bytes() == both


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"\xff\xfe", "line 2: not a line of JSON"),
        (b"[1]", "line 2: an object is expected"),
        (b'{"time":"t","by":"kim","item":"../x","changes":{},"note":""}', "line 2, field 'item'"),
        (b'{"time":"t","by":"kim","item":"1","changes":{"x":["",""]},"note":""}', "line 2, field 'x': .* not known"),
        (b'{"time":"t","by":"kim","item":"1","changes":{"comment":["no","b"]},"note":""}', "'comment': the old value"),
        (
            b'{"time":"t","by":"kim","item":"1","changes":{"state":["corrected","settled"]},"note":""}',
            "an item cannot go from corrected to settled",
        ),
        (b'{"time":"t","by":"kim","item":"1","changes":{"state":["corrected","eaten"]},"note":""}', "'eaten' is no"),
        (b"[" * 50_000, "line 2: not a line of JSON"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "events.jsonl"
    new_item(Journal(path), "1")
    path.write_bytes(path.read_bytes() + line + b"\n")

    with pytest.raises(DataError, match=told):
        _ = Journal(path).items


def test_four_processes_write_and_nothing_is_lost_or_mixed_up(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    names = ["a", "b", "c", "d"]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in names]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0, 0]

    items = Journal(path).items

    assert sorted(map(int, items)) == list(range(160))
    assert sorted(item[COMMENT] for item in items.values()) == [name for name in names for _ in range(40)]


def test_a_writer_gives_up_waiting_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    told = pytest.raises(JatdaeError, match="is being written by another process")
    with locked(path), told, Journal(path, patience=0.1).writing("kim", TIME):
        pass


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(JatdaeError, match=r"cannot be written \(No such file"):
        new_item(Journal(tmp_path / "gone" / "events.jsonl"), "1")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=6))
def test_any_text_survives_the_log(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    journal = Journal(tmp_path_factory.mktemp("log") / "events.jsonl")
    for text in texts:
        with journal.writing("kim", TIME) as draft:
            draft.change("1", {COMMENT: text}, State.DRAFTED)

    assert Journal(journal.path).items["1"][COMMENT] == texts[-1]
    for line in journal.path.read_bytes().split(b"\n")[:-1]:
        json.loads(line)


@given(st.sampled_from(State), st.sampled_from(State))
def test_a_dropped_or_released_item_stays_what_it_is(old: State, new: State) -> None:
    if old in (State.DROPPED, State.RELEASED):
        assert not may_follow(old, new)
    elif new is State.DROPPED:
        assert may_follow(old, new)
    elif new is State.RELEASED:
        assert may_follow(old, new) is (old in (State.VERIFIED, State.SETTLED))
