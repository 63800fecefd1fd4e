"""Training an adapter through trl's trainer: what it is told, what it reports, and how it goes on after a kill."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, TaskType
from transformers.trainer_callback import PrinterCallback
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from jatdae.errors import ModelError
from jatdae.finetune.causal.adapter import write_weights
from jatdae.finetune.causal.projections import attention_projections
from jatdae.finetune.causal.rows import Row
from jatdae.finetune.causal.sampling import StepSampler
from jatdae.finetune.causal.settings import CausalSettings
from jatdae.finetune.machine import Machine, count_processes, is_main_process
from jatdae.finetune.reporting import StepReporting
from jatdae.finetune.work_folder import STATE, is_finished, newest_checkpoint
from jatdae.models.hf.loading import quiet
from jatdae.runtime import Progress

CHECKPOINTS = 4
"""So many times an epoch the state is written that a killed run goes on from."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an adapter's parts go: `work` takes checkpoints and each epoch's adapter, `base` is what it names."""

    work: Path
    base: str
    revision: str | None = None

    def epoch(self, number: int) -> Path:
        """The folder of an epoch's adapter, from 0 on."""
        return self.work / f"epoch{number}"


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a training: a folder of each epoch, losses by step, seconds of this run."""

    epochs: tuple[Path, ...]
    losses: tuple[float, ...]
    seconds: float


def adapter_config(model: Any, settings: CausalSettings) -> LoraConfig:
    """The adapter's shape on a model. Raises ModelError where the model has no projections under a known name."""
    attention = settings.targets == "attention"
    return LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        bias="none",
        target_modules=attention_projections(model) if attention else "all-linear",
        task_type=TaskType.CAUSAL_LM,
    )


def pad_token(tokenizer: Any) -> str:
    """What fills short rows up: the padding token, else the unknown one, else the end of the text."""
    for token in (tokenizer.pad_token, tokenizer.unk_token, tokenizer.eos_token):
        if token is not None:
            return token
    raise ModelError("the tokenizer has neither a padding nor an unknown nor an end token; rows cannot be filled up")


def fit(
    model: Any,
    tokenizer: Any,
    rows: Sequence[Row],
    settings: CausalSettings,
    place: Place,
    *,
    seed: int,
    machine: Machine,
    progress: Progress,
) -> Learned:
    """Learn the rows' answers; one adapter an epoch is written to the place.

    What a killed run left there is gone on from, with the same outcome as an undisturbed run (CPU, float32). Raises
    RequestError for settings that do not fit the rows, ModelError when the loss is no number or memory does not
    suffice.
    """
    start, seconds = newest_checkpoint(place.work), 0.0
    if start is None or not is_finished(start):
        with quiet():
            trainer = AdapterTrainer(model, tokenizer, rows, settings, place, seed, machine, progress)
        try:
            with quiet():
                trained = trainer.train(resume_from_checkpoint=str(start) if start else None)
        except torch.OutOfMemoryError as error:
            raise ModelError(
                f"out of memory at micro_batch={settings.micro_batch}; halve it, which changes no step: "
                f"--set micro_batch={max(1, settings.micro_batch // 2)}, or add --set gradient_checkpointing=true"
            ) from error
        finally:
            progress.finish()
        seconds = float(trained.metrics.get("train_runtime", 0.0))
    epochs = tuple(place.epoch(number) for number in range(settings.epochs))
    # the others would read while the first one clears up
    return Learned(epochs, _losses(place.work) if is_main_process() else (), seconds)


def _losses(work: Path) -> tuple[float, ...]:
    """The loss of every step, those of earlier starts included, as the last checkpoint has them."""
    newest = newest_checkpoint(work)
    log = json.loads((newest / STATE).read_text(encoding="utf-8"))["log_history"] if newest else []
    return tuple(round(float(entry["loss"]), 6) for entry in log if "loss" in entry)


