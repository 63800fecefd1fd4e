"""What goes wrong is told in one line, with an exit code and without a traceback."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from jatdae.cli import run_app

MINI = Path(__file__).resolve().parents[1] / "src" / "jatdae" / "benchmarks"

Told = tuple[int, str]


@pytest.fixture
def told(tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run a command that fails; gives the exit code and its one line."""

    def run(*words: str, model: str | None = None) -> Told:
        chosen = (
            ["--model", model or f"hf:{tiny_model}", "--store", str(tmp_path / "store")] if words[0] == "run" else []
        )
        capsys.readouterr()
        code = run_app([*words, *chosen])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.out + shown.err
        (line,) = [line for line in shown.err.splitlines() if line.startswith("error:")]
        return code, line

    return run


@pytest.fixture
def kmmlu(tmp_path: Path) -> Path:
    """A copy of the bundled KMMLU files, to be damaged."""
    return shutil.copytree(MINI / "kmmlu" / "mini", tmp_path / "kmmlu")


@pytest.fixture
def konubench(tmp_path: Path) -> Path:
    return shutil.copytree(MINI / "konubench" / "mini", tmp_path / "konubench")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("run", "kmmul"), "'kmmlu'"),
        (("run", "kmmlu/acounting"), "'kmmlu/accounting'"),
        (("run", "konubench", "--mode", "symbl"), "'symbol'"),
        (("run", "kmmlu", "--set", "cu=답:"), "'cue'"),
        (("run", "kmmlu", "--shots", "five"), "--shots"),
        (("run", "kmmlu", "--seeds", "1,1"), "--seeds"),
        (("run", "kmmlu", "--demos", "fixd"), "'fixed'"),
        (("run", "kmmlu", "--limit", "0"), "limit 0"),
        (("run", "kmmlu", "--preview", "-1"), "preview"),
        (("run", "kmmlu", "--set", "sampling=yes"), "forced"),
        (("run", "kmmlu", "--set", "max_tokens=0", "--mode", "direct"), "max_tokens"),
        (("run", "kmmlu", "--nonsense"), "--nonsense"),
        (("run", "kmmlu", "--data", "mini", "--mode", "direct", "--set", "temperature=0.7"), "sampling=forced"),
        (("run", "kmmlu", "--data", "nowhere"), "nowhere"),
        (("run", "konubench", "--data", "mini", "--split", "tset"), "test"),
        (("list", "taks"), "'tasks'"),
        (("show", "1", "--store", "nowhere"), "nowhere"),
        (("score", "konubench", "--pred", "x.csv"), "kmmlu"),
        (("data", "info", "kmlu"), "'kmmlu'"),
        (("data", "pull", "kmmlu", "--offline"), "--offline"),
        (("run", "kmmlu", "--data", "mini", "--device", "abacus"), "--device abacus"),
        (("run", "kmmlu", "--data", "mini", "--chat-template"), "chat"),
        (("nonsense",), "nonsense"),
    ],
)
def test_a_wrong_request_is_exit_code_2_and_says_what_was_meant(told, words: tuple[str, ...], hint: str) -> None:
    code, line = told(*words)
    assert code == 2
    assert hint in line


def test_no_data_says_how_to_get_it(told, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, line = told("run", "kmmlu", "--data", str(tmp_path / "empty"))
    assert code == 2
    assert "jatdae data pull kmmlu" in line


def damage(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_answer_outside_1_to_4_names_file_line_and_field(told, kmmlu: Path) -> None:
    path = kmmlu / "Biology-test.csv"
    rows = path.read_text(encoding="utf-8").splitlines()
    cells = rows[3].rsplit(",", 7)
    cells[1] = "5"
    path.write_text("\n".join([*rows[:3], ",".join(cells), *rows[4:]]) + "\n", encoding="utf-8")
    code, line = told("run", "kmmlu", "--data", str(kmmlu))
    assert code == 2
    assert "Biology-test.csv" in line
    assert "line 4" in line
    assert "answer" in line


def test_a_missing_column_is_named(told, kmmlu: Path) -> None:
    damage(kmmlu / "Biology-test.csv", "question,answer,A,B", "question,answer,A,X")
    code, line = told("run", "kmmlu", "--data", str(kmmlu))
    assert code == 2
    assert "'B'" in line


@pytest.mark.parametrize(("encoding", "named"), [("cp949", "cp949"), ("utf-16", "UTF-16")])
def test_another_encoding_is_named(told, kmmlu: Path, encoding: str, named: str) -> None:
    path = kmmlu / "Biology-test.csv"
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding, "replace"))
    code, line = told("run", "kmmlu", "--data", str(kmmlu))
    assert code == 2
    assert named in line


