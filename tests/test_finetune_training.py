"""Training: batches of like length, the published schedule, stopping early, and going on after a kill."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")

from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.recipes import OPTIONS
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.errors import ModelError
from jatdae.finetune.batching import BucketSampler, batches_by_length
from jatdae.finetune.checkpoint import read_card
from jatdae.finetune.recipe import Feature
from jatdae.finetune.tiny import build_tiny_encoder
from jatdae.finetune.training import newest_checkpoint
from jatdae.finetune.tuning import Data, Tuner, fine_tune, limited, predict
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress

QUICK = {**OPTIONS, "epochs": "2", "lr": "1e-3", "batch": "8", "evaluations": "2"}
LENGTHS = st.lists(st.integers(1, 90), min_size=1, max_size=400)


def records(task: str, split: str):
    return read_task(task, locate(Source.of("mini"), task, split))


def mini_data(task: str) -> Data:
    dev = records(task, "dev")
    return Data(records(task, "train"), dev, JUDGING[task].units(dev), "the bundled items")


def tuner(task: str, encoder: Path, **settings: str) -> Tuner:
    return Tuner.open(task, parse_reference(str(encoder)), ModelOptions(device="cpu"), {**QUICK, **settings})


def tuned(task: str, encoder: Path, folder: Path, **settings: str) -> Path:
    made = tuner(task, encoder, **settings)
    return fine_tune(made, mini_data(task), 1, folder / "model", folder / "training", Progress(quiet=True))


def weights(model: Path) -> str:
    return hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [text for task in ("nli", "sts") for record in records(task, "train") for text in record.texts]
    return build_tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny", texts, hidden=32, layers=1)


# Batches


@given(LENGTHS, st.integers(1, 40), st.integers(0, 5), st.integers(0, 3))
def test_every_row_comes_once_an_epoch_whatever_the_lengths(lengths, batch, seed, epoch):
    sampler = BucketSampler(lengths, batch, seed)
    sampler.set_epoch(epoch)
    assert sorted(sampler) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 40), st.integers(0, 5))
def test_the_order_is_a_function_of_seed_and_epoch_alone(lengths, batch, seed):
    def order(epoch: int) -> list[int]:
        sampler = BucketSampler(lengths, batch, seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(1) == order(1)
    if len(set(lengths)) > 8 and len(lengths) > 8 * batch:
        assert order(0) != order(1)


def test_batches_of_like_length_hold_a_fraction_of_the_padding_of_random_ones():
    # given lengths as they are in pairs of sentences
    draw = random.Random(3)
    lengths = [draw.randint(10, 90) for _ in range(2_000)]

    def padded(order: list[int]) -> int:
        rows = [[lengths[place] for place in order[start : start + 32]] for start in range(0, len(order), 32)]
        return sum(max(row) * len(row) - sum(row) for row in rows)

    # when batches are taken in the sampler's order and in file order, which is random here
    # then nearly nothing of the padding is left
    assert padded(list(BucketSampler(lengths, 32, 1))) < 0.1 * padded(list(range(2_000)))


def test_prediction_takes_the_longest_rows_first():
    features = [Feature(str(n), {"input_ids": [1] * length}) for n, length in enumerate((3, 9, 5, 9, 1))]
    batches = list(batches_by_length(features, 2))
    longest = [features[batch[0]].length for batch in batches]
    assert sorted(place for batch in batches for place in batch) == list(range(5))
    assert all(first >= second for first, second in pairwise(longest))


# Which items


def test_a_limit_on_training_items_depends_on_seed_and_identifiers_only():
    train = records("nli", "train")
    chosen = {record.id for record in limited(train, 10, seed=5)}
    backwards = {record.id for record in limited(train[::-1], 10, seed=5)}
    larger = {record.id for record in limited(train, 20, seed=5)}
    other = {record.id for record in limited(train, 10, seed=6)}
    assert chosen == backwards
    assert chosen < larger
    assert chosen != other
    assert limited(train, 0, seed=5) == train


# A whole training


def test_a_checkpoint_says_how_it_was_made_and_predicts_what_it_reached(encoder, tmp_path):
    # given a checkpoint that was fine-tuned
    made = tuner("sts", encoder)
    model = tuned("sts", encoder, tmp_path)
    card = read_card(model)
    assert card is not None
    # then its card names task, seed, settings and every evaluation
    assert (card.task, card.seed, card.settings["lr"], card.steps) == ("sts", 1, 1e-3, 10)
    assert [entry["step"] for entry in card.history] == [2, 4, 6, 8, 10]
    best = max(card.history, key=lambda entry: entry["pearson"])
    assert card.best_step == best["step"]
    # and predicting dev again gives exactly the score of the best evaluation
    from jatdae.benchmarks.klue.scoring.fields import judge

    data = mini_data("sts")
    told = predict(model, made, data.dev, Progress(quiet=True))
    scores = judge("sts", data.units, told.predictions).scores
    assert scores["pearson"].official == pytest.approx(best["pearson"], abs=1e-6)


def test_the_same_command_again_trains_nothing_and_another_one_is_refused(encoder, tmp_path):
    model = tuned("nli", encoder, tmp_path)
    written = (model / "jatdae.json").stat().st_mtime_ns
    assert tuned("nli", encoder, tmp_path) == model
    assert (model / "jatdae.json").stat().st_mtime_ns == written
    with pytest.raises(ModelError, match="holds something else"):
        tuned("nli", encoder, tmp_path, lr="2e-3")


def test_unfinished_training_with_other_settings_is_not_gone_on_with(encoder, tmp_path):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "key.txt").write_text("another")
    with pytest.raises(ModelError, match="unfinished training with other settings"):
        tuned("nli", encoder, tmp_path)


def test_training_ends_early_after_so_many_evaluations_without_a_better_one(encoder, tmp_path):
    model = tuned("nli", encoder, tmp_path, epochs="40", lr="1e-12", patience="3", evaluations="5")
    card = read_card(model)
    assert card is not None
    # at this rate nothing changes: the first evaluation is the best, and three more are waited for
    assert [entry["step"] for entry in card.history] == [1, 2, 3, 4]
    assert card.best_step == 1


def test_recomputing_activations_gives_the_same_weights(encoder, tmp_path):
    plain = tuned("nli", encoder, tmp_path / "plain", steps="4")
    recomputed = tuned("nli", encoder, tmp_path / "recomputed", steps="4", gradient_checkpointing="true")
    assert weights(plain) == weights(recomputed)


def test_accumulated_batches_make_fewer_steps(encoder, tmp_path):
    card = read_card(tuned("nli", encoder, tmp_path, epochs="1", batch="4", accumulation="3", evaluations="1"))
    assert card is not None
    assert card.steps == 3  # 36 items in 9 batches


def test_mixed_precision_trains_on_a_cpu(encoder, tmp_path):
    made = replace(tuner("nli", encoder, steps="2"), options=ModelOptions(device="cpu", dtype="bfloat16"))
    model = fine_tune(made, mini_data("nli"), 1, tmp_path / "m", tmp_path / "t", Progress(quiet=True))
    assert read_card(model) is not None


def test_a_loss_that_is_no_number_ends_the_run_with_advice(encoder, tmp_path):
    from safetensors.torch import load_file, save_file

    spoiled = tmp_path / "spoiled"
    spoiled.mkdir()
    for path in encoder.iterdir():
        (spoiled / path.name).write_bytes(path.read_bytes())
    tensors = load_file(spoiled / "model.safetensors")
    name = "encoder.layer.0.output.dense.weight"
    tensors[name] = tensors[name] * float("nan")
    save_file(tensors, spoiled / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="the loss is no number at step 2; a lower lr helps"):
        tuned("nli", spoiled, tmp_path / "run")


# Going on


def test_a_checkpoint_that_was_cut_off_while_it_was_written_is_passed_over(tmp_path):
    for step, state in ((10, '{"global_step": 10}'), (20, '{"global_'), (30, None)):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        if state:
            (folder / "trainer_state.json").write_text(state)
    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint-10"]


def test_a_run_killed_after_its_last_checkpoint_learns_nothing_more(encoder, tmp_path, monkeypatch):
    # given runs that ended, one by patience and one by its steps
    from jatdae.finetune import tuning

    for name, chosen in (("patience", {"epochs": "40", "lr": "1e-12", "patience": "2"}), ("steps", {"steps": "7"})):
        undisturbed = tuned("nli", encoder, tmp_path / name / "a", **chosen)
        # when the same is killed between its last checkpoint and the writing of the result
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(tuning, "write_checkpoint", _killed_here)
            tuned("nli", encoder, tmp_path / name / "b", **chosen)
        resumed = tuned("nli", encoder, tmp_path / name / "b", **chosen)
        # then it ends with the very same weights, after as many steps
        first, second = read_card(undisturbed), read_card(resumed)
        assert first is not None and second is not None
        assert (first.steps, first.best_step, first.history) == (second.steps, second.best_step, second.history)
        assert weights(undisturbed) == weights(resumed)


def _killed_here(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_a_second_process_is_kept_out_of_a_folder_that_is_trained_in(encoder, tmp_path):
    from filelock import FileLock

    with FileLock(tmp_path / "training.lock"), pytest.raises(ModelError, match="another process trains there now"):
        tuned("nli", encoder, tmp_path)


def test_unfinished_training_that_was_moved_goes_on_with_its_best_weights(encoder, tmp_path, monkeypatch):
    # given a run that was killed at its end, and whose folder was moved
    from jatdae.finetune import tuning

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tuning, "write_checkpoint", _killed_here)
        tuned("sts", encoder, tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    # then it ends as one that was never moved
    assert weights(tuned("sts", encoder, tmp_path / "b")) == weights(tuned("sts", encoder, tmp_path / "c"))


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from test_finetune_training import LONG, tuned
tuned("nli", Path(sys.argv[1]), Path(sys.argv[2]), **LONG)
"""
LONG = {"epochs": "12", "batch": "4", "accumulation": "2", "evaluations": "5", "patience": "30"}
"""Sixty steps, each evaluated, that may end early."""


