"""`jatdae run` from end to end with a real tiny model on the bundled items."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from jatdae.cli import run_app
from jatdae.store import Store


@pytest.fixture
def jatdae(tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run a command against a store of this test; gives (exit code, standard output, standard error)."""

    def run(*words: str, model: Path | str | None = tiny_model) -> tuple[int, str, str]:
        own = ["--store", str(tmp_path / "store")] if words[0] in ("run", "results", "show") else []
        chosen = ["--model", f"hf:{model}"] if words[0] == "run" and model is not None else []
        capsys.readouterr()
        code = run_app([*words, *chosen, *own])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.mark.parametrize(
    ("task", "mode", "headline"),
    [
        ("kmmlu", "letter", "macro"),
        ("kmmlu", "cloze", "macro"),
        ("kmmlu", "direct", "macro"),
        ("konubench", "cloze", "acc_norm"),
        ("konubench", "symbol", "acc"),
        ("konubench/kmmlu-neg", "letter", "acc"),
    ],
)
def test_every_mode_gives_one_json_document_with_intervals(jatdae, task: str, mode: str, headline: str) -> None:
    code, out, err = jatdae("run", task, "--data", "mini", "--mode", mode, "--json", "--truncate", "left")
    assert code == 0, err
    document = json.loads(out)
    (result,) = document["results"]
    assert result["headline"].startswith(headline)
    figure = result["estimates"][result["headline"]]
    assert figure["low"] <= figure["value"] <= figure["high"]
    assert figure["n"] >= 8
    assert "mini items" in result["title"]
    assert result["floors"]["chance"]["value"] > 0.2
    if mode == "cloze" and task != "konubench/boolq":
        assert "random model, 0-shot" in result["floors"]


def test_several_tasks_shots_and_models_are_a_matrix(jatdae, tiny_model: Path, tmp_path: Path) -> None:
    words = (
        "run",
        "kmmlu/biology",
        "konubench",
        "--data",
        "mini",
        "--shots",
        "0,1",
        "--limit",
        "3",
        "--quiet",
        "--json",
    )
    other = shutil.copytree(tiny_model, tmp_path / "other")
    code, out, _ = jatdae(*words, "--model", f"hf:{other}", "--mode", "cloze")
    assert code == 0
    found = [(result["task"], result["protocol"]["shots"]) for result in json.loads(out)["results"]]
    assert found == 2 * [("kmmlu/biology", 0), ("kmmlu/biology", 1), ("konubench", 0), ("konubench", 1)]


def test_the_same_command_again_asks_nothing_and_gives_the_same_numbers(jatdae, tmp_path: Path) -> None:
    words = ("run", "konubench", "--data", "mini", "--mode", "symbol", "--json")
    first = json.loads(jatdae(*words)[1])["results"]
    with Store.open(tmp_path / "store") as store:
        answered = store.counts()["responses"]
    code, out, err = jatdae(*words)
    assert code == 0
    again = json.loads(out)["results"]
    assert first[0].pop("settings")["batch_tokens"].isdigit()
    again[0].pop("settings")
    assert again == first
    assert "weights" not in err
    with Store.open(tmp_path / "store") as store:
        assert store.counts()["responses"] == answered


def test_both_forms_of_a_study_are_compared_item_by_item(jatdae) -> None:
    code, out, _ = jatdae("run", "konubench/boolq", "konubench/boolq-neg", "--data", "mini", "--json")
    assert code == 0
    (pair,) = json.loads(out)["paired"]
    assert pair["report"]["n"] == 8
    assert pair["report"]["difference"]["low"] is not None


def test_preview_prints_text_and_ids_and_sends_nothing(jatdae, tmp_path: Path) -> None:
    code, out, _ = jatdae("run", "kmmlu/biology", "--data", "mini", "--shots", "1", "--preview", "1")
    assert code == 0
    assert out.count("정답：") == 4 * 2
    assert "tokens" in out
    assert not (tmp_path / "store").exists()


def test_forced_sampling_has_a_seed_that_is_told(jatdae) -> None:
    words = ("run", "kmmlu/biology", "--data", "mini", "--mode", "direct", "--preview", "1", "--json")
    words += ("--set", "temperature=0.7", "--set", "sampling=forced")
    for extra, seed in ((), 0), (("--set", "sampling_seed=5"), 5):
        code, out, err = jatdae(*words, *extra)
        assert code == 0, err
        sampling = json.loads(out)["preview"][0]["protocol"]["sampling"]
        assert (sampling["temperature"], sampling["seed"]) == (0.7, seed)


def test_results_and_show_tell_what_was_measured(jatdae) -> None:
    jatdae("run", "kmmlu/biology", "--data", "mini", "--limit", "4")
    code, out, _ = jatdae("results")
    assert code == 0
    assert "n=4" in out
    assert "Biology" in out
    code, out, _ = jatdae("show", "1", "--samples", "1", "--json")
    shown = json.loads(out)
    assert code == 0
    assert shown["samples"][0][0]["exchanges"][0]["request"]["options"] == [" A", " B", " C", " D"]
    assert "정답：" in shown["samples"][0][0]["exchanges"][0]["request"]["context"]


