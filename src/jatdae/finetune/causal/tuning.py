"""One base model, one mode, one seed: from items to an adapter that the evaluation loads."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jatdae.benchmarks.konubench.task import KoNUBench
from jatdae.errors import ModelError
from jatdae.finetune.causal.adapter import AdapterCard, read_adapter_card, write_result
from jatdae.finetune.causal.rows import Rows, encode_lessons
from jatdae.finetune.causal.settings import SPENDING, CausalSettings
from jatdae.finetune.causal.supervision import TASK, Lesson, lessons
from jatdae.finetune.causal.training import Learned, Place, adapter_config, fit
from jatdae.finetune.machine import Machine, count_processes, find_machine, is_main_process
from jatdae.finetune.tuning import limited
from jatdae.finetune.work_folder import claimed, writing
from jatdae.models.base import ModelIdentity, ModelReference
from jatdae.models.hf.compat import window_of
from jatdae.models.hf.identity import end_tokens, generation_end, identify
from jatdae.models.hf.loading import Source, find_source, load_config, load_model, load_tokenizer
from jatdae.models.options import ModelOptions
from jatdae.runtime import Progress
from jatdae.runtime.environment import package_versions
from jatdae.types import canonical, digest

ENGINE = "jatdae-lora 1"
"""Raised when the same base, items, settings and seed would give another adapter."""


@dataclass(frozen=True, slots=True)
class Base:
    """A causal language model that an adapter is learned over; its weights are not loaded yet."""

    reference: ModelReference
    options: ModelOptions
    source: Source
    config: Any
    tokenizer: Any
    identity: ModelIdentity

    @classmethod
    def open(cls, reference: ModelReference, options: ModelOptions) -> Base:
        """Config and tokenizer. Raises ModelError where no adapter can be learned, RequestError for a device."""
        source = find_source(reference)
        if source.adapter is not None:
            raise ModelError(f"{reference} carries an adapter already; name the model under it")
        options = replace(options, dtype=_precision(options))
        config, tokenizer = load_config(source, options), load_tokenizer(source, options)
        ends = end_tokens(config, tokenizer, generation_end(source, config, options))
        known = identify(reference, source, config, tokenizer, options, ends)
        return cls(reference, options, source, config, tokenizer, known)

    @property
    def machine(self) -> Machine:
        """Device and precision."""
        return find_machine(self.options)

    @property
    def max_length(self) -> int:
        """Tokens that the model can read at once."""
        return window_of(self.config, self.tokenizer)

    def load(self) -> Any:
        """The weights, in the precision of training. Those of a GGUF file are plain numbers once they are read."""
        model = load_model(self.source, self.config, self.options)
        if self.source.local and self.source.local.gguf:
            model.hf_quantizer, model.is_quantized = None, False
            del model.config.quantization_config
        return model

    def place(self, work: Path) -> Place:
        """Where an adapter over this base is written; a local base is named by its whole path."""
        local = self.source.local
        path = None if local is None else local.weights[0] if local.gguf else local.folder
        name = self.source.name if path is None else str(path.resolve())
        return Place(work, name, self.source.revision)


def _precision(options: ModelOptions) -> Any:
    """Bfloat16 on a GPU that has it, float32 elsewhere, unless one was asked for. Raises RequestError."""
    import torch

    machine = find_machine(options)
    if machine.dtype == "float16":
        raise ModelError("--dtype float16: an adapter is learned in float32 or bfloat16")
    if machine.dtype is None:
        return "bfloat16" if machine.device == "cuda" and torch.cuda.is_bf16_supported() else "float32"
    return machine.dtype


@dataclass(frozen=True, slots=True)
class Course:
    """What is learned, and how: the benchmark's train items in one mode, the settings, the seed."""

    task: KoNUBench
    settings: CausalSettings
    seed: int

    def lessons(self) -> list[Lesson]:
        """The lessons, or a random part of them, in file order."""
        return list(limited(list(lessons(self.task, self.settings.layout)), self.settings.train_limit, self.seed))


