"""LoRA fine-tuning: what a batch holds, which weights move, that it learns, and going on after a kill."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("peft")

from sft_models import LONG, open_base, open_course, tuned

from jatdae.errors import ModelError, RequestError
from jatdae.finetune.causal.adapter import read_adapter_card
from jatdae.finetune.causal.projections import attention_projections
from jatdae.finetune.causal.rows import IGNORED, encode_lessons
from jatdae.finetune.causal.training import AdapterTrainer, pad_token
from jatdae.runtime import Progress

FILE = "adapter_model.safetensors"


def weights(folder: Path) -> bytes:
    return (folder / FILE).read_bytes()


def trainer_on(base: Path, folder: Path, **settings: str) -> tuple[AdapterTrainer, Any, Any]:
    """A trainer that has not begun, its rows and the base that it is on."""
    opened, course = open_base(base), open_course(folder, **settings)
    rows = encode_lessons(course.lessons(), opened.tokenizer, 2_048).rows
    place = opened.place(folder / "work")
    made = AdapterTrainer(
        opened.load(), opened.tokenizer, rows, course.settings, place, 1200, opened.machine, Progress(quiet=True)
    )
    return made, rows, opened


@pytest.fixture(scope="module")
def undisturbed(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter that was learned without a break."""
    folder = tmp_path_factory.mktemp("undisturbed")
    tuned(tiny_model, folder, **LONG)
    return folder


# What the model is given


def test_labels_are_on_the_answers_alone_in_the_batches_that_reach_the_model(tiny_model, tmp_path, monkeypatch):
    # given a trainer whose model tells what it is called with
    trainer, rows, base = trainer_on(tiny_model, tmp_path, batch="4", micro_batch="4", epochs="1")
    seen: list[dict[str, Any]] = []
    body = trainer.model.get_base_model().model
    body.register_forward_pre_hook(lambda _, args, named: seen.append(named), with_kwargs=True)
    batches: list[dict[str, Any]] = []
    step = AdapterTrainer.compute_loss
    monkeypatch.setattr(
        AdapterTrainer,
        "compute_loss",
        lambda self, model, inputs, *a, **b: (batches.append(dict(inputs)), step(self, model, inputs, *a, **b))[1],
    )
    # when it trains for an epoch
    trainer.train()
    # then every batch holds whole rows, padded on the right, with labels on the answer's tokens and nowhere else
    known = {row.input_ids: row for row in rows}
    assert len(batches) == 3
    for batch in batches:
        for ids, labels, mask in zip(batch["input_ids"], batch["labels"], batch["attention_mask"], strict=True):
            length = int(mask.sum())
            assert mask.tolist() == [1] * length + [0] * (len(mask) - length)
            row = known.pop(tuple(ids[:length].tolist()))
            assert labels.tolist() == [*row.labels, *[IGNORED] * (len(mask) - length)]
            assert set(ids[length:].tolist()) <= {base.tokenizer.pad_token_id}
    assert len(known) == 1
    # and the mask reaches the model under its own name
    assert [call["attention_mask"].tolist() for call in seen] == [batch["attention_mask"].tolist() for batch in batches]


def test_only_the_four_projections_learn(tiny_model, tmp_path):
    trainer, *_ = trainer_on(tiny_model, tmp_path, batch="4", micro_batch="2")
    learning = {name for name, weight in trainer.model.named_parameters() if weight.requires_grad}
    places = {name.split(".lora_")[0].rpartition(".")[2] for name in learning}
    assert places == {"q_proj", "k_proj", "v_proj", "o_proj"}
    assert len(learning) == 2 * 2 * 4
    rank = {weight.shape[0] for name, weight in trainer.model.named_parameters() if "lora_A" in name}
    assert rank == {8}
    config = trainer.model.peft_config["default"]
    assert (config.lora_alpha, config.lora_dropout, config.bias) == (32, 0.05, "none")


