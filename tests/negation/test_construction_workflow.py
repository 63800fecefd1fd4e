"""The whole way: from a text file to a validated release, with a server on loopback in the place of the model."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from construction_project import Row, Steps, fill_in, make_project, written
from construction_texts import IMPERATIVE, TEXTS, model
from faulty_server import FaultyServer

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.konubench.data import read_records
from jatdae.benchmarks.konubench.examination import inspect
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError
from jatdae.evaluate import prepare
from jatdae.negation.construction.item import RELEASED

STEP = (
    "import sys; from pathlib import Path; from jatdae.cli.negation_build import build_command; "
    "build_command(Path(sys.argv[1]), sys.argv[2], [], by=None, offline=False, as_json=False, quiet=True)"
)


def done(row: Row) -> None:
    row["decision"] = "done"


@pytest.fixture(scope="module")
def server():
    with FaultyServer(model) as served:
        yield served


def built(folder: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> Steps:
    """A project whose items are all refined, by kim."""
    steps = Steps(make_project(folder, server.base_url), capsys)
    steps("units")
    (folder / "orders.txt").write_text(f"{IMPERATIVE.merged}\n", encoding="utf-8")
    steps("add", folder / "orders.txt", by="kim")
    steps("merge")
    steps("sheet", fill_in(written(steps("sheet")), done), by="kim")
    steps("draft")
    steps("sheet", fill_in(written(steps("sheet")), done), by="kim")
    return steps


def answer_rightly(project: Path, but: str = "") -> Callable[[Row], None]:
    """Someone who knows the answers, as far as a blind sheet lets them; on one item they err."""
    right = {}
    for line in (project / "events.jsonl").read_text("utf-8").splitlines():
        event = json.loads(line)
        if "standard_negation" in event["changes"]:
            right[event["item"]] = event["changes"]["standard_negation"][1]

    def answer(row: Row) -> None:
        letters = [letter for letter in "ABCD" if row[letter]]
        is_right = [letter for letter in letters if row[letter] == right[row["id"]]]
        wrong = [letter for letter in letters if letter not in is_right]
        row["answer"] = wrong[0] if row["id"] == but else is_right[0]

    return answer


def test_a_text_file_becomes_a_release_that_the_benchmark_reads(
    tmp_path: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a project with fourteen passages and a hand-written order, all drafted and refined by kim
    folder = tmp_path / "project"
    steps = built(folder, server, capsys)
    assert steps.states() == {"refined": len(TEXTS) + 1}

    # When lee answers blind, once wrongly, reviews, and disputes nothing else
    blind = written(steps("verify", by="lee"))
    assert "contradiction" not in blind.read_text("utf-8") and "관형절" not in blind.read_text("utf-8")
    read = steps("verify", fill_in(blind, answer_rightly(folder, but="4")), by="lee")
    assert read["answered"] == 15

    def agree(row: Row) -> None:
        row["verdict"], row["comment"] = "agree", "실수로 잘못 골랐다." if row["id"] == "4" else ""

    read = steps("verify", fill_in(written(steps("review", by="lee")), agree), by="lee")
    assert (read["verified"], read["disputed"]) == (14, 1)

    # Then the wrong answer is a dispute, which the authors settle with a change
    def change(row: Row) -> None:
        assert (row["id"], row["verifier"], row["authors"]) == ("4", "lee", "kim")
        row["contradiction"] = "길이가 85미터인 이 다리는 밤에 자전거가 지나간다."
        row["decision"], row["reason"] = "change", "모순이 더 뚜렷해야 한다고 뜻을 모았다."

    steps("disputes", fill_in(written(steps("disputes")), change), by="park")
    assert steps.states() == {"verified": 14, "settled": 1}

    # And the release is the same bytes twice, valid, and read by the task in both modes.
    steps("release")
    first = {path.name: path.read_bytes() for path in (folder / "release").iterdir()}
    steps("release", tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == first
    assert steps.states() == {"released": 15}
    check_release(folder / "release")


def check_release(release: Path) -> None:
    records = {name: read_records(release / f"{name}.json") for name in ("train", "val", "test")}
    assert {name: len(found) for name, found in records.items()} == {"train": 8, "val": 3, "test": 4}
    found = inspect(Source.of(release))
    assert found.problems == ()
    assert all(found.finding(name).count == 0 for name in ("id twice", "passage twice", "text twice: paraphrase"))
    for mode in ("cloze", "symbol"):
        entry = find_task("konubench")
        passes = prepare(entry, build_protocol(entry, mode), Source.of(release))
        assert [len(task.items()) for task in passes] == [4]

    (release / "val.json").write_bytes((release / "val.json").read_bytes() + b"\n")
    told = "val.json: not the file that release.json beside it describes; release it again"
    assert inspect(Source.of(release)).problems == (told,)

    rows = [row for name in records for row in json.loads((release / f"{name}.json").read_text("utf-8"))]
    assert all(tuple(row) == RELEASED for row in rows)
    assert {type(row["raw_id"]) for row in rows if not row["idx"].startswith("G")} == {float}
    order = next(row for row in rows if row["idx"] == "G1")
    assert (order["raw_id"], order["sn_절1"]) == (None, "말다")
    with (release / "small-negation.csv").open(encoding="utf-8-sig", newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [row["idx"] for row in table] == [*map(str, range(14)), "G1"]
    assert {row["idx"]: row["contradiction"] for row in table}["4"].startswith("길이가 85미터")
    assert {row["idx"]: row["paraphrase"] for row in table} == {row["idx"]: row["paraphrase"] for row in rows}
    assert next(row for row in table if row["idx"] == "0")["paraphrase"] == TEXTS[0].paraphrase
    for name, heading in (("DATASHEET.md", "## What the surface gives away"), ("DATASHEET.ko.md", "## 부정의 유형")):
        assert heading in (release / name).read_text("utf-8")


def test_the_fields_and_their_order_are_those_of_the_published_files(upstream: Path) -> None:
    first = json.loads((upstream / "konubench" / "train.json").read_text("utf-8"))[0]

    assert tuple(first) == RELEASED


def test_a_killed_merge_asks_nothing_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FaultyServer(model, latency=0.15) as slow:
        steps = Steps(make_project(tmp_path / "project", slow.base_url), capsys)
        config = steps.folder / "project.yaml"
        config.write_text(config.read_text("utf-8") + "concurrency: 1\n", encoding="utf-8")
        steps("units")
        process = subprocess.Popen([sys.executable, "-c", STEP, str(steps.folder), "merge"])
        while sum(slow.answered.values()) < 4:
            time.sleep(0.02)
            assert process.poll() is None
        process.kill()
        process.wait()
        asked = set(slow.answered)

        result = steps("merge")

        assert result["answered"] >= len(TEXTS) - len(asked) and steps.states() == {"merged": len(TEXTS)}
        # The request in flight when the process was killed may have come twice; whatever was stored has not.
        assert sum(count - 1 for count in slow.answered.values()) <= 1
        before = sum(slow.answered.values())
        assert steps("merge")["answered"] == 0
        # Even without the log, the store answers everything.
        (steps.folder / "events.jsonl").unlink()
        steps("units")
        assert steps("merge") | {"failed": []} == {"sentences": 14, "answered": 0, "stored": 14, "failed": []}
        assert sum(slow.answered.values()) == before


def test_what_the_model_leaves_undone_is_told_and_written_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a model that answers one request with a refusal in two lines
    def refusing(body: dict) -> str:
        refused = "솔마을" in body["messages"][-1]["content"]
        return "죄송합니다.\n도와드릴 수 없습니다." if refused else model(body)

    with FaultyServer(refusing) as server:
        steps = Steps(make_project(tmp_path / "project", server.base_url), capsys)
        steps("units")

        result = steps("merge")

        assert steps.code == 1
        assert [(one["item"], one["field"]) for one in result["failed"]] == [("0", "original_sentence")]
        assert steps.states() == {"drafted": 1, "merged": 13}

        # When an author writes it on the sheet, then it goes on as if merged.
        def write(row: Row) -> None:
            row["original_sentence"] = row["original_sentence"] or TEXTS[0].merged
            done(row)

        steps("sheet", fill_in(written(steps("sheet")), write), by="lee")
        assert steps.states() == {"corrected": 14}


def test_nobody_verifies_what_they_have_written(
    tmp_path: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = built(tmp_path / "project", server, capsys)

    with pytest.raises(RequestError, match="no refined item waits for kim"):
        steps("verify", by="kim")

    # A blind sheet made for lee is refused from kim, and a review before the answer from lee.
    blind = written(steps("verify", by="lee"))
    with pytest.raises(DataError, match=r"line 2, field 'id': kim has written or changed the item"):
        steps("verify", fill_in(blind, answer_rightly(steps.folder)), by="kim")
    with pytest.raises(RequestError, match="first comes the blind sheet"):
        steps("review", by="lee")
    steps("verify", fill_in(blind, answer_rightly(steps.folder)), by="lee")
    with pytest.raises(DataError, match=r"the item is answered already"):
        steps("verify", fill_in(blind, answer_rightly(steps.folder, but="3")), by="lee")
    with pytest.raises(DataError, match="the item is verified by lee"):
        steps("verify", fill_in(blind, answer_rightly(steps.folder)), by="park")

    # Where an author then edits an item, its answer no longer counts, and whoever edited it is out.
    def edit(row: Row) -> None:
        row["note"] = "다시 봄" if row["id"] == "6" else row["note"]

    steps("sheet", fill_in(written(steps("sheet")), edit), by="lee")
    assert "연구진" not in written(steps("verify", by="park")).read_text("utf-8")
    with pytest.raises(RequestError, match="no refined item waits for lee"):
        steps("verify", by="lee")


def test_the_order_of_options_tells_nothing_and_is_another_for_another_person(
    tmp_path: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = built(tmp_path / "project", server, capsys)
    answer = answer_rightly(steps.folder)
    letters: dict[str, list[str]] = {"lee": [], "park": []}
    for person, found in letters.items():

        def note(row: Row, found: list[str] = found) -> None:
            answer(row)
            found.append(row["answer"])

        fill_in(written(steps("verify", by=person)), note)

    assert set(letters["lee"]) == set("ABCD") and letters["lee"] != letters["park"]


def test_the_history_of_an_item_tells_who_changed_what_and_when(
    tmp_path: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = built(tmp_path / "project", server, capsys)

    events = steps("history", "2")

    assert [event["by"] for event in events][:4] == ["jatdae:units", "jatdae:openai:served", "kim", "jatdae:rules"]
    assert {event["time"] for event in events} == {"2030-05-01T09:30:00+00:00"}
    assert [event["changes"]["state"][1] for event in events if "state" in event["changes"]] == [
        "drafted", "merged", "corrected", "negated", "distracted", "refined"
    ]  # fmt: skip
    merged = events[1]
    assert merged["changes"]["original_sentence"] == ["", TEXTS[2].merged] and len(merged["note"]) == 64
