"""The corpus as a stream: every kind of file, folders, and faults that are named by file, line and field."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest

from jatdae.errors import DataError, RequestError
from jatdae.negation.corpus.passages import PART, find_places, read_passages


def read(*paths, field="text", offline=True):
    places = find_places([str(path) for path in paths], offline=offline)
    return [(passage.file, passage.number, passage.text.strip()) for passage in read_passages(places, field)]


def test_a_text_file_has_a_passage_a_line(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufeff비가 온다.\r\n\r\n춥다.".encode())

    assert read(tmp_path / "a.txt") == [("a.txt", 1, "비가 온다."), ("a.txt", 3, "춥다.")]


def test_json_lines_give_the_named_field(tmp_path):
    rows = [{"body": "비가 온다."}, {"body": None}, {"body": "춥다."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    assert read(tmp_path / "a.jsonl", field="body") == [("a.jsonl", 1, "비가 온다."), ("a.jsonl", 3, "춥다.")]


def test_compressed_files_read_like_the_plain_ones(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("비가 온다.\n춥다.\n".encode()))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n'))

    assert [text for _, _, text in read(tmp_path)] == ["비가 온다.", "춥다.", "x"]


def test_parquet_rows_come_over_row_groups(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = [f"{number}번째 글이다." for number in range(700)]
    table = arrow.table({"other": list(range(701)), "text": [*texts, None]})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=300)

    found = read(tmp_path / "a.parquet")

    assert [text for *_, text in found] == texts
    assert found[-1][1] == 700


def test_a_dataset_of_a_hub_is_streamed_over_its_splits(tmp_path):
    pytest.importorskip("datasets")
    (tmp_path / "mine").mkdir()
    for split, text in (("train", "비가 온다."), ("test", "춥다.")):
        (tmp_path / "mine" / f"{split}.jsonl").write_text(json.dumps({"text": text}) + "\n", encoding="utf-8")

    found = read(f"hub:{tmp_path / 'mine'}", offline=False)

    assert sorted(text for *_, text in found) == ["비가 온다.", "춥다."]
    assert [number for _, number, _ in found] == [1, 2]
    assert {file for file, *_ in found} == {"mine"}


def test_a_dataset_of_a_hub_is_refused_offline():
    with pytest.raises(RequestError, match="--offline"):
        find_places(["hub:someone/texts@main"], offline=True)


def test_a_folder_is_read_in_the_order_of_names_and_twins_stay_apart(tmp_path):
    for name in ("b/x.txt", "a/x.txt", "a/note.md", "x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")

    files = [file for file, *_ in read(tmp_path, tmp_path / "a" / "x.txt")]

    assert files == ["a/x.txt", "b/x.txt", "x.txt", "x.txt~2"]


def test_a_long_line_comes_in_parts_that_lose_nothing(tmp_path):
    line = "긴 글이 이어진다 " * 40_000
    (tmp_path / "a.txt").write_text(f"{line}\n끝.", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": line}), encoding="utf-8")
    (tmp_path / "c.txt").write_text("가" * 400_000, encoding="utf-8")

    for name in ("a.txt", "b.jsonl", "c.txt"):
        parts = [text for _, number, text in read(tmp_path / name) if number == 1]
        wanted = ("가" * 400_000) if name == "c.txt" else line
        assert "".join("".join(parts).split()) == "".join(wanted.split())
        assert 2 <= len(parts) <= 20
        assert max(map(len, parts)) <= PART
    assert read(tmp_path / "a.txt")[-1] == ("a.txt", 2, "끝.")


def test_memory_does_not_grow_with_the_file(tmp_path):
    (tmp_path / "a.txt").write_text("비가 오지 않는다.\n" * 400_000, encoding="utf-8")
    places = find_places([str(tmp_path / "a.txt")], offline=True)

    tracemalloc.start()
    count = sum(1 for _ in read_passages(places, "text"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 400_000
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("name", "data", "line", "field"),
    [
        ("a.txt", "비가 온다.\n".encode() + "춥다".encode("cp949"), 2, None),
        ("a.jsonl", b'{"text": "x"}\n{"text": ', 2, None),
        ("a.jsonl", b"[1]", 1, None),
        ("a.jsonl", b'{"body": "x"}', 1, "text"),
        ("a.jsonl", b'{"text": 3}', 1, "text"),
        ("a.jsonl", b"[" * 100_000, 1, None),
        ("a.txt.gz", b"no gzip", None, None),
        ("a.txt.gz", gzip.compress("비가 온다.\n".encode() * 999, mtime=0)[:-20], None, None),
        ("a.parquet", b"no parquet", None, None),
    ],
)
def test_a_fault_is_named_by_file_line_and_field(tmp_path, name, data, line, field):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(data)

    with pytest.raises(DataError) as caught:
        read(tmp_path / name)

    assert (caught.value.path.name, caught.value.line, caught.value.field) == (name, line, field)
    assert "\n" not in str(caught.value)


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"body": ["x"]}), tmp_path / "a.parquet")

    with pytest.raises(DataError, match="body"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize("name", ["none.txt", "a.docx", "empty"])
def test_what_cannot_be_a_corpus_is_refused(tmp_path, name):
    (tmp_path / "a.docx").write_bytes(b"")
    (tmp_path / "empty").mkdir()

    with pytest.raises(RequestError):
        find_places([str(tmp_path / name)], offline=True)


def test_json_with_lone_surrogates_is_read(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "\\ud800 x\\u0000"}')

    assert len(read(tmp_path / "a.jsonl")) == 1