def adapter_key(base: Base, course: Course, taught: list[Lesson]) -> str:
    """What names an adapter: all that decides its weights, but for the machine's rounding."""
    shaping = {name: value for name, value in asdict(course.settings).items() if name not in SPENDING}
    return digest(ENGINE, base.identity.key, canonical(shaping), data_hash(taught), str(course.seed))[:16]


def data_hash(taught: list[Lesson]) -> str:
    """A digest of every prompt and answer, in order."""
    return digest(canonical([[lesson.id, lesson.prompt, lesson.answer] for lesson in taught]))


def learn(base: Base, course: Course, done: Path, work: Path, progress: Progress) -> AdapterCard:
    """Train, or go on with what a killed run left in `work`; the adapter comes to `done`. Returns its card.

    An adapter that is there already and was made from the same is not made again. Raises ModelError, also for a folder
    that holds something else, and RequestError for settings that do not fit the items.
    """
    taught = course.lessons()
    key = adapter_key(base, course, taught)
    card = read_adapter_card(done) if done.is_dir() else None
    if card is not None and card.key == key:
        progress.stage(f"{TASK} {card.mode} seed {card.seed}: fine-tuned before, {done}")
        return card
    if done.exists() and any(done.iterdir()):
        raise ModelError(f"{done} holds something else; name a new folder, or remove it")
    rows = encode_lessons(taught, base.tokenizer, min(course.settings.max_length, base.max_length))
    course.settings.accumulation(count_processes())
    _tell(course, rows, progress)
    with writing(work), claimed(work, key):
        return _train(base, course, rows, taught, key, done, work, progress)


def _tell(course: Course, rows: Rows, progress: Progress) -> None:
    steps = course.settings.steps(len(rows.rows))
    lengths = [len(row.input_ids) for row in rows.rows]
    progress.stage(
        f"{TASK} {course.task.protocol.mode} seed {course.seed}: {len(lengths):,} items of {min(lengths)} to "
        f"{max(lengths)} tokens, {steps} steps of {course.settings.batch}"
    )
    if rows.overlong:
        progress.stage(f"{len(rows.overlong):,} items are too long and left out, such as {rows.overlong[0]}")


def _train(
    base: Base, course: Course, rows: Rows, taught: list[Lesson], key: str, done: Path, work: Path, progress: Progress
) -> AdapterCard:
    model = base.load()
    targets = adapter_config(model, course.settings).target_modules
    learned = fit(
        model,
        base.tokenizer,
        rows.rows,
        course.settings,
        base.place(work),
        seed=course.seed,
        machine=base.machine,
        progress=progress,
    )
    card = _card(base, course, rows, learned, _names(targets), data_hash(taught), key)
    if is_main_process():
        write_result(done, list(learned.epochs), card)
        for checkpoint in work.glob("checkpoint-*"):
            shutil.rmtree(checkpoint)
    return card


def _names(targets: Any) -> tuple[str, ...]:
    return (targets,) if isinstance(targets, str) else tuple(sorted(targets))


def _card(
    base: Base,
    course: Course,
    rows: Rows,
    learned: Learned,
    targets: tuple[str, ...],
    hashed: str,
    key: str,
) -> AdapterCard:
    options: Mapping[str, str] = course.task.fingerprint_options
    return AdapterCard(
        task=TASK,
        mode=course.task.protocol.mode,
        base=str(base.reference),
        seed=course.seed,
        settings=asdict(course.settings),
        options={**options, "wording": course.task.prompt_hash},
        targets=targets,
        data_hash=hashed,
        key=key,
        items=len(rows.rows),
        overlong=len(rows.overlong),
        steps=course.settings.steps(len(rows.rows)),
        losses=learned.losses,
        seconds=round(learned.seconds, 2),
        versions={**package_versions(), **{name: version(name) for name in ("peft", "trl")}},
    )