def test_the_optimiser_is_the_published_one(tiny_model, tmp_path):
    trainer, *_ = trainer_on(tiny_model, tmp_path, batch="4", micro_batch="2", epochs="10")
    trainer.create_optimizer_and_scheduler(30)
    group = trainer.optimizer.param_groups[0]
    assert type(trainer.optimizer) is torch.optim.AdamW
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.999), 1e-8, 0.01)
    assert trainer.args.max_grad_norm == 1.0
    # the rate rises in a line over a tenth of the steps and falls along a cosine
    rates = []
    for _ in range(30):
        rates.append(trainer.lr_scheduler.get_last_lr()[0] / 3e-5)
        trainer.optimizer.step()
        trainer.lr_scheduler.step()
    assert rates[:4] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert rates[16] == pytest.approx(0.5, abs=0.03)
    assert trainer.lr_scheduler.get_last_lr()[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("GPTNeoX", {"hidden_size": 16, "intermediate_size": 32}, ["attention.dense", "attention.query_key_value"]),
        ("GPT2", {"n_embd": 16}, ["attn.c_attn", "attn.c_proj"]),
        ("Qwen3", {"hidden_size": 16, "intermediate_size": 32, "head_dim": 8}, None),
        (
            "Phi3",
            {"hidden_size": 16, "intermediate_size": 32, "pad_token_id": 0},
            ["self_attn.o_proj", "self_attn.qkv_proj"],
        ),
    ],
)
def test_each_architectures_own_names_are_found(kind, settings, expected):
    import transformers
    from peft import LoraConfig, get_peft_model

    heads = {"n_head": 2, "n_layer": 1} if kind == "GPT2" else {"num_attention_heads": 2, "num_hidden_layers": 1}
    groups = {} if kind in ("GPT2", "GPTNeoX") else {"num_key_value_heads": 2}
    config = getattr(transformers, f"{kind}Config")(vocab_size=32, **heads, **groups, **settings)
    model = getattr(transformers, f"{kind}{'LMHeadModel' if kind == 'GPT2' else 'ForCausalLM'}")(config)
    names = attention_projections(model)
    assert names == (expected or [f"self_attn.{part}_proj" for part in "koqv"])
    lora = get_peft_model(model, LoraConfig(target_modules=names, fan_in_fan_out=kind == "GPT2"))
    learning = [name for name, weight in lora.named_parameters() if weight.requires_grad]
    assert len(learning) == 2 * len(names)


def test_a_model_without_known_projections_is_refused():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    with pytest.raises(ModelError, match=r"Sequential.*set targets=linear"):
        attention_projections(model)


# Learning


def test_the_loss_falls_and_the_adapter_says_how_it_was_made(tiny_model, undisturbed):
    card = read_adapter_card(undisturbed / "adapter")
    assert card is not None
    assert (card.task, card.mode, card.seed, card.items, card.steps) == ("konubench", "cloze", 1200, 13, 42)
    assert len(card.losses) == 42
    assert sum(card.losses[-3:]) < 0.7 * sum(card.losses[:3])
    assert card.targets == tuple(f"self_attn.{part}_proj" for part in "koqv")
    epochs = sorted(path.name for path in (undisturbed / "adapter").iterdir() if path.is_dir())
    assert epochs == sorted(f"epoch{number}" for number in range(14))
    assert weights(undisturbed / "adapter") == weights(undisturbed / "adapter" / "epoch13")
    assert weights(undisturbed / "adapter") != weights(undisturbed / "adapter" / "epoch12")
    assert not (undisturbed / "training").exists()


def test_how_a_step_is_shared_out_changes_its_loss_by_rounding_only(tiny_model, tmp_path):
    found = [tuned(tiny_model, tmp_path / size, micro_batch=size, dropout="0").losses for size in ("1", "4")]
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_the_same_again_trains_nothing_and_another_course_is_refused(tiny_model, undisturbed, tmp_path):
    written = (undisturbed / "adapter" / FILE).stat().st_mtime_ns
    tuned(tiny_model, undisturbed, **LONG)
    assert (undisturbed / "adapter" / FILE).stat().st_mtime_ns == written
    with pytest.raises(ModelError, match="holds something else"):
        tuned(tiny_model, undisturbed, seed=1, **LONG)
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "key.txt").write_text("another")
    with pytest.raises(ModelError, match="unfinished training with other settings"):
        tuned(tiny_model, tmp_path)


def test_symbol_is_learned_too_with_all_linear_layers_and_recomputed_activations(tiny_model, tmp_path):
    card = tuned(
        tiny_model, tmp_path, "symbol", epochs="1", targets="linear", gradient_checkpointing="true", train_limit="8"
    )
    assert (card.mode, card.items, card.steps, card.targets) == ("symbol", 8, 2, ("all-linear",))


