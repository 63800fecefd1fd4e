"""How a causal language model is fine-tuned: the published settings, and a user's own over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from jatdae.errors import RequestError, did_you_mean

SEED = 1200
"""The published seed: of the adapter's first weights, of dropout, of the order of items."""
Targets = Literal["attention", "linear"]
Layout = Literal["evaluation", "authors"]


@dataclass(frozen=True, slots=True)
class CausalSettings:
    """The settings of KoNUBench's fine-tuning (arXiv 2601.04693); every default is the published value.

    `lr` is the peak of a schedule that rises linearly over the share `warmup` of all steps and falls along a cosine to
    0. A step takes `batch` items, whatever the number of devices; `micro_batch` of them go through a device at once.
    `rank`, `alpha` and `dropout` shape the adapter; `targets` says where it sits: `attention`, the query, key, value
    and output projections, or `linear`, every linear layer but the output layer. `max_length` counts tokens of prompt
    and answer. `train_limit` takes so many items, chosen by the seed (0: all). `layout=authors` puts the instruction
    before the definitions in the cloze prompt, as the authors' training did; `evaluation` asks as the evaluation does.
    """

    lr: float = 3e-5
    epochs: int = 3
    batch: int = 128
    micro_batch: int = 16
    warmup: float = 0.1
    weight_decay: float = 0.01
    rank: int = 8
    alpha: int = 32
    dropout: float = 0.05
    targets: Targets = "attention"
    max_length: int = 2048
    train_limit: int = 0
    gradient_checkpointing: bool = False
    layout: Layout = "evaluation"

    def accumulation(self, processes: int) -> int:
        """Micro-batches of one device that make a step. Raises RequestError where they do not make it exactly."""
        together = self.micro_batch * processes
        if self.batch % together:
            raise RequestError(
                f"batch={self.batch} is no multiple of micro_batch={self.micro_batch} times {processes} "
                f"process{'es' if processes > 1 else ''}; set micro_batch or batch so that it is"
            )
        return self.batch // together

    def steps_per_epoch(self, items: int) -> int:
        """Whole batches in so many items; what is left over is dropped. Raises RequestError where there is none."""
        if items < self.batch:
            raise RequestError(f"{items} items do not fill one batch of {self.batch}; set batch to {items} or fewer")
        return items // self.batch

    def steps(self, items: int) -> int:
        """Optimiser steps of the whole training: 57 for the 2,500 published items."""
        return self.epochs * self.steps_per_epoch(items)

    def warmup_steps(self, items: int) -> int:
        """Steps over which the rate rises."""
        return math.ceil(self.warmup * self.steps(items))


SPENDING = ("micro_batch", "gradient_checkpointing")
"""Settings that cost time or memory and change what is learned by rounding only."""


def resolve_settings(given: Mapping[str, str]) -> CausalSettings:
    """The published settings with those over them. Raises RequestError for an unknown name or an unfit value."""
    return CausalSettings(**{name: _parsed(name, text) for name, text in given.items()})  # type: ignore[arg-type]


def _number(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return read


def _whole(least: int, most: int = 10**9) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return read


def _switch(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]


def _one_of(*known: str) -> Callable[[str], str]:
    return lambda text: {name: name for name in known}[text]


_READ: Mapping[str, tuple[Callable[[str], object], str]] = {
    "lr": (_number(1e-12, 1.0), "a number above 0 and up to 1"),
    "epochs": (_whole(1), "a whole number from 1 on"),
    "batch": (_whole(1), "a whole number from 1 on"),
    "micro_batch": (_whole(1), "a whole number from 1 on"),
    "warmup": (_number(0, 1), "a share from 0 to 1"),
    "weight_decay": (_number(0, 1), "a number from 0 to 1"),
    "rank": (_whole(1, 4096), "a whole number from 1 to 4096"),
    "alpha": (_whole(1), "a whole number from 1 on"),
    "dropout": (_number(0, 0.99), "a share from 0 to 0.99"),
    "targets": (_one_of("attention", "linear"), "attention or linear"),
    "max_length": (_whole(8), "a whole number of tokens from 8 on"),
    "train_limit": (_whole(0), "a whole number from 0 on"),
    "gradient_checkpointing": (_switch, "true or false"),
    "layout": (_one_of("evaluation", "authors"), "evaluation or authors"),
}
NAMES = frozenset(_READ)
"""Every setting of training; what else is set belongs to the task's prompts."""


def _parsed(name: str, text: str) -> object:
    if name not in _READ:
        raise RequestError(f"fine-tuning has no setting {name!r}; {did_you_mean(name, _READ)}")
    read, expected = _READ[name]
    try:
        return read(text)
    except (ValueError, KeyError, OverflowError):
        raise RequestError(f"{name}={text}: {expected} is needed") from None
