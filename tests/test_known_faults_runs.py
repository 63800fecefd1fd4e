"""Faults that other tools have shown around a run: wrong stored answers, torn stores, output that stops the work."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kmmlu_folder import TEST, write_csv
from scripted import ScriptedBackend, hashed

from jatdae import evaluate
from jatdae.cli import run_app
from jatdae.store import Store
from jatdae.types import Answer, Completion, Generate, Request, Sampling

TESTS = Path(__file__).resolve().parent
MINI = TESTS.parent / "src" / "jatdae" / "benchmarks" / "kmmlu" / "mini"


# What an answer is stored under


def warm_or_cold(request: Request) -> Answer:
    """Answers A when asked greedily and B when sampled, so that an exchanged answer shows."""
    if isinstance(request, Generate):
        return Completion("정답: A" if request.sampling.temperature == 0 else "정답: B", "stop", 5, 4)
    return hashed(request)


def predictions(folder: Path) -> set[str | None]:
    with Store.open(folder) as store:
        return {sample.prediction for sample in store.samples(store.results()[0].id)}


def ask(backend: ScriptedBackend, folder: Path, **changes: Any) -> int:
    """Run KMMLU on the data of the folder and count what the backend was asked this time."""
    before = len(backend.asked)
    choices: dict[str, Any] = {"mode": "direct", "shots": 0, "sampling": Sampling(max_tokens=8), **changes}
    evaluate("kmmlu/law", backend, store=folder / "store", data=folder / "data", **choices)
    return len(backend.asked) - before


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_csv(tmp_path / "data" / "Law-test.csv", TEST)
    return tmp_path


def test_another_temperature_asks_anew_and_gets_its_own_answers(folder: Path) -> None:
    backend = ScriptedBackend(warm_or_cold)
    assert ask(backend, folder) == len(TEST)
    assert predictions(folder / "store") == {"A"}
    assert ask(backend, folder, sampling=Sampling(max_tokens=8, temperature=0.7)) == len(TEST)
    assert predictions(folder / "store") == {"B"}
    assert ask(backend, folder) == 0
    assert predictions(folder / "store") == {"A"}


@pytest.mark.parametrize(
    "changes",
    [
        {"max_tokens": 9},
        {"temperature": 0.7},
        {"temperature": 0.7, "top_p": 0.9},
        {"stop": ("\n",)},
        {"seed": 7},
    ],
)
def test_every_sampling_setting_is_part_of_the_key(changes: dict[str, Any], folder: Path) -> None:
    backend = ScriptedBackend()
    ask(backend, folder)
    assert ask(backend, folder, sampling=replace(Sampling(max_tokens=8), **changes)) == len(TEST)
    assert ask(backend, folder, sampling=replace(Sampling(max_tokens=8), **changes)) == 0


def test_one_changed_word_of_a_prompt_is_asked_anew_and_nothing_else(folder: Path) -> None:
    backend = ScriptedBackend()
    ask(backend, folder)
    changed = [(TEST[0][0].replace("땅이", "흙이"), *TEST[0][1:]), *TEST[1:]]
    write_csv(folder / "data" / "Law-test.csv", changed)
    assert ask(backend, folder) == 1
    assert ask(backend, folder, options={"cue": "답："}) == len(TEST)
    assert ask(backend, folder, options={"instruction": "하나만 고르세요."}) == len(TEST)
    write_csv(folder / "data" / "Law-test.csv", changed[::-1])
    assert ask(backend, folder) == 0, "the order of a file changes no question"


def test_two_models_never_share_an_answer(folder: Path) -> None:
    first, second = (
        ScriptedBackend(warm_or_cold),
        ScriptedBackend(lambda r: Completion("정답: C", "stop"), name="other"),
    )
    assert ask(first, folder) == len(TEST)
    assert ask(second, folder) == len(TEST)
    assert predictions(folder / "store") == {"C"}


def test_examples_drawn_with_another_seed_are_another_prompt(tmp_path: Path) -> None:
    backend = ScriptedBackend()
    for seed in (1, 2):
        before = len(backend.asked)
        choices: dict[str, Any] = {"data": "mini", "mode": "symbol", "shots": 2, "seeds": (seed,), "demos": "fixed"}
        result = evaluate("konubench", backend, store=tmp_path, **choices)
        assert len(backend.asked) - before == result.items


# Numerics


def facts(store: Path) -> list[dict[str, str]]:
    connection = sqlite3.connect(store / "jatdae.sqlite3")
    rows = connection.execute("SELECT facts FROM models").fetchall()
    connection.close()
    return [json.loads(row[0]) for row in rows]


def log_likelihoods(store: Path) -> list[list[float]]:
    with Store.open(store) as opened:
        return [sample.detail["log_likelihoods"] for sample in opened.samples(opened.results()[0].id)]


def run(model: Path, store: Path, *more: str) -> None:
    words = ["run", "kmmlu", "--data", "mini", "--shots", "0", "--model", f"hf:{model}", "--store", str(store), "-q"]
    assert run_app([*words, "--json", *more]) == 0


def test_the_same_settings_give_the_same_numbers_and_say_what_they_were(tiny_model: Path, tmp_path: Path) -> None:
    words = ("--dtype", "bfloat16", "--batch-tokens", "300", "--device", "cpu")
    for name in ("one", "two"):
        run(tiny_model, tmp_path / name, *words)
    assert log_likelihoods(tmp_path / "one") == log_likelihoods(tmp_path / "two")
    (stored,) = facts(tmp_path / "one")
    assert (stored["backend"], stored["dtype"]) == ("hf", "bfloat16")
    with Store.open(tmp_path / "one") as store:
        (record,) = store.runs()
    assert {"torch", "transformers", "python"} <= set(record.versions)
    assert record.machine["architecture"]


def test_half_precision_is_another_model_than_single(tiny_model: Path, tmp_path: Path) -> None:
    for dtype in ("bfloat16", "float32"):
        run(tiny_model, tmp_path, "--dtype", dtype)
    assert {stored["dtype"] for stored in facts(tmp_path)} == {"bfloat16", "float32"}
    with Store.open(tmp_path) as store:
        results = store.results()
        assert store.counts()["responses"] == 2 * len(list(store.samples(results[0].id)))


def test_batch_size_dtype_and_device_are_stored_with_the_result(tiny_model: Path, tmp_path: Path) -> None:
    """Also where none of them was typed."""
    evaluate("kmmlu/biology", f"hf:{tiny_model}", store=tmp_path, data="mini", shots=0)
    with Store.open(tmp_path) as store:
        result = store.results()[0].result
    assert result is not None
    told = result.settings
    assert (told["backend"], told["dtype"]) == ("hf", "float32" if told["device"] == "cpu" else told["dtype"])
    assert int(told["batch_tokens"]) > 0


def test_how_the_answers_were_computed_is_still_known_when_they_come_from_the_store(
    tiny_model: Path, tmp_path: Path
) -> None:
    first, again = (
        evaluate("kmmlu/biology", f"hf:{tiny_model}", store=tmp_path, data="mini", shots=0) for _ in range(2)
    )
    assert again.estimates == first.estimates
    for name in ("backend", "dtype", "device", "batch_tokens"):
        assert again.settings[name] == first.settings[name]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_choice_that_another_batch_size_turns_round_was_marked(dtype: str, tiny_model: Path, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    for budget in ("16", "300", "4000"):
        run(tiny_model, tmp_path / budget, "--dtype", dtype, "--batch-tokens", budget)
        with Store.open(tmp_path / budget) as store:
            seen.append({sample.item: sample for sample in store.samples(store.results()[0].id)})
    for item, sample in seen[0].items():
        others = [samples[item] for samples in seen[1:]]
        assert all(other.prediction == sample.prediction or other.detail["near_tie"] for other in others)
        if dtype == "float32":
            values = [other.detail["log_likelihoods"] for other in others]
            assert all(value == pytest.approx(sample.detail["log_likelihoods"], abs=1e-4) for value in values)


# A store whose writer was killed


def killed_run(store: Path, log: Path, *, after: int) -> None:
    """Start the run of killed.py and kill it once so many requests were asked."""
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "killed.py"), str(store), str(log)], stdout=subprocess.DEVNULL
    )
    while process.poll() is None and not (log.exists() and len(log.read_text().split()) >= after):
        time.sleep(0.02)
    process.kill()
    process.wait()


def test_a_log_that_was_torn_off_loses_its_last_answers_and_nothing_else(tmp_path: Path) -> None:
    """Given a kill and a write-ahead log cut at many places, when the run is repeated, then each item counts once."""
    killed_run(tmp_path / "killed", tmp_path / "log", after=60)
    log = "jatdae.sqlite3-wal"
    size = (tmp_path / "killed" / log).stat().st_size
    assert size > 0
    kept: list[int] = []
    for lost in (1, 3, 777, size // 3, size // 2):
        copy = shutil.copytree(tmp_path / "killed", tmp_path / f"cut{lost}")
        os.truncate(copy / log, size - lost)
        with Store.open(copy) as store:
            kept.append(store.counts()["responses"])
    assert kept == sorted(kept, reverse=True) and kept[0] > 0
    ends: list[dict[str, Any]] = []
    for lost in (777, size // 2):
        words = [sys.executable, str(TESTS / "killed.py"), str(tmp_path / f"cut{lost}"), str(tmp_path / f"log{lost}")]
        done = subprocess.run(words, capture_output=True, text=True)
        ends.append(json.loads(done.stdout))
        assert (ends[-1]["n"], ends[-1]["complete"]) == (400, True)
        with Store.open(tmp_path / f"cut{lost}") as store:
            assert store.counts()["responses"] == 400
            items = [sample.item for sample in store.samples(store.results()[0].id)]
        assert len(items) == len(set(items)) == 400
    assert ends[0] == ends[1]


# A system that does not speak UTF-8

PLAIN = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
UTF8 = {**PLAIN, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
KOREAN_WINDOWS = {**PLAIN, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp949", "PYTHONCOERCECLOCALE": "0"}
BARE = {**PLAIN, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NOT_IN_CP949 = "뷁 ☕ —"
COMMAND = [sys.executable, "-c", "from jatdae.cli import main; main()"]


@pytest.fixture(scope="module")
def coffee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled data with a question that cp949 cannot write."""
    folder = shutil.copytree(MINI, tmp_path_factory.mktemp("coffee") / "data")
    path = folder / "Biology-test.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("생물의 몸속에서", f"{NOT_IN_CP949} 생물의 몸속에서", 1), encoding="utf-8")
    return folder