def test_a_loss_that_is_no_number_ends_the_training(tiny_model, tmp_path):
    import shutil

    from safetensors.torch import load_file, save_file

    spoiled = shutil.copytree(tiny_model, tmp_path / "spoiled")
    tensors = load_file(spoiled / "model.safetensors")
    name = next(name for name in tensors if "layernorm" in name)
    tensors[name] = tensors[name] * float("nan")
    save_file(tensors, spoiled / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="the loss is no number at step 1; a lower lr helps"):
        tuned(spoiled, tmp_path / "run")


def test_more_items_than_there_are_in_a_batch_are_refused_before_weights_are_loaded(tiny_model, tmp_path):
    with pytest.raises(RequestError, match="13 items do not fill one batch of 128"):
        tuned(tiny_model, tmp_path, batch="128")
    assert not (tmp_path / "training").exists()


def test_short_rows_are_filled_with_the_padding_else_the_unknown_else_the_end_token(tiny_model):
    tokenizer = open_base(tiny_model).tokenizer
    tokenizer.pad_token, tokenizer.unk_token = None, None
    assert pad_token(tokenizer) == "</s>"
    tokenizer.unk_token = "<|end|>"
    assert pad_token(tokenizer) == "<|end|>"
    tokenizer.pad_token = "<s>"
    assert pad_token(tokenizer) == "<s>"


# Going on


def test_a_run_killed_at_a_random_step_ends_with_the_bytes_of_an_undisturbed_one(tiny_model, undisturbed, tmp_path):
    # given a run that is killed in the middle
    command = [sys.executable, str(Path(__file__).with_name("sft_models.py")), str(tiny_model), str(tmp_path)]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert _killed(process, tmp_path / "training", random.Random(5).uniform(0.0, 0.2))
    assert not (tmp_path / "adapter").exists()
    reached = {int(path.name.rpartition("-")[2]) for path in (tmp_path / "training").glob("checkpoint-*")}
    assert reached and max(reached) < 42
    # when it is started again
    resumed = tuned(tiny_model, tmp_path, **LONG)
    # then every epoch's weights and all losses are the very same
    assert weights(tmp_path / "adapter") == weights(undisturbed / "adapter")
    for epoch in range(14):
        assert weights(tmp_path / "adapter" / f"epoch{epoch}") == weights(undisturbed / "adapter" / f"epoch{epoch}")
    first = read_adapter_card(undisturbed / "adapter")
    assert first is not None
    assert (first.losses, first.key) == (resumed.losses, resumed.key)


def _killed(process: subprocess.Popen, folder: Path, delay: float) -> bool:
    """Kill a run a moment after it wrote a checkpoint; whether it was in time."""
    before = set(folder.glob("checkpoint-*"))
    while process.poll() is None and set(folder.glob("checkpoint-*")) <= before:
        time.sleep(0.01)
    time.sleep(delay)
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGKILL)
    process.wait()
    return True


def test_a_run_killed_after_its_last_step_learns_nothing_more(tiny_model, tmp_path, monkeypatch):
    from jatdae.finetune.causal import training, tuning

    undisturbed = tuned(tiny_model, tmp_path / "a")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tuning, "write_result", _killed_here)
        tuned(tiny_model, tmp_path / "b")
    with monkeypatch.context() as patch:
        patch.setattr(training, "AdapterTrainer", _killed_here)
        resumed = tuned(tiny_model, tmp_path / "b")
    assert resumed.losses == undisturbed.losses
    assert weights(tmp_path / "a" / "adapter") == weights(tmp_path / "b" / "adapter")


def _killed_here(*arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_two_processes_take_the_steps_of_one(tiny_model, tmp_path):
    # given a training in one process
    words = ("train", "konubench", "--model", str(tiny_model), "--data", "mini", "--device", "cpu", "--quiet")
    chosen = ("--set", "batch=4", "lr=1e-2", "epochs=2", "dropout=0")
    run = [sys.executable, "-m", "jatdae", *words, "--out", str(tmp_path / "one"), *chosen, "micro_batch=4"]
    subprocess.run(run, check=True)
    # when two processes take half of every step each
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "jatdae", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    both = [*launch, "--out", str(tmp_path / "two"), *chosen, "micro_batch=2"]
    subprocess.run(both, check=True, env=environment)
    # then steps and losses are the same but for rounding, and there is one whole adapter
    one, two = (json.loads((tmp_path / name / "jatdae.json").read_text()) for name in ("one", "two"))
    assert one["steps"] == two["steps"] == 6
    assert two["losses"] == pytest.approx(one["losses"], rel=1e-3)