def test_a_run_killed_at_random_steps_ends_where_an_undisturbed_one_does(encoder, tmp_path):
    # given the weights of an undisturbed run
    undisturbed = tuned("nli", encoder, tmp_path / "a", **LONG)
    # when the same run is killed in the middle, twice, and started again
    command = [sys.executable, "-c", SCRIPT, str(encoder), str(tmp_path / "b"), str(Path(__file__).parent)]
    draw = random.Random(11)
    kills = 0
    for attempt in range(20):
        process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if kills < 2 and _killed(process, tmp_path / "b" / "training", draw.uniform(0.0, 0.3)):
            kills += 1
            continue
        assert process.wait() == 0, attempt
        break
    # then it was really killed, and its weights and scores are the very same
    assert kills == 2
    resumed = tmp_path / "b" / "model"
    first, second = (json.loads((model / "jatdae.json").read_text()) for model in (undisturbed, resumed))
    assert weights(resumed) == weights(undisturbed)
    assert (first["dev"], first["best_step"]) == (second["dev"], second["best_step"])
    assert first["history"] == second["history"]


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


@pytest.mark.slow
def test_two_processes_make_the_steps_and_evaluations_of_one_with_twice_the_batch(encoder, tmp_path):
    # given one process with batches of 8
    words = ("train", "klue/nli", "--model", str(encoder), "--data", "mini", "--device", "cpu", "--quiet")
    chosen = ("--set", "epochs=2", "lr=1e-3", "evaluations=2", "patience=0")
    run = [sys.executable, "-m", "jatdae", *words, "--out", str(tmp_path / "one"), *chosen, "batch=8"]
    subprocess.run(run, check=True)
    # when two processes take 4 each
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "jatdae", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*launch, "--out", str(tmp_path / "two"), *chosen, "batch=4"], check=True, env=environment)
    # then steps and evaluations are the same, and there is one whole checkpoint
    one, two = (read_card(tmp_path / name) for name in ("one", "two"))
    assert one is not None and two is not None
    assert (one.steps, [entry["step"] for entry in one.history]) == (two.steps, [e["step"] for e in two.history])
    assert one.steps == 10