def test_decomposed_hangul_is_refused_with_its_place(told, kmmlu: Path) -> None:
    path = kmmlu / "Biology-test.csv"
    path.write_text(unicodedata.normalize("NFD", path.read_text(encoding="utf-8")), encoding="utf-8")
    code, line = told("run", "kmmlu", "--data", str(kmmlu))
    assert code == 2
    assert "NFD" in line
    assert "line 2" in line


def test_a_byte_order_mark_changes_nothing(kmmlu: Path, tmp_path: Path, tiny_model: Path, capsys) -> None:
    words = [
        "run",
        "kmmlu",
        "--data",
        str(kmmlu),
        "--model",
        f"hf:{tiny_model}",
        "--json",
        "--store",
        str(tmp_path / "s"),
    ]
    assert run_app(words) == 0
    plain = json.loads(capsys.readouterr().out)["results"][0]["estimates"]
    for path in kmmlu.glob("*.csv"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert run_app(words) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["estimates"] == plain


@pytest.mark.parametrize("lost", [100, 2000, 2001, 2002])
def test_a_truncated_json_says_so(told, konubench: Path, lost: int) -> None:
    path = konubench / "test.json"
    path.write_bytes(path.read_bytes()[:-lost])
    code, line = told("run", "konubench", "--data", str(konubench))
    assert code == 2
    assert "test.json" in line
    assert "cut off" in line


def test_a_wrong_field_type_names_item_and_field(told, konubench: Path) -> None:
    path = konubench / "test.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    rows[2]["contradiction"] = 7
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    code, line = told("run", "konubench", "--data", str(konubench))
    assert code == 2
    assert "contradiction" in line
    assert "item 3" in line


def test_a_missing_model_and_an_unreadable_one(told, tmp_path: Path, tiny_model: Path) -> None:
    code, line = told("run", "kmmlu", "--data", "mini", "--offline", model=f"hf:{tmp_path}/nothing")
    assert code == 1
    assert "nothing" in line
    torn = shutil.copytree(tiny_model, tmp_path / "torn")
    weights = torn / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    code, line = told("run", "kmmlu", "--data", "mini", model=f"hf:{torn}")
    assert code == 1
    assert "torn" in line
    code, line = told("run", "kmmlu", "--data", "mini", model="olama:llama")
    assert code == 2
    assert "olama" in line


def test_what_cannot_be_fetched_is_named_offline(told) -> None:
    code, line = told("run", "kmmlu", "--data", "mini", "--offline", model="hf:some-team/some-model")
    assert code == 1
    assert "some-team/some-model" in line


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not yaml: [",
        b"models: [a]\x01",
        b"models: [a]\ntasks: [{task: kmmlu, shot: 5}]\n",
        b"models: [a]\ntasks: [{task: kmmlu, shots: -1}]\n",
        b"models: [a]\ntasks: [{task: kmmlu, seeds: []}]\n",
    ],
)
def test_a_bad_suite_file_names_the_field(told, tmp_path: Path, content: bytes) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_bytes(content)
    code, line = told("run", "-c", str(suite))
    assert code == 2
    assert "suite.yaml" in line


def test_a_foreign_store_is_left_as_it_is(told, tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "store").mkdir()
    file = tmp_path / "store" / "jatdae.sqlite3"
    file.write_bytes(b"something else altogether")
    code, line = told("run", "kmmlu", "--data", "mini")
    assert code == 1
    assert "jatdae.sqlite3" in line
    assert file.read_bytes() == b"something else altogether"
