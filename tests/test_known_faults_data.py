"""Faults that other tools have shown in reading data files: columns, encodings, loading scripts."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from kmmlu_folder import DEV, HEADER, TEST, write_csv

from jatdae import load_task
from jatdae.benchmarks.multiple_choice import Question
from jatdae.cli import run_app

BENCHMARKS = Path(__file__).resolve().parents[1] / "src" / "jatdae" / "benchmarks"
OTHER_ORDER = ("question", "answer", "A", "B", "C", "D", "Human Accuracy", "Category")

Told = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    """Run a command that is refused before any model is loaded; gives its one line."""

    def run(*words: str) -> str:
        more = ["--model", "hf:./no-model", "--store", str(tmp_path / "store")] if words[0] == "run" else []
        capsys.readouterr()
        assert run_app([*words, *more]) == 2
        shown = capsys.readouterr()
        (line,) = shown.err.splitlines()
        assert shown.out == "" and line.startswith("error: ")
        return line

    return run


def questions(folder: Path, name: str = "kmmlu/law") -> list[Question]:
    return [item for item in load_task(name, data=folder, shots=0).items() if isinstance(item, Question)]


# Columns


def shuffled_headers() -> list[tuple[str, ...]]:
    draw = random.Random(45)
    return [OTHER_ORDER, *(tuple(draw.sample(HEADER, len(HEADER))) for _ in range(5)), (*HEADER[:6],)]


@pytest.mark.parametrize("header", shuffled_headers())
def test_columns_are_read_by_name_in_whatever_order_they_stand(header: tuple[str, ...], tmp_path: Path) -> None:
    write_csv(tmp_path / "usual" / "Law-test.csv", TEST)
    write_csv(tmp_path / "other" / "Law-test.csv", TEST, header)
    assert questions(tmp_path / "other") == questions(tmp_path / "usual")


@pytest.mark.parametrize("column", HEADER[:6])
def test_a_file_without_a_needed_column_is_refused_with_its_name(column: str, refused: Told, tmp_path: Path) -> None:
    write_csv(tmp_path / "data" / "Law-dev.csv", DEV)
    path = write_csv(tmp_path / "data" / "Law-test.csv", TEST, [name for name in HEADER if name != column])
    line = refused("run", "kmmlu", "--data", str(tmp_path / "data"))
    assert str(path) in line and f"{column!r}" in line and "missing" in line


def test_answer_1_is_the_first_option_and_4_the_last(tmp_path: Path) -> None:
    write_csv(tmp_path / "Law-test.csv", TEST)
    for row, item in zip(TEST, questions(tmp_path), strict=True):
        assert item.letter == "_ABCD"[row[1]]
        assert item.options[item.answer] == row[1 + row[1]]


@pytest.mark.parametrize("answer", ["0", "5", "-1", "1.0", "A", "①", "", "12"])
@pytest.mark.parametrize("place", [0, 2])
def test_an_answer_that_is_no_option_is_refused_with_its_row(
    answer: str, place: int, refused: Told, tmp_path: Path
) -> None:
    write_csv(tmp_path / "data" / "Law-dev.csv", DEV)
    path = write_csv(tmp_path / "data" / "Law-test.csv", TEST)
    rows = path.read_text(encoding="utf-8").splitlines()
    stem, _, rest = rows[place + 1].split(",", 2)
    rows[place + 1] = f"{stem},{answer},{rest}"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    line = refused("run", "kmmlu", "--data", str(tmp_path / "data"))
    assert f"Law-test.csv, line {place + 2}, field 'answer'" in line


# Encodings


def kmmlu_csv(folder: Path) -> tuple[Path, tuple[str, ...]]:
    shutil.copytree(BENCHMARKS / "kmmlu" / "mini", folder)
    return folder / "Biology-test.csv", ("run", "kmmlu/biology", "--data", str(folder))


def konubench_json(folder: Path) -> tuple[Path, tuple[str, ...]]:
    shutil.copytree(BENCHMARKS / "konubench" / "mini", folder)
    return folder / "test.json", ("run", "konubench", "--data", str(folder))


def predictions(folder: Path, suffix: str) -> tuple[Path, tuple[str, ...]]:
    folder.mkdir()
    path = folder / f"pred.{suffix}"
    row = {"category": "Law", "answer": "A", "response": "정답은 A입니다."}
    text = ",".join(row) + "\n" + ",".join(row.values()) if suffix == "csv" else json.dumps(row, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path, ("score", "kmmlu", "--pred", str(path))


def predictions_csv(folder: Path) -> tuple[Path, tuple[str, ...]]:
    return predictions(folder, "csv")


def predictions_jsonl(folder: Path) -> tuple[Path, tuple[str, ...]]:
    return predictions(folder, "jsonl")


def suite(folder: Path) -> tuple[Path, tuple[str, ...]]:
    folder.mkdir()
    path = folder / "suite.yaml"
    path.write_text("# 한국어 모음\nmodels: [나의-모델]\ntasks: [{task: kmmlu, mode: letter}]\n", encoding="utf-8")
    return path, ("run", "-c", str(path), "--data", "mini")


FILES = (kmmlu_csv, konubench_json, predictions_csv, predictions_jsonl, suite)


@pytest.mark.parametrize("make", FILES)
@pytest.mark.parametrize(("encoding", "named"), [("cp949", "cp949"), ("euc-kr", "cp949"), ("utf-16", "UTF-16")])
def test_a_file_that_was_saved_in_another_encoding_is_refused_by_name(
    make: Callable[[Path], tuple[Path, tuple[str, ...]]], encoding: str, named: str, refused: Told, tmp_path: Path
) -> None:
    path, words = make(tmp_path / "data")
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding, "replace"))
    line = refused(*words)
    assert str(path) in line and f"not UTF-8 but {named}" in line and "save it again as UTF-8" in line


@pytest.mark.parametrize("make", [kmmlu_csv, konubench_json])
def test_a_byte_order_mark_is_no_part_of_the_first_column(
    make: Callable[[Path], tuple[Path, tuple[str, ...]]], tmp_path: Path
) -> None:
    path, words = make(tmp_path / "data")
    before = questions(tmp_path / "data", words[1])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert questions(tmp_path / "data", words[1]) == before


@pytest.mark.parametrize("make", [predictions_csv, predictions_jsonl])
def test_a_byte_order_mark_changes_no_score(
    make: Callable[[Path], tuple[Path, tuple[str, ...]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, words = make(tmp_path / "data")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert run_app([*words, "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)["score"]
    assert (scored["micro"]["value"], list(scored["subjects"])) == (1.0, ["Law"])


@pytest.mark.parametrize(
    ("make", "word", "place"),
    [(kmmlu_csv, "혈당량", "line 4, field 'question'"), (konubench_json, "봉숭아를", "field 'original_sentence'")],
)
def test_decomposed_data_are_refused_with_their_place(
    make: Callable[[Path], tuple[Path, tuple[str, ...]]], word: str, place: str, refused: Told, tmp_path: Path
) -> None:
    """One decomposed word is enough; nothing is composed silently."""
    path, words = make(tmp_path / "data")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(word, unicodedata.normalize("NFD", word), 1), encoding="utf-8")
    line = refused(*words)
    assert place in line and "NFD" in line and "convert the file to NFC" in line


# No loading scripts, no network

LOAD = """
import socket, sys
def blocked(*_, **__):
    raise SystemExit("the network was touched")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = blocked
