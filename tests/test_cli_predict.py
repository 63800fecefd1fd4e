"""`jatdae predict` and `jatdae export klue-submission` with tiny checkpoints that are really fine-tuned."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("torch")
from klue_gold import written

from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.labels import INFERENCE
from jatdae.benchmarks.klue.reading.unlabelled import read_inputs
from jatdae.benchmarks.klue.recipes import OPTIONS
from jatdae.benchmarks.klue.scoring import score_predictions
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.cli.predicting import check_writable, predict_command, prediction_lines
from jatdae.cli.submitting import export_command
from jatdae.errors import DataError, ModelError, RequestError
from jatdae.finetune.checkpoint import TunedCard, read_card, write_checkpoint
from jatdae.finetune.recipe import Recipe
from jatdae.finetune.tiny import build_tiny_encoder
from jatdae.finetune.tuning import Data, Tuner, fine_tune
from jatdae.finetune.tuning import predict as predicted
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress

MINI = Source.of("mini")
CPU = ModelOptions(device="cpu")
TUNED = ("nli", "sts")
SETTINGS = {**OPTIONS, "steps": "12", "lr": "1e-3", "evaluations": "1", "max_length": "8"}
"""Short inputs, so that whoever forgets how a checkpoint was made predicts otherwise."""


class Made(NamedTuple):
    encoder: Path
    checkpoints: dict[str, Path]

    def card(self, task: str) -> TunedCard:
        card = read_card(self.checkpoints[task])
        assert card is not None
        return card


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An encoder that knows the bundled items' words, and what a few steps on two tasks made of it."""
    folder = tmp_path_factory.mktemp("predicting")
    train = {task: read_task(task, locate(MINI, task, "train")) for task in TASKS}
    texts = [text for records in train.values() for record in records for text in record.texts]
    encoder = build_tiny_encoder(folder / "encoder", texts, hidden=32, layers=1)
    checkpoints = {}
    for task in TUNED:
        dev = read_task(task, locate(MINI, task, "dev"))
        tuner = Tuner.open(task, parse_reference(str(encoder)), CPU, SETTINGS)
        data = Data(train[task], dev, JUDGING[task].units(dev), "mini")
        checkpoints[task] = fine_tune(tuner, data, 1, folder / task, folder / "work" / task, Progress(quiet=True))
    return Made(encoder, checkpoints)


def predict(task: str, model: Path, input_file: Path, out: Path | None, *, as_json: bool = False) -> int:
    return predict_command(task, str(model), input_file, out, options=CPU, as_json=as_json, quiet=True)


def export(*models: str, out: Path, data: str = "mini", split: str = "dev", as_json: bool = False) -> int:
    return export_command(models, out, data=data, split=split, options=CPU, as_json=as_json, quiet=True)


@pytest.mark.parametrize("task", TUNED)
def test_the_score_of_the_written_file_is_the_cards(task: str, made: Made, tmp_path: Path) -> None:
    dev, out = locate(MINI, task, "dev"), tmp_path / "new" / "predictions.jsonl"

    assert predict(f"klue/{task}", made.checkpoints[task], dev, out) == 0

    scored = score_predictions(task, out, dev, draws=2)
    reached = {name: measured.official for name, measured in scored.metrics.items() if measured.is_official}
    for name, expected in made.card(task).dev.items():
        found = reached[name]
        assert found is not None and expected is not None
        assert 100 * found.value == pytest.approx(expected, abs=1e-9)
    assert (scored.missing, scored.unknown, scored.by_order) == (0, (), False)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.fixture(scope="module")
