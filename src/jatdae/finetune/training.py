"""Training through the Hugging Face `Trainer`: what it is told, what it reports, and how it goes on after a kill."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import gather_object
from torch import nn
from transformers import EarlyStoppingCallback, Trainer, TrainerCallback, TrainerState, TrainingArguments, set_seed
from transformers.trainer_callback import PrinterCallback

from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import Unit
from jatdae.errors import ModelError, RequestError
from jatdae.finetune.batching import BucketSampler, Rows
from jatdae.finetune.machine import Machine, count_processes
from jatdae.finetune.predicting import outputs_of
from jatdae.finetune.recipe import Feature, Recipe
from jatdae.finetune.reporting import StepReporting
from jatdae.finetune.work_folder import STATE, is_finished, newest_checkpoint, step_of
from jatdae.models.hf.loading import silent_transformers
from jatdae.runtime import Progress

UNDEFINED = -1e3
"""Stands for an undefined metric where evaluations are ranked: below every value that a metric has."""


@dataclass(frozen=True, slots=True)
class Dev:
    """What the weights are chosen by: the dev split's records, the units to be scored, and their features."""

    records: Sequence[Any]
    units: Sequence[Unit]
    features: Sequence[Feature]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The official metrics (0..100) on the dev split after so many steps; None where one is undefined."""

    step: int
    epoch: float
    metrics: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model with the weights that were best on dev, and the way there. `resumed` says from which step it went on."""

    model: nn.Module
    evaluations: tuple[Evaluation, ...]
    best_step: int
    steps: int
    resumed: int
    seconds: float


def fit(
    recipe: Recipe,
    features: Sequence[Feature],
    dev: Dev,
    folder: Path,
    *,
    seed: int,
    machine: Machine,
    progress: Progress,
) -> Fitted:
    """Train on the features, evaluate on dev, and return the best weights.

    `folder` takes the trainer's checkpoints; one that a killed run left there is gone on from, with the same outcome as
    an undisturbed run (CPU, float32). Raises ModelError when the loss is no number or memory does not suffice.
    """
    if not features:
        raise ModelError(f"klue/{recipe.task}: no training items fit the model's input of {recipe.max_length} tokens")
    start = newest_checkpoint(folder)
    set_seed(seed)
    model = recipe.build()
    if recipe.settings.gradient_checkpointing:
        _recompute_activations(model)
    arguments = _arguments(recipe, len(features), folder, seed, machine)
    trainer = _KlueTrainer(recipe, model, arguments, features, dev, machine.dtype, progress)
    try:
        with silent_transformers():
            seconds = _run(trainer, start)
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"out of memory at batch={recipe.settings.batch}; halve it and double the accumulation, for example "
            f"--set batch={max(1, recipe.settings.batch // 2)} accumulation={2 * recipe.settings.accumulation}, "
            "or add --set gradient_checkpointing=true"
        ) from error
    finally:
        progress.finish()
    return Fitted(
        model=trainer.accelerator.unwrap_model(trainer.model),
        evaluations=tuple(_history(trainer.state.log_history)),
        best_step=int(trainer.state.best_global_step or trainer.state.global_step),
        steps=trainer.state.global_step,
        resumed=step_of(start),
        seconds=seconds,
    )


def _run(trainer: Trainer, start: Path | None) -> float:
    """Train from the start or from a checkpoint, and leave the best weights in the model; returns seconds.

    A run that was killed after its last checkpoint has nothing left to learn: its best weights are loaded.
    """
    if start is not None and is_finished(start):
        trainer.state = TrainerState.load_from_json(str(start / STATE))
        trainer._load_best_model()
        return 0.0
    trained = trainer.train(resume_from_checkpoint=str(start) if start else None)
    return float(trained.metrics.get("train_runtime", 0.0))


def _arguments(recipe: Recipe, rows: int, folder: Path, seed: int, machine: Machine) -> TrainingArguments:
    settings = recipe.settings
    processes = count_processes()
    batches = math.ceil(rows / (settings.batch * processes))
    steps = max(1, math.ceil(batches / settings.accumulation))
    interval = max(1, round(steps / settings.evaluations))
    arguments = TrainingArguments(
        output_dir=str(folder),
        learning_rate=settings.lr,
        lr_scheduler_type="linear",
        warmup_steps=_warmup(settings.warmup, settings.steps or steps * settings.epochs),
        weight_decay=settings.weight_decay,
        max_grad_norm=1.0,
        num_train_epochs=settings.epochs,
        max_steps=settings.steps or -1,
        per_device_train_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulation,
        eval_strategy="steps",
        eval_steps=interval,
        save_strategy="steps",
        save_steps=interval,
        save_total_limit=2,
        load_best_model_at_end=True,
        # so that the count of evaluations without a better one goes on after a kill
        restore_callback_states_from_checkpoint=True,
        metric_for_best_model=settings.metric,
        greater_is_better=True,
        seed=seed,
        data_seed=seed,
        bf16=machine.dtype == "bfloat16",
        fp16=machine.dtype == "float16",
        use_cpu=machine.device == "cpu",
        dataloader_pin_memory=False,
        remove_unused_columns=False,
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        # some bodies hold a pooler that a head does not use
        ddp_find_unused_parameters=True,
    )
    if processes == 1:
        # several visible GPUs would each take a batch; who wants that says so by accelerate launch
        arguments._n_gpu = min(1, arguments.n_gpu)
    return arguments