from jatdae import load_task
for name in ("kmmlu", "konubench", "konubench/kmmlu-neg", "konubench/boolq-neg"):
    task = load_task(name, data=sys.argv[1 + name.startswith("konubench")])
    print(name, len(task.items()))
    task.data_hash, [task.request(item) for item in task.items()[:3]]
print(sorted(set(sys.modules) & {"datasets", "huggingface_hub", "pandas", "transformers"}))
"""


def test_local_files_load_without_a_network_and_without_a_data_set_library(tmp_path: Path) -> None:
    kmmlu_csv(tmp_path / "kmmlu"), konubench_json(tmp_path / "konubench")
    words = [sys.executable, "-c", LOAD, str(tmp_path / "kmmlu"), str(tmp_path / "konubench")]
    done = subprocess.run(
        words, capture_output=True, text=True, encoding="utf-8", env={**os.environ, "HF_HUB_OFFLINE": "0"}
    )
    assert done.returncode == 0, done.stderr
    *counts, imported = done.stdout.splitlines()
    assert len(counts) == 4 and all(int(line.split()[1]) >= 8 for line in counts)
    assert imported == "[]"


@pytest.mark.parametrize(
    ("task", "data_set", "mend"),
    [
        ("kmmlu", "kmmlu", "jatdae data pull kmmlu"),
        ("kmmlu/law", "kmmlu", "jatdae data pull kmmlu"),
        ("konubench", "test.json", "jatdae data pull konubench"),
        ("konubench/kmmlu-neg", "kmmlu_neg.json", "jatdae data pull konubench"),
        ("konubench/boolq", "kobest_boolq.json", "skt/kobest_v1"),
        ("kmmlu-hard", "kmmlu-hard", "HAERAE-HUB/KMMLU-HARD"),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_absent_data_are_named_with_the_way_to_get_them(
    task: str, data_set: str, mend: str, named: bool, refused: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JATDAE_DATA", raising=False)
    monkeypatch.setenv("JATDAE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "empty").mkdir()
    line = refused("run", task, *(("--data", str(tmp_path / "empty")) if named else ()))
    assert data_set in line and mend in line