def heads(made: Made, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkpoint of every task whose head has learned nothing, as a folder with a card."""
    folders = {}
    for task in TASKS:
        recipe = Tuner.open(task, parse_reference(str(made.encoder)), CPU, OPTIONS).recipe
        folders[task] = tmp_path_factory.mktemp("heads") / task
        card = replace(made.card("nli"), task=task, settings=asdict(recipe.settings))
        write_checkpoint(folders[task], recipe, recipe.build(), card)
    return folders


@pytest.mark.parametrize("task", TASKS)
def test_the_score_of_the_written_file_is_that_of_the_predictions(
    task: str, heads: dict[str, Path], tmp_path: Path
) -> None:
    dev, out = locate(MINI, task, "dev"), tmp_path / "p.jsonl"
    units = JUDGING[task].units(read_task(task, dev))
    tuner = Tuner.open(task, parse_reference(str(heads[task])), CPU, OPTIONS)
    judged = judge(task, units, predicted(None, tuner, read_task(task, dev), Progress(quiet=True)).predictions)

    assert predict(task, heads[task], dev, out) == 0

    scored = score_predictions(task, out, dev, draws=2)
    for name, score in judged.scores.items():
        measured = scored.metrics[name]
        for value, estimate in ((score.official, measured.official), (score.clean, measured.clean)):
            found = None if estimate is None else 100 * estimate.value
            assert found == (None if value is None else pytest.approx(value, abs=1e-9))
    assert (scored.items, scored.missing) == (len(units), 0)


def test_labels_in_the_input_change_nothing(made: Made, tmp_path: Path) -> None:
    dev = locate(MINI, "nli", "dev")
    rows = json.loads(dev.read_text(encoding="utf-8"))
    bare = written(tmp_path / "bare.json", [{n: row[n] for n in ("guid", "premise", "hypothesis")} for row in rows])

    for name, path in (("a.jsonl", dev), ("b.jsonl", bare)):
        predict("nli", made.checkpoints["nli"], path, tmp_path / name)

    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize("task", TASKS)
def test_no_recipe_reads_a_label_of_what_it_predicts(task: str, made: Made) -> None:
    path = locate(MINI, task, "dev")
    recipe: Recipe = Tuner.open(task, parse_reference(str(made.encoder)), CPU, OPTIONS).recipe

    features, expected = (recipe.features(read(task, path), training=False) for read in (read_inputs, read_task))

    assert [(feature.item, feature.inputs) for feature in features] == [(one.item, one.inputs) for one in expected]


@pytest.mark.parametrize("out", [None, Path("-")])
def test_without_a_file_the_lines_go_to_standard_output(
    out: Path | None, made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = written(tmp_path / "rows.json", [{"premise": "비가 온다", "hypothesis": "젖는다"}] * 2)

    assert predict("nli", made.checkpoints["nli"], rows, out) == 0

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["guid"] for line in lines] == ["input-1", "input-2"]
    assert all(line["prediction"] in INFERENCE and len(line["probabilities"]) == 3 for line in lines)


def test_json_is_one_document_that_holds_the_predictions_or_where_they_are(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = written(tmp_path / "rows.json", [{"sentence1": "비가 온다", "sentence2": "비가 와요"}])
    out = tmp_path / "p.jsonl"

    predict("sts", made.checkpoints["sts"], rows, None, as_json=True)
    shown = json.loads(capsys.readouterr().out)["predict"]
    predict("sts", made.checkpoints["sts"], rows, out, as_json=True)
    told = json.loads(capsys.readouterr().out)["predict"]

    assert (shown["task"], shown["items"], shown["out"]) == ("klue/sts", 1, None)
    assert shown["predictions"] == [json.loads(out.read_text(encoding="utf-8"))]
    assert told["out"] == str(out) and "predictions" not in told


def test_a_model_without_the_tasks_head_is_refused_with_what_makes_one(made: Made, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    dev = locate(MINI, "nli", "dev")

    with pytest.raises(RequestError, match=f"no head for klue/nli.*jatdae train klue/nli --model {made.encoder} --out"):
        predict("nli", made.encoder, dev, out)
    with pytest.raises(RequestError, match="fine-tuned on klue/sts; it cannot be run on klue/nli"):
        predict("nli", made.checkpoints["sts"], dev, out)

    assert not out.exists()


def test_what_is_wrong_with_files_is_told_before_a_model_is_opened(tmp_path: Path) -> None:
    rows = written(tmp_path / "rows.json", [{"premise": "가"}])
    nowhere = tmp_path / "no-model"

    with pytest.raises(DataError, match="field 'hypothesis'"):
        predict("nli", nowhere, rows, None)
    with pytest.raises(RequestError, match="is a folder; name a file in it"):
        predict("nli", nowhere, rows, tmp_path)
    with pytest.raises(RequestError, match=r"rows\.json is no folder that can be written to"):
        check_writable(rows / "p.jsonl")


def test_a_number_that_is_none_is_no_prediction() -> None:
    with pytest.raises(ModelError, match="b: what the model gives is no finite number"):
        prediction_lines([("a", {"prediction": 1.0}), ("b", {"prediction": math.nan})])


# ---- export


def test_a_split_is_exported_for_models_named_by_task_or_by_card(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(f"klue/nli={made.checkpoints['nli']}", str(made.checkpoints["sts"]), out=tmp_path) == 0

    shown = capsys.readouterr()
    inferences, similarities = (tmp_path / f"klue-{task}-v1.1" / "output.csv" for task in TUNED)
    assert shown.out.splitlines() == [str(inferences), str(similarities)]
    assert "leaderboard is closed" in shown.err
    for task, path in (("nli", inferences), ("sts", similarities)):
        predict(task, made.checkpoints[task], locate(MINI, task, "dev"), None)
        said = [json.loads(line)["prediction"] for line in capsys.readouterr().out.splitlines()]
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [INFERENCE[int(line)] if task == "nli" else float(line) for line in lines] == said


def test_all_tasks_are_exported_at_once(heads: dict[str, Path], tmp_path: Path) -> None:
    export(*map(str, heads.values()), out=tmp_path)

    lines = {}
    for task in TASKS:
        path = locate(MINI, task, "dev")
        text = (tmp_path / path.name.removesuffix(f"_dev{path.suffix}") / "output.csv").read_text(encoding="utf-8")
        lines[task] = len(json.loads(text)) if task in ("mrc", "wos") else len(text.splitlines())
    words = sum(len(record.words) for record in read_inputs("dp", locate(MINI, "dp", "dev")))
    units = {task: len(JUDGING[task].units(read_inputs(task, locate(MINI, task, "dev")))) for task in TASKS}
    assert lines == {**units, "dp": words}


def test_the_test_split_needs_no_labels(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, Any]] = json.loads(locate(MINI, "nli", "dev").read_text(encoding="utf-8"))
    kept = [
        {"guid": row["guid"].replace("dev", "test"), **{n: row[n] for n in ("premise", "hypothesis")}} for row in rows
    ]
    written(tmp_path / "klue-nli-v1.1_test.json", kept)

    export(str(made.checkpoints["nli"]), out=tmp_path / "out", data=str(tmp_path), split="test", as_json=True)

    document = json.loads(capsys.readouterr().out)
    (told,) = document["submission"]
    assert (told["task"], told["items"]) == ("klue/nli", len(rows))
    assert len(Path(told["out"]).read_text(encoding="utf-8").splitlines()) == len(rows)
    assert "closed since 2024" in document["notes"][0]


def test_an_export_that_cannot_be_whole_writes_nothing(made: Made, tmp_path: Path) -> None:
    nli, out = str(made.checkpoints["nli"]), tmp_path / "out"

    with pytest.raises(RequestError, match="KLUE's test labels are not public; evaluate --split dev instead"):
        export(nli, out=out, split="test")
    with pytest.raises(RequestError, match="two models are named for klue/nli"):
        export(nli, f"nli={nli}", out=out)
    with pytest.raises(RequestError, match="does not say which task it is fine-tuned on; write klue/TASK="):
        export(nli, str(made.encoder), out=out)
    with pytest.raises(RequestError, match="KLUE has no task 'klue/nil'; did you mean 'nli'"):
        export(f"klue/nil={nli}", out=out)
    with pytest.raises(RequestError, match="no model is named"):
        export(out=out)

    assert not out.exists()
