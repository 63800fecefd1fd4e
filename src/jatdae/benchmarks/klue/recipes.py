"""How each task is fine-tuned: the published settings by task and size of encoder, and a user's own over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product

from jatdae.benchmarks.klue.labels import known_task
from jatdae.errors import RequestError, did_you_mean


@dataclass(frozen=True, slots=True)
class Settings:
    """How an encoder is fine-tuned on one task.

    `lr` is the peak of a linear schedule that rises over the share `warmup` of all steps and falls to 0. `batch` rows
    go through the model at once and `accumulation` batches make a step. `max_length` counts tokens. `evaluations`
    times an epoch the dev split is scored, and the weights with the best `metric` are kept; after `patience`
    evaluations without a better one training ends (0: never). `train_limit` takes so many training items, chosen by
    the seed (0: all). `steps` ends training after so many steps, whatever the epochs say (0: by epochs).
    """

    lr: float = 5e-5
    batch: int = 32
    epochs: float = 4
    warmup: float = 0.0
    weight_decay: float = 0.0
    max_length: int = 128
    patience: int = 0
    metric: str = ""
    accumulation: int = 1
    eval_batch: int = 64
    evaluations: int = 4
    train_limit: int = 0
    steps: int = 0
    gradient_checkpointing: bool = False


LARGE = 1024
"""Hidden size from which the published settings of the large encoder apply."""

PUBLISHED: Mapping[str, Settings] = {
    "ynat": Settings(warmup=0.1, metric="macro_f1"),
    "sts": Settings(warmup=0.1, patience=5, metric="pearson"),
    "nli": Settings(epochs=5, warmup=0.1, patience=5, metric="accuracy"),
    "ner": Settings(epochs=3, max_length=510, patience=5, metric="character_f1"),
    "re": Settings(epochs=3, warmup=0.1, max_length=256, metric="micro_f1"),
    "dp": Settings(epochs=10, warmup=0.1, max_length=256, metric="las_macro"),
    "mrc": Settings(lr=3e-5, batch=16, epochs=5, max_length=510, metric="rouge_w"),
    "wos": Settings(
        lr=3e-5, batch=16, epochs=5, warmup=0.1, weight_decay=0.01, max_length=510, metric="slot_f1", eval_batch=16
    ),
}
"""The settings of the baseline's scripts for base and small encoders."""

PUBLISHED_LARGE: Mapping[str, Settings] = {
    "ynat": replace(PUBLISHED["ynat"], warmup=0.2),
    "sts": replace(PUBLISHED["sts"], lr=2e-5),
    "nli": replace(PUBLISHED["nli"], warmup=0.2),
    "ner": replace(PUBLISHED["ner"], lr=1e-5, batch=8),
    "re": replace(PUBLISHED["re"], lr=2e-5, batch=16, epochs=10, warmup=0.2),
    "dp": replace(PUBLISHED["dp"], epochs=15, warmup=0.2, metric="uas_macro"),
    "mrc": PUBLISHED["mrc"],
    "wos": replace(PUBLISHED["wos"], lr=2e-5, batch=8, accumulation=2),
}
"""The same for the large encoder."""

AUTO = "auto"
OPTIONS: Mapping[str, str] = {field.name: AUTO for field in fields(Settings)}
"""Every setting by name, left to the published one: what a task's protocol starts from."""

GRIDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "paper": {
        "lr": ("1e-5", "2e-5", "3e-5", "5e-5"),
        "batch": ("8", "16", "32"),
        "epochs": ("3", "4", "5", "10", "15"),
        "warmup": ("0", "0.1", "0.2"),
        "weight_decay": ("0", "0.01"),
    }
}
"""The values that the released scripts use, as a search grid; the paper's own grid is not known here."""


def resolve(
    task: str, options: Mapping[str, str], hidden_size: int, metrics: tuple[str, ...], model_type: str = ""
) -> Settings:
    """The published settings of a task for an encoder of this kind, with those options over them that aren't `auto`.

    `metrics` are the names that `metric` may have. Raises RequestError for a value that cannot be.
    """
    task = known_task(task)
    published = (PUBLISHED_LARGE if hidden_size >= LARGE else PUBLISHED)[task]
    if (task, model_type) == ("mrc", "bert"):
        published = replace(published, max_length=512)
    given = {name: _parsed(name, value) for name, value in options.items() if value != AUTO}
    settings = replace(published, **given)
    if settings.metric not in metrics:
        raise RequestError(f"metric={settings.metric}: {did_you_mean(settings.metric, metrics)}")
    return settings


def grid(text: str, fixed: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The cells of a grid: `paper`, or `lr=1e-5,3e-5;epochs=3,5`. A setting in `fixed` keeps its one value.

    Raises RequestError for an unknown setting or a value that cannot be.
    """
    axes = dict(GRIDS[text]) if text in GRIDS else _axes(text)
    for name, values in axes.items():
        for value in values:
            _parsed(name, value)
    axes = {name: values for name, values in axes.items() if fixed.get(name, AUTO) == AUTO}
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def _axes(text: str) -> dict[str, tuple[str, ...]]:
    axes: dict[str, tuple[str, ...]] = {}
    for name, values in (_axis(part) for part in text.split(";") if part.strip()):
        if name in axes or len(set(values)) < len(values):
            raise RequestError(f"--grid {text!r}: {name} has a value, or stands itself, more than once")
        axes[name] = values
    return axes


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, values = text.strip().partition("=")
    if not equals or not values:
        raise RequestError(f"--grid {text!r}: 'paper' or name=value,value;name=value is expected")
    return name.strip(), tuple(value.strip() for value in values.split(","))


def _number(least: float, most: float = math.inf) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text)
        if not least <= value <= most or not math.isfinite(value):
            raise ValueError(text)
        return value

    return read


def _whole(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(text)
        return value

    return read


def _switch(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]


_READ: Mapping[str, tuple[Callable[[str], object], str]] = {
    "lr": (_number(1e-12, 1.0), "a number above 0 and up to 1"),
    "batch": (_whole(1), "a whole number from 1 on"),
    "epochs": (_number(1e-6), "a number above 0"),
    "warmup": (_number(0, 1), "a share from 0 to 1"),
    "weight_decay": (_number(0, 1), "a number from 0 to 1"),
    "max_length": (_whole(8), "a whole number of tokens from 8 on"),
    "patience": (_whole(0), "a whole number from 0 on"),
    "metric": (str, "a metric's name"),
    "accumulation": (_whole(1), "a whole number from 1 on"),
    "eval_batch": (_whole(1), "a whole number from 1 on"),
    "evaluations": (_whole(1), "a whole number from 1 on"),
    "train_limit": (_whole(0), "a whole number from 0 on"),
    "steps": (_whole(0), "a whole number from 0 on"),
    "gradient_checkpointing": (_switch, "true or false"),
}


def _parsed(name: str, text: str) -> object:
    if name not in _READ:
        raise RequestError(f"fine-tuning has no setting {name!r}; {did_you_mean(name, _READ)}")
    read, expected = _READ[name]
    try:
        return read(text)
    except (ValueError, KeyError, OverflowError):
        raise RequestError(f"{name}={text}: {expected} is needed") from None
