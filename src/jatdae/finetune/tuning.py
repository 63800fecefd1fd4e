"""One task, one encoder, one seed: from records to a fine-tuned checkpoint, and from a checkpoint to predictions."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from jatdae.benchmarks.klue.recipes import AUTO, Settings, resolve
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Unit
from jatdae.errors import ModelError
from jatdae.finetune.checkpoint import TunedCard, is_tuned, read_card, write_checkpoint
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.machine import Machine, find_machine, is_main_process
from jatdae.finetune.predicting import outputs_of
from jatdae.finetune.recipe import Recipe
from jatdae.finetune.recipes import find_recipe
from jatdae.finetune.training import Dev, Fitted, fit
from jatdae.finetune.work_folder import claimed, writing
from jatdae.models.base import ModelIdentity, ModelReference
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress
from jatdae.runtime.environment import package_versions
from jatdae.types import canonical, digest

ENGINE = "jatdae-finetune 1"
"""Raised when the same encoder, data, settings and seed would give other weights."""


@dataclass(frozen=True, slots=True)
class Data:
    """What a task is learned from and chosen by: records of train and dev, dev's scored units, a hash of both."""

    train: Sequence[Any]
    dev: Sequence[Any]
    units: Sequence[Unit]
    hash: str


@dataclass(frozen=True, slots=True)
class Tuner:
    """A task's recipe on an encoder that has been opened, with settings resolved. No weights are loaded yet.

    `identity` is what decides the predictions, data and seed apart: the encoder's weights and code, its tokenizer, the
    settings that shape what is learned, the precision.
    """

    task: str
    reference: ModelReference
    options: ModelOptions
    recipe: Recipe
    tuned: bool
    identity: ModelIdentity

    @classmethod
    def open(
        cls,
        task: str,
        reference: ModelReference,
        options: ModelOptions,
        settings: Mapping[str, str],
        encoder: Encoder | None = None,
    ) -> Tuner:
        """Config and tokenizer, and whether the checkpoint is fine-tuned already: then its card's settings hold.

        `encoder` is one that was opened before for the same task. Raises ModelError, RequestError.
        """
        task = task.removeprefix("klue/")
        encoder = encoder or Encoder.open(reference, options)
        tuned = is_tuned(task, encoder)
        chosen = {name: value for name, value in settings.items() if value != AUTO}
        made = {**_made_with(encoder), **chosen}
        resolved = resolve(task, made, encoder.hidden_size, tuple(JUDGING[task].official), encoder.config.model_type)
        resolved = replace(resolved, max_length=min(resolved.max_length, encoder.max_length))
        recipe = find_recipe(task)(encoder, resolved)
        facts = {
            **encoder.identity_facts(),
            "backend": "finetune",
            "engine": ENGINE,
            "dtype": find_machine(options).dtype or "float32",
            "task": f"klue/{task}",
            "settings": canonical(_shaping(resolved, tuned)),
        }
        return cls(task, reference, options, recipe, tuned, ModelIdentity(str(reference), facts))

    @property
    def machine(self) -> Machine:
        """Device and precision."""
        return find_machine(self.options)

    @property
    def settings(self) -> dict[str, str]:
        """How it was run, for the reader of a result."""
        made = {} if self.tuned else {name: str(v) for name, v in asdict(self.recipe.settings).items()}
        machine = {"device": self.machine.device, "dtype": self.machine.dtype or "float32"}
        return {**machine, **self.recipe.encoder.facts(), **made}


SPENDING = ("eval_batch", "gradient_checkpointing")
"""Settings that cost time or memory and change no weight."""


def _shaping(settings: Settings, tuned: bool) -> dict[str, Any]:
    """The settings that decide predictions: of a fine-tuned checkpoint only how much it reads."""
    made = {name: value for name, value in asdict(settings).items() if name not in SPENDING}
    return {"max_length": settings.max_length} if tuned else made


def _made_with(encoder: Encoder) -> dict[str, str]:
    """The settings in a checkpoint's card, such as the length at which its input is cut; none without a card."""
    local = encoder.source.local
    card = read_card(local.folder) if local else None
    return {name: str(value) for name, value in card.settings.items()} if card else {}


def checkpoint_key(tuner: Tuner, data: Data, seed: int) -> str:
    """What names a fine-tuned checkpoint in a store: all that decides its weights, but for the machine's rounding."""
    return digest(tuner.identity.key, data.hash, str(seed))[:16]


