"""Tasks whose predictions come from fine-tuning: fit and predict once a seed, then samples and a result as ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from jatdae.benchmarks.base import Task
from jatdae.benchmarks.klue.recipes import AUTO
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.klue.task import FINETUNE, KlueTask
from jatdae.errors import ModelError, RequestError
from jatdae.evaluate.planning import choose_items, fingerprint_of
from jatdae.evaluate.run import Run, start_result, tell_lack
from jatdae.evaluate.summary import summarise
from jatdae.models.base import ModelIdentity, ModelReference
from jatdae.models.options import ModelOptions
from jatdae.types import Result, Sample

if TYPE_CHECKING:
    from jatdae.finetune.checkpoint import TunedCard
    from jatdae.finetune.encoder import Encoder
    from jatdae.finetune.tuning import Data, Predicted, Tuner


def is_fine_tuned(task: Task) -> TypeGuard[KlueTask]:
    """Whether a task takes its predictions from fine-tuning rather than from asking."""
    return task.protocol.mode == FINETUNE and isinstance(task, KlueTask)


READING = ("max_length", "eval_batch")
"""Settings that a fine-tuned checkpoint still has a use for."""


@dataclass(frozen=True, slots=True)
class _Described:
    """What a result says of an encoder."""

    identity: ModelIdentity
    settings: Mapping[str, str]
    notes: Sequence[str]


def open_tuner(
    task: KlueTask, reference: ModelReference, options: ModelOptions, encoder: Encoder | None = None
) -> Tuner:
    """An encoder for a task, all checked that can be before weights are loaded. Raises RequestError, ModelError.

    `encoder` is one that was opened before for the same task.
    """
    try:
        from jatdae.finetune.tuning import Tuner
    except ModuleNotFoundError as error:
        message = f"{reference} needs the package {error.name}; install it with: pip install 'jatdae[hf]'"
        raise ModelError(message) from None
    tuner = Tuner.open(task.task, reference, options, task.protocol.options, encoder)
    if tuner.tuned:
        _refuse_training(task, reference)
    else:
        task.check_training()
        tuner.recipe.check([*task.training_records(), *task.selection_records()])
    tuner.recipe.check(task.records())
    return tuner


def _refuse_training(task: KlueTask, reference: ModelReference) -> None:
    """Refuse what only training has a use for, where nothing will be trained."""
    set_by_user = [name for name, value in task.protocol.options.items() if value != AUTO and name not in READING]
    if set_by_user:
        raise RequestError(f"{reference} is fine-tuned already; {', '.join(set_by_user)} would change nothing")
    if task.protocol.seeds != task.default_protocol(task.name, task.protocol.mode).seeds:
        raise RequestError(f"{reference} is fine-tuned already; --seeds has no use for it, leave it out")


def measure_fine_tuned(task: KlueTask, tuner: Tuner, run: Run) -> tuple[int, Result]:
    """Fine-tune an encoder once for every seed and score each; a checkpoint that has the head is only scored.

    Fine-tuned checkpoints stay in the store's folder, so that the same command finds them. Returns the result and its
    number. Raises ModelError when training or predicting fails.
    """
    items = choose_items(task, task.protocol.limit)
    data_hash = task.scored_hash if tuner.tuned else task.data_hash
    fingerprint = fingerprint_of(task, data_hash, trains=not tuner.tuned)
    result_id = start_result(run, task, tuner.identity, fingerprint=fingerprint, data_hash=data_hash)
    samples: list[Sample] = []
    told: list[Predicted] = []
    for seed in (None,) if tuner.tuned else task.protocol.seeds:
        predicted = _predicted(task, tuner, seed, run)
        made = [task.sample(item, predicted.predictions.get(item.id), seed=seed) for item in items]
        run.store.add_samples(result_id, made)
        samples += made
        told.append(predicted)
    model = _Described(tuner.identity, tuner.settings, tuple(_notes(task, tuner, told)))
    result = summarise(task, model, items, samples, task.floors(items), fingerprint=fingerprint, data_hash=data_hash)
    run.store.finish_result(result_id, result)
    tell_lack(run, result)
    return result_id, result


def training_data(task: KlueTask) -> Data:
    """What a task is learned from and chosen by. Raises RequestError that names a missing file."""
    from jatdae.finetune.tuning import Data

    chosen_by = task.selection_records()
    return Data(task.training_records(), chosen_by, JUDGING[task.task].units(chosen_by), task.training_hash)


def _predicted(task: KlueTask, tuner: Tuner, seed: int | None, run: Run) -> Predicted:
    from jatdae.finetune.tuning import checkpoint_key, fine_tune, predict

    if seed is None:
        return predict(None, tuner, task.records(), run.progress)
    data = training_data(task)
    folder = run.store.file.parent.resolve() / "finetuned" / f"{tuner.task}-{checkpoint_key(tuner, data, seed)}"
    model = fine_tune(tuner, data, seed, folder / "model", folder / "training", run.progress)
    return predict(model, tuner, task.records(), run.progress, f"seed {seed}, predicting")


def _notes(task: KlueTask, tuner: Tuner, told: Sequence[Predicted]) -> Iterator[str]:
    cards = [predicted.card for predicted in told if predicted.card]
    if tuner.tuned and cards:
        yield f"fine-tuned before from {cards[0].encoder}, seed {cards[0].seed}; here only scored"
    elif tuner.tuned:
        yield "the checkpoint has a head for the task and is scored as it is"
    if any(card.data_hash and task.split == "dev" for card in cards):
        evaluations = max(len(card.history) for card in cards)
        yield (
            f"the weights were chosen by {tuner.recipe.settings.metric} on dev at {evaluations} evaluations, as the "
            "published scores were: on this split the score leans upward"
        )
    asked = task.protocol.options["max_length"]
    if asked != AUTO and int(asked) > tuner.recipe.max_length:
        yield f"max_length is {tuner.recipe.max_length}, as the encoder reads no more"
    yield from _about_training(cards)
    yield from dict.fromkeys(note for predicted in told for note in predicted.notes)


def _about_training(cards: Sequence[TunedCard]) -> Iterator[str]:
    for card in cards:
        yield f"seed {card.seed}: best after step {card.best_step} of {card.steps}, {card.seconds:,.0f} s of training"
