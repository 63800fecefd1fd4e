"""`jatdae train konubench`: learn an adapter (LoRA) over a causal language model, and keep it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jatdae.benchmarks.sources import Source
from jatdae.cli.settings import read_settings
from jatdae.errors import ModelError, RequestError, did_you_mean
from jatdae.models.base import REMOTE, parse_reference
from jatdae.models.options import ModelOptions
from jatdae.reports.documents import document
from jatdae.runtime import Progress

if TYPE_CHECKING:
    from jatdae.cli.training import TrainRequest
    from jatdae.finetune.causal.adapter import AdapterCard
    from jatdae.finetune.causal.tuning import Course

PROMPT_OPTIONS = ("repair", "edges", "prompt")
"""Settings of the prompts, as the evaluation has them."""


def train_adapter(
    request: TrainRequest, out: Path, settings: Sequence[str], options: ModelOptions, *, as_json: bool, quiet: bool
) -> None:
    """Learn, or go on where a killed run stopped; under `accelerate launch` one process tells and writes.

    `settings` are all `key=value` words. Raises RequestError, DataError, ModelError.
    """
    reference = parse_reference(request.model)
    if reference.backend in REMOTE:
        raise RequestError(f"{reference}: only a model that is run here can be fine-tuned; name a folder or a hub name")
    sampling, given = read_settings(settings)
    if sampling:
        raise RequestError(f"--set {next(iter(sampling))}: training samples no text")
    try:
        from jatdae.finetune.causal.tuning import Base, is_main_process, learn
    except ModuleNotFoundError as error:
        package = (error.name or "trl").partition(".")[0]
        raise ModelError(
            f"fine-tuning needs the package {package}; install it with: pip install 'jatdae[sft]'"
        ) from None
    course = _course(request, given)
    base = Base.open(reference, options)
    progress = Progress(quiet=quiet or not is_main_process())
    card = learn(base, course, out, out.with_name(f"{out.name}.training"), progress)
    if is_main_process():
        _show(card, out, as_json=as_json)


def _show(card: AdapterCard, out: Path, *, as_json: bool) -> None:
    if as_json:
        print(document({"checkpoint": str(out), "card": card}))
        return
    first, last = card.losses[0], card.losses[-1]
    print(f"{out}: {card.task} {card.mode}, {card.items:,} items, {card.steps} steps, loss {first:.4f} to {last:.4f}")
    print(f"next: jatdae run {card.task} --mode {card.mode} --model {card.base} --model {out}", file=sys.stderr)


def _course(request: TrainRequest, given: Mapping[str, str]) -> Course:
    """What is set is either training's or the prompts'. Raises RequestError, DataError."""
    from jatdae.finetune.causal.settings import NAMES, SEED, resolve_settings
    from jatdae.finetune.causal.supervision import MODES, training_task
    from jatdae.finetune.causal.tuning import Course

    for name in given:
        if name not in NAMES and name not in PROMPT_OPTIONS:
            raise RequestError(f"konubench has no setting {name!r}; {did_you_mean(name, [*NAMES, *PROMPT_OPTIONS])}")
    asking = {name: value for name, value in given.items() if name not in NAMES}
    task = training_task(request.mode or MODES[0], Source.of(request.data), asking)
    settings = resolve_settings({name: value for name, value in given.items() if name in NAMES})
    return Course(task, settings, SEED if request.seed is None else request.seed)
