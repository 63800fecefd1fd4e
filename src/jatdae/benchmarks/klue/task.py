"""KLUE's tasks: what is read, what is scored, and what a prediction is worth, wherever predictions come from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from jatdae.benchmarks.base import Aggregate, Task
from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.klue.estimates import Scope, aggregate
from jatdae.benchmarks.klue.floors import blind_floors
from jatdae.benchmarks.klue.inspection import CARD, inspect
from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.reading.files import short_split
from jatdae.benchmarks.klue.recipes import OPTIONS
from jatdae.benchmarks.klue.release import release
from jatdae.benchmarks.klue.samples import klue_sample
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Unit
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.stats import seed_from
from jatdae.types import Estimate, Model, Outcome, Protocol, Sample, Sampling, digest

FINETUNE = "finetune"
TRAIN, DEV = "train", "dev"


class KlueTask(Task):
    """One of the eight tasks. In the mode `finetune` predictions are made elsewhere, by what is trained on `train`.

    An item is what is scored: for wos a user's turn, for the others a record. `sample` takes a prediction in the fields
    of `scoring.fields.Prediction`; `aggregate` scores the predictions that samples carry.
    """

    version = "1"
    card = CARD
    modes: ClassVar[Mapping[str, str]] = {
        FINETUNE: "an encoder is trained on the train split with a head for the task, and predicts the items"
    }

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        super().__init__(name, replace(protocol, split=short_split(protocol.split)), source, seed)
        self.task = known_task(name)

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        return Protocol(mode=mode, seeds=(42,), split="dev", options=dict(OPTIONS))

    @classmethod
    def inspect(cls, name: str, source: Source) -> Inspection:
        return inspect(source)

    @classmethod
    def release(cls, name: str) -> Release:
        return release()

    # ---- data

    @property
    def split(self) -> str:
        """The split that is scored: train, dev or test."""
        return self.protocol.split

    @property
    def learns(self) -> bool:
        """Whether the train split is a part of what decides the result."""
        return self.protocol.mode == FINETUNE

    def records(self) -> Sequence[Any]:
        """All records of the split, in file order. Raises RequestError where the file is missing, DataError."""
        return self._records

    def training_records(self) -> Sequence[Any]:
        """All records of the train split. Raises RequestError that names the missing file, DataError."""
        return self._training_records

    def selection_records(self) -> Sequence[Any]:
        """All records of dev, by which the weights are chosen whatever split is scored."""
        return self._records if self.split == DEV else self._dev_records

    def items(self) -> Sequence[Unit]:
        return self._units

    @cached_property
    def _records(self) -> Sequence[Any]:
        return _read(self.task, self._path(self.split))

    @cached_property
    def _training_records(self) -> Sequence[Any]:
        return self._records if self.split == TRAIN else _read(self.task, self._path(TRAIN))

    @cached_property
    def _dev_records(self) -> Sequence[Any]:
        return _read(self.task, self._path(DEV))

    @cached_property
    def _units(self) -> Sequence[Unit]:
        return JUDGING[self.task].units(self._records)

    @cached_property
    def _scored_hash(self) -> str:
        return _content_hash(self._path(self.split))

    @cached_property
    def _training_hash(self) -> str:
        return _content_hash(self._path(TRAIN))

    def _path(self, split: str) -> Path:
        return locate(self.source, self.task, split)

    @property
    def scored_hash(self) -> str:
        """A digest of the bytes of the split's own file: all of the data that a checkpoint's predictions depend on."""
        return self._scored_hash

    @property
    def training_hash(self) -> str:
        """A digest of the bytes that decide the weights: train, and dev, by which they are chosen."""
        chosen_by = self._scored_hash if self.split == DEV else _content_hash(self._path(DEV))
        return digest(self._training_hash, chosen_by)

    @property
    def data_hash(self) -> str:
        """A digest of the files' bytes, those of train and of dev first where they take part."""
        if not self.learns:
            return self.scored_hash
        chosen_by = () if self.split == DEV else (_content_hash(self._path(DEV)),)
        return digest(self._training_hash, *chosen_by, self._scored_hash)

    # ---- asking

    @property
    def needs(self) -> frozenset[str]:
        return frozenset()

    @property
    def draws_seeds(self) -> bool:
        return self.learns

    def check(self) -> None:
        """Nothing is asked for that fine-tuning has no use for."""
        self._refuse_prompting()

    def check_training(self) -> None:
        """What is learned from is there and is not what is scored, before a model is loaded.

        Raises RequestError, DataError.
        """
        if self.split == TRAIN:
            raise RequestError(f"--split {self.protocol.split}: {self.name} is fine-tuned on it; score another split")
        if not self.training_records():
            raise RequestError(f"{self.name} has no items in its train split")
        self.selection_records()

    def _refuse_prompting(self) -> None:
        protocol = self.protocol
        given = {
            f"{protocol.shots} shots": protocol.shots != 0,
            "a chat template": protocol.chat_template,
            "sampling": protocol.sampling != Sampling(),
        }
        for what, is_given in given.items():
            if is_given:
                raise RequestError(f"{what} in mode {FINETUNE}: a fine-tuned model gets no prompt; {self._other_way}")

    @property
    def _other_way(self) -> str:
        return "leave it out, or choose --mode prompt" if "prompt" in self.modes else "leave it out"

    async def evaluate(self, item: Any, model: Model) -> Sample:
        raise RequestError(
            f"{self.name} is fine-tuned: its items are predicted together and none is asked on its own; "
            f"run it through `jatdae run {self.name} --model ENCODER`"
        )

    # ---- counting

    def sample(
        self,
        item: Unit,
        prediction: Prediction | None,
        *,
        seed: int | None = None,
        outcome: Outcome | None = None,
        detail: Mapping[str, Any] = MappingProxyType({}),
    ) -> Sample:
        """An item with what was predicted for it, None where nothing was; see `samples.klue_sample`."""
        return klue_sample(self.task, item, prediction, seed=seed, outcome=outcome, detail=detail)

    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        """Official and clean estimates over the samples' predictions; see `estimates.aggregate`."""
        return aggregate(self._scope, samples)

    def floors(self, items: Sequence[Any]) -> Mapping[str, Estimate]:
        return blind_floors(self._scope, items)

    @cached_property
    def _scope(self) -> Scope:
        return Scope(
            task=self.task,
            gold=self._path(self.split),
            split=self.split,
            records=len(self._records),
            units=self._units,
            bundled=self.source.folder is None,
            draws_seed=seed_from("klue", self.task, self.scored_hash),
        )


def _read(task: str, path: Path) -> Sequence[Any]:
    """The records of a file, read once however many tasks (the cells of a grid) want them."""
    status = path.stat()
    return _read_once(task, path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=24)
def _read_once(task: str, path: Path, changed: int, size: int) -> Sequence[Any]:
    return read_task(task, path)


def _content_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