class AdapterTrainer(SFTTrainer):
    """trl's trainer on rows whose labels are made already, with whole batches only and quiet checkpoints."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        rows: Sequence[Row],
        settings: CausalSettings,
        place: Place,
        seed: int,
        machine: Machine,
        progress: Progress,
    ) -> None:
        self.settings, self.place = settings, place
        self.lengths = [len(row.input_ids) for row in rows]
        columns = {
            "input_ids": [list(row.input_ids) for row in rows],
            "labels": [list(row.labels) for row in rows],
        }
        tokenizer.pad_token = pad_token(tokenizer)
        reporting = _Reporting(progress, f"konubench seed {seed}", self, settings.steps_per_epoch(len(rows)))
        super().__init__(
            model=model,
            args=_arguments(settings, len(rows), place.work, seed, machine),
            train_dataset=Dataset.from_dict(columns),
            processing_class=tokenizer,
            peft_config=adapter_config(model, settings),
            callbacks=[reporting],
        )
        self.remove_callback(PrinterCallback)

    def _get_train_sampler(self, train_dataset: Any = None) -> StepSampler:
        return StepSampler(self.lengths, self.settings.batch, self.args.seed)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """The adapter alone: peft's own way asks the hub about the base's vocabulary."""
        self.write(Path(output_dir or self.place.work))

    def write(self, folder: Path) -> None:
        """The adapter as it stands."""
        write_weights(self.accelerator.unwrap_model(self.model), self.place.base, self.place.revision, folder)

    def create_model_card(self, *arguments: Any, **named: Any) -> None:
        """None: a card of our own stands beside the result."""


def _arguments(settings: CausalSettings, rows: int, folder: Path, seed: int, machine: Machine) -> SFTConfig:
    processes = count_processes()
    arguments = SFTConfig(
        output_dir=str(folder),
        learning_rate=settings.lr,
        lr_scheduler_type="cosine",
        warmup_steps=settings.warmup_steps(rows),
        optim="adamw_torch",
        adam_beta1=0.9,
        adam_beta2=0.999,
        adam_epsilon=1e-8,
        weight_decay=settings.weight_decay,
        max_grad_norm=1.0,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=settings.accumulation(processes),
        dataloader_drop_last=True,
        dataloader_pin_memory=False,
        gradient_checkpointing=settings.gradient_checkpointing,
        bf16=machine.dtype == "bfloat16",
        use_cpu=machine.device == "cpu",
        seed=seed,
        data_seed=seed,
        # rows come with their labels, and none is longer than the settings allow
        dataset_kwargs={"skip_prepare_dataset": True},
        remove_unused_columns=False,
        max_length=None,
        save_strategy="steps",
        save_steps=max(1, settings.steps_per_epoch(rows) // CHECKPOINTS),
        save_total_limit=2,
        eval_strategy="no",
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to=[],
        disable_tqdm=True,
        ddp_find_unused_parameters=False,
    )
    if processes == 1:
        # several visible GPUs would each take a batch; who wants that says so by accelerate launch
        arguments._n_gpu = min(1, arguments.n_gpu)
    return arguments


class _Reporting(StepReporting):
    """Tells the loss of each epoch's last step, and writes its adapter, before the step's own checkpoint."""

    def __init__(self, progress: Progress, label: str, trainer: AdapterTrainer, steps_per_epoch: int) -> None:
        super().__init__(progress, label)
        self.trainer, self.steps_per_epoch = trainer, steps_per_epoch

    def on_step_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        super().on_step_end(args, state, control, **named)
        epoch, left = divmod(state.global_step, self.steps_per_epoch)
        if not left and state.is_world_process_zero:
            self._write_epoch(self.trainer.place.epoch(epoch - 1))
        if not left:
            control.should_save = True

    def _write_epoch(self, folder: Path) -> None:
        draft = folder.with_name(f"{folder.name}.draft")
        self.trainer.write(draft)
        shutil.rmtree(folder, ignore_errors=True)
        draft.replace(folder)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **named: Any) -> None:
        loss = (logs or {}).get("loss")
        if loss is None:
            return
        if not math.isfinite(loss):
            raise ModelError(
                f"{self.label}: the loss is no number at step {state.global_step}; a lower lr helps, or --dtype float32"
            )
        if state.is_world_process_zero and state.global_step % self.steps_per_epoch == 0:
            epoch = state.global_step // self.steps_per_epoch
            self.progress.stage(f"{self.label}, epoch {epoch} of {args.num_train_epochs:g}: loss {loss:.4f}")
