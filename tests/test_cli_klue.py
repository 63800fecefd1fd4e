"""The command line on KLUE's tasks: fine-tune and score, keep a checkpoint, vary settings, score checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from jatdae import evaluate
from jatdae.benchmarks.klue.labels import HUB_INFERENCE
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app
from jatdae.finetune.tiny import build_tiny_encoder
from jatdae.store import Store

QUICK = ("--set", "epochs=1", "lr=1e-3", "batch=8", "evaluations=1", "patience=0")


def texts(*tasks: str) -> list[str]:
    return [
        text
        for task in tasks
        for record in read_task(task, locate(Source.of("mini"), task, "train"))
        for text in record.texts
    ]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("klue") / "tiny"
    return build_tiny_encoder(folder, texts("ynat", "nli", "sts"), hidden=32, layers=1)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON document of a command that must succeed."""
    code = run_app([*words, "--json", "--quiet"])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return json.loads(shown.out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and the one line of a command that must fail."""
    code = run_app([*words, "--quiet"])
    (line,) = capsys.readouterr().err.splitlines()
    return code, line


def test_several_seeds_give_a_mean_each_seed_and_samples_in_the_store(encoder, tmp_path, capsys):
    # given a run over two training seeds
    store = tmp_path / "store"
    words = ("run", "klue/nli", "--model", f"hf:{encoder}", "--data", "mini", "--store", str(store))
    document = told(capsys, *words, "--seeds", "1,2", *QUICK)
    (result,) = document["results"]
    # then the score is the mean of the seeds, each is told, and so is their deviation
    each = result["breakdown"]["seeds"]
    assert set(each) == {"1", "2"}
    mean = (each["1"]["value"] + each["2"]["value"]) / 2
    assert result["estimates"]["accuracy"]["value"] == pytest.approx(mean)
    assert any("standard deviation" in note for note in result["notes"])
    # and every item is in the store once for each seed, with gold, prediction and score
    with Store.open(store) as opened:
        samples = list(opened.samples(1))
    assert len(samples) == 24
    assert {sample.seed for sample in samples} == {1, 2}
    assert all(sample.target and sample.prediction and "accuracy" in sample.scores for sample in samples)
    assert all(len(sample.detail["prediction"]["probabilities"]) == 3 for sample in samples)


def test_the_same_command_again_finds_its_checkpoint_and_gives_the_same_numbers(encoder, tmp_path, capsys):
    words = ("run", "klue/sts", "--model", f"hf:{encoder}", "--data", "mini", "--store", str(tmp_path), *QUICK)
    first = told(capsys, *words)["results"][0]
    (checkpoint,) = (tmp_path / "finetuned").iterdir()
    written = (checkpoint / "model" / "model.safetensors").stat().st_mtime_ns
    second = told(capsys, *words)["results"][0]
    assert (checkpoint / "model" / "model.safetensors").stat().st_mtime_ns == written
    assert second["estimates"] == first["estimates"]
    assert second["fingerprint"] == first["fingerprint"]


def test_a_kept_checkpoint_is_only_scored_and_needs_no_training_data(encoder, tmp_path, capsys):
    # given a checkpoint of nli and a folder with nothing but the dev file
    kept = tmp_path / "kept"
    card = told(capsys, "train", "klue/nli", "--model", str(encoder), "--data", "mini", "--out", str(kept), *QUICK)
    (tmp_path / "data").mkdir()
    for task in ("nli", "sts"):
        dev = locate(Source.of("mini"), task, "dev")
        (tmp_path / "data" / dev.name).write_bytes(dev.read_bytes())
    # when it is run
    words = ("--model", str(kept), "--data", str(tmp_path / "data"), "--store", str(tmp_path / "store"))
    (result,) = told(capsys, "run", "klue/nli", *words)["results"]
    # then it scores what the card says, and nothing was trained
    assert 100 * result["estimates"]["accuracy"]["value"] == pytest.approx(card["card"]["dev"]["accuracy"])
    assert not (tmp_path / "store" / "finetuned").exists()
    assert any("here only scored" in note for note in result["notes"])
    # and another task, seeds, or training it again are refused
    assert refused(capsys, "run", "klue/sts", *words) == (
        2,
        f"error: {kept} is fine-tuned on klue/nli; it cannot be run on klue/sts",
    )
    code, line = refused(capsys, "run", "klue/nli", *words, "--seeds", "1,2")
    assert (code, "fine-tuned already" in line) == (2, True)
    code, line = refused(
        capsys, "train", "klue/nli", "--model", str(kept), "--data", "mini", "--out", str(tmp_path / "x")
    )
    assert (code, "has a head for klue/nli already" in line) == (2, True)


def test_what_only_training_has_a_use_for_is_refused_for_a_kept_checkpoint(encoder, tmp_path, capsys):
    kept = tmp_path / "kept"
    told(capsys, "train", "klue/nli", "--model", str(encoder), "--data", "mini", "--out", str(kept), *QUICK)
    words = ("run", "klue/nli", "--model", str(kept), "--data", "mini", "--store", str(tmp_path / "store"))
    for useless in (("--set", "lr=1e-4"), ("--grid", "lr=1e-4,1e-5"), ("--seeds", "7")):
        code, line = refused(capsys, *words, *useless)
        assert (code, "is fine-tuned already" in line) == (2, True), line
    plain, smaller = (told(capsys, *words, *chosen)["results"][0] for chosen in ((), ("--set", "eval_batch=4")))
    assert plain["fingerprint"] == smaller["fingerprint"]
    assert plain["model_key"] == smaller["model_key"]


def test_what_changes_no_weight_trains_nothing_again(encoder, tmp_path, capsys):
    # given three seeds, of which the first encodes with the tokenizer that the others share
    words = ("run", "klue/nli", "--model", f"hf:{encoder}", "--data", "mini", "--store", str(tmp_path / "store"))
    first = told(capsys, *words, "--seeds", "1,2,3", *QUICK)["results"][0]
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").glob("finetuned/*/model/jatdae.json")}
    assert len(made) == 3
    # when the same is asked again, with a smaller batch for predictions
    again = told(capsys, *words, "--seeds", "1,2,3", *QUICK, "eval_batch=4")["results"][0]
    # then the same checkpoints are found
    found = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").glob("finetuned/*/model/jatdae.json")}
    assert found == made
    assert again["model_key"] == first["model_key"]


def test_another_split_is_scored_with_the_same_checkpoint(encoder, tmp_path, capsys):
    # given a labelled test file beside train and dev
    data = tmp_path / "data"
    data.mkdir()
    for split in ("train", "dev"):
        path = locate(Source.of("mini"), "nli", split)
        (data / path.name).write_bytes(path.read_bytes())
    dev = (data / "klue-nli-v1.1_dev.json").read_text(encoding="utf-8")
    (data / "klue-nli-v1.1_test.json").write_text(dev.replace("_dev_", "_test_"), encoding="utf-8")
    words = ("run", "klue/nli", "--model", f"hf:{encoder}", "--data", str(data), "--store", str(tmp_path / "store"))
    # when dev and test are scored
    results = [told(capsys, *words, "--split", split, *QUICK)["results"][0] for split in ("validation", "test")]
    # then one checkpoint served both, and the question is another
    assert len(list((tmp_path / "store" / "finetuned").glob("*/model"))) == 1
    assert results[0]["estimates"]["accuracy"]["value"] == results[1]["estimates"]["accuracy"]["value"]
    assert results[0]["fingerprint"] != results[1]["fingerprint"]
    assert results[0]["protocol"]["split"] == "dev"


@pytest.mark.parametrize("out", [".", "file", "file/below"])
def test_a_folder_that_cannot_be_made_is_refused_before_training(out, encoder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("taken")
    code, line = refused(capsys, "train", "klue/nli", "--model", str(encoder), "--data", "mini", "--out", out)
    assert (code, "is no folder that can be made" in line) == (2, True), line


def test_settings_of_a_suite_may_be_numbers_and_join_those_of_the_command_line(encoder, tmp_path, capsys):
    suite = tmp_path / "suite.yaml"
    suite.write_text(f"models: ['hf:{encoder}']\ntasks:\n  - {{task: klue/nli, options: {{steps: 2, lr: 0.001}}}}\n")
    words = ("run", "-c", str(suite), "--data", "mini", "--store", str(tmp_path / "store"))
    (result,) = told(capsys, *words, "--set", "evaluations=1", "lr=5")["results"]
    options = result["protocol"]["options"]
    assert (options["steps"], options["lr"], options["evaluations"]) == ("2", "0.001", "1")


def test_a_checkpoint_made_elsewhere_is_read_by_its_label_names_in_any_order(encoder, tmp_path):
    # given a head that numbers the labels as the hub does, and always says contradiction
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    names = dict(enumerate(HUB_INFERENCE))
    model = AutoModelForSequenceClassification.from_pretrained(encoder, id2label=names, num_labels=3)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([0.0, 1.0, 2.0]))
    model.save_pretrained(tmp_path / "elsewhere")
    AutoTokenizer.from_pretrained(encoder).save_pretrained(tmp_path / "elsewhere")
    # when it is evaluated
    evaluate("klue/nli", str(tmp_path / "elsewhere"), data="mini", store=tmp_path / "store")
    # then its second label is neutral and its third contradiction, as its own config says
    with Store.open(tmp_path / "store") as opened:
        samples = list(opened.samples(1))
    assert {sample.prediction for sample in samples} == {"contradiction"}
    probabilities = samples[0].detail["prediction"]["probabilities"]  # entailment, contradiction, neutral
    assert probabilities[1] > probabilities[2] > probabilities[0]


def test_a_grid_gives_a_result_for_every_cell_and_keeps_what_is_fixed(encoder, tmp_path, capsys):
    words = ("run", "klue/nli", "--model", f"hf:{encoder}", "--data", "mini", "--store", str(tmp_path), *QUICK)
    document = told(capsys, *words, "--grid", "weight_decay=0,0.01;batch=8,16;epochs=1,2")
    cells = [result["protocol"]["options"] for result in document["results"]]
    # epochs and batch are fixed by --set, so weight decay alone is varied
    assert [cell["weight_decay"] for cell in cells] == ["0", "0.01"]
    assert {(cell["epochs"], cell["batch"]) for cell in cells} == {("1", "8")}
    assert len({result["fingerprint"] for result in document["results"]}) == 2
    assert run_app([*words, "--grid", "weight_decay=0,0.01", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "Grid" in shown and "0.01" in shown and "optimistic" in shown


def test_the_paper_grid_has_every_combination_of_the_released_values():
    from jatdae.benchmarks.klue.recipes import OPTIONS, grid

    cells = list(grid("paper", OPTIONS))
    assert len(cells) == 4 * 3 * 5 * 3 * 2
    assert len({tuple(cell.items()) for cell in cells}) == len(cells)
    assert len(list(grid("paper", {**OPTIONS, "epochs": "3", "lr": "1e-5"}))) == 3 * 3 * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "lr=fast"), "lr=fast: a number above 0 and up to 1 is needed"),
        (("--set", "epoch=3"), "klue/nli has no setting 'epoch'"),
        (("--set", "metric=f2"), "metric=f2"),
        (("--grid", "lr:1,2"), "--grid 'lr:1,2'"),
        (("--grid", "size=1,2"), "fine-tuning has no setting 'size'"),
        (("--grid", "lr=1e-3,1e-3"), "lr has a value, or stands itself, more than once"),
        (("--grid", "batch=8;batch=16"), "batch has a value, or stands itself, more than once"),
        (("--seeds", "4294967296"), "numbers from 0 to 4294967295 are expected"),
        (("--device", "meta"), "fine-tuning runs on cpu or cuda"),
        (("--shots", "5"), "a fine-tuned model gets no prompt"),
        (("--split", "train"), "is fine-tuned on it; score another split"),
        (("--preview", "1"), "--preview shows prompts, and fine-tuning has none"),
        (("--dtype", "float16"), "--dtype float16 needs a GPU here"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line_before_training(words, said, encoder, tmp_path, capsys):
    fixed = ("run", "klue/nli", "--model", f"hf:{encoder}", "--data", "mini", "--store", str(tmp_path / "store"))
    code, line = refused(capsys, *fixed, *words)
    assert (code, said in line) == (2, True), line


def test_a_folder_without_training_data_is_named(encoder, tmp_path, capsys):
    dev = locate(Source.of("mini"), "nli", "dev")
    (tmp_path / dev.name).write_bytes(dev.read_bytes())
    code, line = refused(
        capsys, "run", "klue/nli", "--model", f"hf:{encoder}", "--data", str(tmp_path), "--store", str(tmp_path / "s")
    )
    assert (code, "no klue-nli-v1.1_train.json in" in line) == (2, True), line


def test_the_bare_name_stands_for_all_tasks_that_have_the_mode():
    from jatdae.cli.run import RunRequest, make_plan

    def named(**choices: Any) -> list[str]:
        plan = make_plan(RunRequest(tasks=("klue",), models=("hf:x",), data="mini", **choices))
        return [task.name for task, *_ in plan.tasks]

    assert named() == [f"klue/{task}" for task in ("ynat", "sts", "nli", "ner", "re", "dp", "mrc", "wos")]
    assert named(mode="prompt") == [f"klue/{task}" for task in ("ynat", "sts", "nli", "re", "mrc")]