def fine_tune(tuner: Tuner, data: Data, seed: int, done: Path, work: Path, progress: Progress) -> Path:
    """Train, or go on with what a killed run left in `work`; returns `done`, the folder of the checkpoint.

    A checkpoint that is there already and was made from the same is not made again. Raises ModelError, also for a
    folder that holds something else.
    """
    key = checkpoint_key(tuner, data, seed)
    card = read_card(done)
    if card is not None and card.key == key:
        progress.stage(f"klue/{tuner.task} seed {seed}: fine-tuned before, {done}")
        return done
    if done.exists() and any(done.iterdir()):
        raise ModelError(f"{done} holds something else; name a new folder, or remove it")
    with writing(work), claimed(work, key):
        _train(tuner, data, seed, key, done, work, progress)
    return done


def _train(tuner: Tuner, data: Data, seed: int, key: str, done: Path, work: Path, progress: Progress) -> None:
    recipe = tuner.recipe
    train = limited(data.train, recipe.settings.train_limit, seed)
    progress.stage(f"klue/{tuner.task} seed {seed}: encoding {len(train):,} training and {len(data.dev):,} dev items")
    features = recipe.features(train, training=True)
    dev = Dev(data.dev, data.units, recipe.features(data.dev, training=False))
    fitted = fit(recipe, features, dev, work, seed=seed, machine=tuner.machine, progress=progress)
    if is_main_process():
        notes = tuple(f"in training: {note}" for note in recipe.notes(train, features))
        made = _card(tuner, data, seed, key, fitted, notes)
        write_checkpoint(done, recipe, fitted.model.cpu(), made)
        for checkpoint in work.glob("checkpoint-*"):
            shutil.rmtree(checkpoint)


def limited(records: Sequence[Any], limit: int, seed: int) -> Sequence[Any]:
    """A random `limit` of the records, in file order; a function of seed and identifiers. 0 takes all."""
    if not limit:
        return records
    ranked = sorted(records, key=lambda record: hashlib.sha256(f"{seed} {record.id}".encode()).digest())
    kept = {record.id for record in ranked[:limit]}
    return [record for record in records if record.id in kept]


def _card(tuner: Tuner, data: Data, seed: int, key: str, fitted: Fitted, notes: tuple[str, ...]) -> TunedCard:
    best = next((told for told in fitted.evaluations if told.step == fitted.best_step), None)
    return TunedCard(
        task=tuner.task,
        encoder=str(tuner.reference),
        seed=seed,
        settings=asdict(tuner.recipe.settings),
        labels=tuple(getattr(tuner.recipe, "labels", ())),
        data_hash=data.hash,
        key=key,
        steps=fitted.steps,
        best_step=fitted.best_step,
        dev=dict(best.metrics) if best else {},
        history=tuple({"step": told.step, "epoch": told.epoch, **told.metrics} for told in fitted.evaluations),
        seconds=round(fitted.seconds, 2),
        versions=package_versions(),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class Predicted:
    """Predictions by item, and facts about how they came about that a reader must know."""

    predictions: Mapping[str, Prediction]
    notes: tuple[str, ...]
    card: TunedCard | None


def predict(
    folder: Path | None, tuner: Tuner, records: Sequence[Any], progress: Progress, label: str = "predicting"
) -> Predicted:
    """Predictions of a fine-tuned checkpoint: of `folder`, or of the tuner's own model where it is fine-tuned already.

    Raises ModelError for weights that are missing, RequestError for a checkpoint of another task.
    """
    own = tuner if folder is None else _reopened(folder, tuner)
    recipe, source = own.recipe, own.recipe.encoder.source
    model = _loaded(recipe, Path(source.name)).to(own.machine.device)
    features = recipe.features(records, training=False)
    progress.start(f"klue/{own.task}, {label}, rows", len(features))
    outputs = outputs_of(recipe, model, features, dtype=own.machine.dtype, advance=progress.advance)
    progress.finish()
    card = read_card(source.local.folder) if source.local else None
    notes = (*(card.notes if card else ()), *recipe.notes(records, features))
    return Predicted(recipe.predictions(records, features, outputs), notes, card)


def _loaded(recipe: Recipe, folder: Path) -> nn.Module:
    return recipe.load(folder).eval()


def _reopened(folder: Path, tuner: Tuner) -> Tuner:
    """The same task on a checkpoint that was made here."""
    spending = {name: str(getattr(tuner.recipe.settings, name)) for name in SPENDING}
    return Tuner.open(tuner.task, ModelReference("hf", str(folder.resolve())), tuner.options, spending)