def call(environment: dict[str, str], place: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    place.mkdir(exist_ok=True)
    return subprocess.run([*COMMAND, *words], capture_output=True, cwd=place, env=environment)


def test_a_run_writes_the_same_bytes_under_every_locale(coffee: Path, tiny_model: Path, tmp_path: Path) -> None:
    run_words = ("run", "kmmlu/biology", "--data", str(coffee), "--shots", "0", "--store", "s", "--offline", "--json")
    show_words = ("show", "1", "--samples", "20", "--store", "s", "--json")
    said: list[tuple[bytes, bytes]] = []
    for number, environment in enumerate((UTF8, KOREAN_WINDOWS, BARE)):
        place = tmp_path / str(number)
        measured = call(environment, place, *run_words, "--model", f"hf:{tiny_model}")
        assert measured.returncode == 0, measured.stderr.decode("utf-8", "replace")
        shown = call(environment, place, *show_words)
        assert shown.returncode == 0, shown.stderr.decode("utf-8", "replace")
        document = json.loads(shown.stdout.decode("utf-8"))
        samples = json.dumps(document["samples"], ensure_ascii=False)
        assert NOT_IN_CP949 in samples
        said.append((measured.stdout, json.dumps([document["results"][0]["result"], samples]).encode()))
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize("environment", [KOREAN_WINDOWS, BARE], ids=["cp949", "C"])
def test_text_and_errors_come_out_under_every_locale(
    environment: dict[str, str], coffee: Path, tiny_model: Path, tmp_path: Path
) -> None:
    words = (
        "run",
        "kmmlu/biology",
        "--data",
        str(coffee),
        "--shots",
        "0",
        "--preview",
        "20",
        "--model",
        str(tiny_model),
    )
    preview = call(environment, tmp_path, *words)
    assert preview.returncode == 0, preview.stderr
    assert NOT_IN_CP949 in preview.stdout.decode("utf-8")
    wrong = call(environment, tmp_path, "run", f"kmmlu{NOT_IN_CP949}", "--model", "x")
    (line,) = wrong.stderr.decode("utf-8").splitlines()
    assert wrong.returncode == 2 and line.startswith("error: unknown task")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo terminal")
def test_a_console_that_knows_only_cp949_shows_the_rest_as_escapes(
    coffee: Path, tiny_model: Path, tmp_path: Path
) -> None:
    words = (
        "run",
        "kmmlu/biology",
        "--data",
        str(coffee),
        "--shots",
        "0",
        "--preview",
        "20",
        "--model",
        str(tiny_model),
    )
    master, slave = os.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=slave, stderr=subprocess.DEVNULL, cwd=tmp_path, env=KOREAN_WINDOWS
    )
    os.close(slave)
    parts: list[bytes] = []
    try:
        while part := os.read(master, 65536):
            parts.append(part)
    except OSError:
        pass  # how Linux says that the other end was closed
    os.close(master)
    assert process.wait() == 0
    text = b"".join(parts).decode("cp949")
    assert "생물의 몸속에서" in text and "\\u2615" in text