def test_a_limit_is_a_random_subset_that_a_larger_limit_contains(jatdae, tmp_path: Path) -> None:
    sets = []
    for number, limit in enumerate(("2", "5"), 1):
        jatdae("run", "kmmlu", "--data", "mini", "--limit", limit)
        with Store.open(tmp_path / "store") as store:
            (stored,) = store.results(run=number)
            sets.append({sample.item for sample in store.samples(stored.id)})
    assert len(sets[0]) == 4 * 2
    assert len(sets[1]) == 4 * 5
    assert sets[0] < sets[1]
    heads = {f"{subject}/test/{row}" for subject in ("Biology", "Food-Processing") for row in (0, 1)}
    assert not heads <= sets[0]


def test_an_over_long_prompt_makes_the_result_incomplete_and_says_how_to_mend_it(jatdae, tmp_path: Path) -> None:
    from tiny_model import build_tiny_model

    small = build_tiny_model(tmp_path / "small", bos=True, chat_template=None, window=128)
    code, out, err = jatdae("run", "kmmlu/biology", "--data", "mini", "--json", model=small)
    assert code == 1
    assert json.loads(out)["results"][0]["complete"] is False
    assert "128" in json.loads(out)["errors"][0]
    with Store.open(tmp_path / "store") as store:
        assert store.runs()[0].status == "failed"
        assert "128" in (store.runs()[0].error or "")
    (line,) = [line for line in err.splitlines() if line.startswith("error:")]
    assert "128" in line
    assert "--truncate left" in line

    code, out, err = jatdae("run", "kmmlu/biology", "--data", "mini", "--json", "--truncate", "left", model=small)
    assert code == 0
    assert any("cut from the left" in note for note in json.loads(out)["results"][0]["notes"])


def test_no_floor_is_shown_where_the_random_model_could_not_read_all_items(jatdae, tmp_path: Path) -> None:
    from tiny_model import build_tiny_model

    small = build_tiny_model(tmp_path / "small", bos=True, chat_template=None, window=64)
    code, out, err = jatdae("run", "kmmlu", "--data", "mini", "--mode", "cloze", "--json", model=small)
    assert code == 1
    assert "random model, 0-shot" not in json.loads(out)["results"][0]["floors"]
    assert "no random floor" in err


def test_names_are_shown_as_they_are_and_never_as_markup(jatdae, tiny_model: Path, tmp_path: Path) -> None:
    odd = tmp_path / "[bold]모델[v2]"
    odd.symlink_to(tiny_model, target_is_directory=True)
    code, out, err = jatdae("run", "kmmlu/biology", "--data", "mini", "--limit", "2", model=odd)
    assert code == 0, err
    assert "[bold]" in out
    code, out, _ = jatdae("results", "--model", "모델")
    assert "n=2" in out
    code, out, _ = jatdae("results", "--model", "another")
    assert "n=2" not in out


def test_show_names_what_the_weights_are_and_what_they_ran_on(jatdae) -> None:
    jatdae("run", "kmmlu/biology", "--data", "mini", "--limit", "2")
    code, out, _ = jatdae("show", "1", "--json")
    shown = json.loads(out)
    (facts,) = shown["models"].values()
    assert code == 0
    assert {"dtype", "weights"} <= set(facts)
    assert "transformers" in shown["run"]["versions"]


def test_with_json_an_error_is_a_document_too(jatdae) -> None:
    code, out, _ = jatdae("run", "kmmul", "--json")
    assert code == 2
    assert json.loads(out)["exit_code"] == 2
    assert "kmmlu" in json.loads(out)["error"]


def test_a_suite_file_is_a_matrix_too(jatdae, tiny_model: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        f"models: ['hf:{tiny_model}']\ntasks:\n  - {{task: kmmlu/biology, mode: letter, shots: [0, 2], limit: 2}}\n"
        "  - {task: konubench, mode: symbol, limit: 2}\n",
        encoding="utf-8",
    )
    code, out, err = jatdae("run", "-c", str(suite), "--data", "mini", "--json", model=None)
    assert code == 0, err
    assert [result["protocol"]["mode"] for result in json.loads(out)["results"]] == ["letter", "letter", "symbol"]


def test_lists_name_every_task_and_mode(jatdae) -> None:
    code, out, _ = jatdae("list", "tasks", "--json")
    names = {row["task"] for row in json.loads(out)["tasks"]}
    assert code == 0
    assert {"kmmlu", "kmmlu/stem", "kmmlu/accounting", "kmmlu-hard", "konubench", "konubench/boolq-neg"} <= names
    code, out, _ = jatdae("list", "modes", "--json")
    modes = {(row["benchmark"], row["mode"]) for row in json.loads(out)["modes"]}
    assert {("kmmlu", mode) for mode in ("letter", "direct", "cot", "cloze")} <= modes
    assert {("konubench", mode) for mode in ("cloze", "symbol", "chat")} <= modes