def _recompute_activations(model: nn.Module) -> None:
    """Hold no activations of the encoder's layers for the backward pass; memory for time."""
    body: Any = getattr(model, "encoder", model)
    if not getattr(body, "supports_gradient_checkpointing", True):
        raise RequestError(f"gradient_checkpointing=true: {type(body).__name__} cannot do without its activations")
    # the method was renamed in transformers 5; a body of our own has the former name
    enable = getattr(body, "activation_checkpointing_enable", None) or body.gradient_checkpointing_enable
    enable()


def _warmup(share: float, steps: float) -> int:
    return math.ceil(share * steps)


class _KlueTrainer(Trainer):
    """The library's trainer with bucketed batches and KLUE's official metrics as its evaluation."""

    def __init__(
        self,
        recipe: Recipe,
        model: nn.Module,
        arguments: TrainingArguments,
        features: Sequence[Feature],
        dev: Dev,
        dtype: str | None,
        progress: Progress,
    ) -> None:
        settings = recipe.settings
        callbacks: list[TrainerCallback] = [_Reporting(progress, f"klue/{recipe.task} seed {arguments.seed}")]
        if settings.patience:
            callbacks.append(EarlyStoppingCallback(settings.patience))
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=Rows(features),
            eval_dataset=Rows(dev.features),
            data_collator=recipe.collate,
            callbacks=callbacks,
        )
        self.remove_callback(PrinterCallback)
        # batches are averaged one by one, as in the baseline, and not by their number of labelled tokens
        self.model_accepts_loss_kwargs = False
        self.recipe, self.features, self.dev, self.dtype = recipe, features, dev, dtype
        self.loss: torch.Tensor | None = None

    def _get_train_sampler(self, train_dataset: Any = None) -> BucketSampler:
        lengths = [feature.length for feature in self.features]
        return BucketSampler(lengths, self.args.per_device_train_batch_size, self.args.seed)

    def compute_loss(self, model: nn.Module, inputs: Any, *arguments: Any, **named: Any) -> torch.Tensor:
        """The recipe's own loss."""
        loss = model(**inputs)["loss"]
        self.loss = loss
        return loss

    def evaluate(self, *arguments: Any, **named: Any) -> dict[str, float]:
        """Official metrics on dev; every process predicts its share of the rows."""
        if self.loss is not None and not math.isfinite(float(self.loss.detach())):
            raise ModelError(
                f"klue/{self.recipe.task}: the loss is no number at step {self.state.global_step}; "
                "a lower lr helps, or --dtype float32"
            )
        scores = judge(self.recipe.task, self.dev.units, self._predictions()).scores
        metrics = {f"eval_{name}": score.official for name, score in scores.items()}
        ranked = {name: UNDEFINED if value is None else value for name, value in metrics.items()}
        self.log(dict(ranked))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, ranked)
        return ranked

    def _predictions(self) -> dict[str, Any]:
        index, count = self.args.process_index, self.args.world_size
        places = range(index, len(self.dev.features), count)
        model = self.accelerator.unwrap_model(self.model)
        own = outputs_of(self.recipe, model, [self.dev.features[place] for place in places], dtype=self.dtype)
        pairs = list(zip(places, own, strict=True))
        gathered = sorted(gather_object(pairs) if count > 1 else pairs, key=lambda pair: pair[0])
        return self.recipe.predictions(self.dev.records, self.dev.features, [output for _, output in gathered])


class _Reporting(StepReporting):
    """Tells of evaluations and of an early end too."""

    def on_train_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        if state.is_world_process_zero and state.global_step < state.max_steps:
            self.progress.stage(f"{self.label}: patience ended it after {state.global_step} of {state.max_steps} steps")
            self.progress.end_at(state.global_step)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **named: Any) -> None:
        if state.is_world_process_zero:
            told = ", ".join(f"{name.removeprefix('eval_')} {_shown(value)}" for name, value in metrics.items())
            self.progress.stage(f"{self.label}, step {state.global_step} of {state.max_steps}: {told}")


def _shown(value: float) -> str:
    return "undefined" if value == UNDEFINED else f"{value:.2f}"


def _history(log: Sequence[Mapping[str, Any]]) -> list[Evaluation]:
    """The evaluations among what the trainer logged, those of an earlier start included."""
    found = []
    for entry in log:
        metrics = {
            name.removeprefix("eval_"): None if value == UNDEFINED else value
            for name, value in entry.items()
            if name.startswith("eval_")
        }
        if metrics:
            found.append(Evaluation(int(entry["step"]), float(entry["epoch"]), metrics))
    return found
