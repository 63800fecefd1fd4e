"""What a task is, and where tasks are found.

A task is a coroutine per item: it asks a model and returns one scored sample. It knows nothing of batching, storing,
retries or progress. To add one, write a module under `jatdae/benchmarks/` (or in your own package, named by an entry
point of the group `jatdae.tasks`) and put `@register(...)` before the class.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from typing import Protocol as TypingProtocol

from jatdae.benchmarks.download import Release
from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, did_you_mean
from jatdae.types import Estimate, Model, Protocol, Sample, Sampling


class Item(TypingProtocol):
    """One example of a task's data. The id is stable: it does not depend on order or on what else is loaded."""

    @property
    def id(self) -> str: ...

    @property
    def group(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Card:
    """Where a task's data comes from and on what terms."""

    title: str
    licence: str
    origin: str
    revision: str = ""
    language: str = "ko"
    citation: str = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A task's numbers over its samples. The headline is one of the estimates; `breakdown` holds named tables."""

    headline: str
    title: str
    estimates: Mapping[str, Estimate]
    breakdown: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Task(ABC):
    """One way to ask one benchmark. An instance is bound to a name, a protocol, a data source and one few-shot seed."""

    version: ClassVar[str]
    card: ClassVar[Card]
    modes: ClassVar[Mapping[str, str]]
    """Mode to one sentence that says how it asks. The first is the default."""
    faults_mean: ClassVar[str] = "count as wrong: the score measures format as well"
    """What unparsed, truncated and refused answers do to the score."""

    def __init__(self, name: str, protocol: Protocol, source: Source, seed: int) -> None:
        self.name, self.protocol, self.source, self.seed = name, protocol, source, seed

    @classmethod
    def default_protocol(cls, name: str, mode: str) -> Protocol:
        """The published protocol of a mode; the user's choices are laid over it."""
        return Protocol(mode=mode)

    @classmethod
    def inspect(cls, name: str, source: Source) -> Inspection | None:
        """What is in the data files: facts, irregularities, problems. None where a task has nothing to say."""
        return None

    @classmethod
    def release(cls, name: str) -> Release | None:
        """The pinned upstream files that `jatdae data pull` fetches. None where there is nothing to fetch."""
        return None

    @classmethod
    def after_pull(cls, name: str, folder: Path | None) -> str:
        """Put beside the fetched files what comes from elsewhere; returns a line that says what was done."""
        return ""

    @property
    @abstractmethod
    def data_hash(self) -> str:
        """A digest of the very data that decide the result, few-shot examples included."""

    @property
    def prompt_hash(self) -> str:
        """A digest of prompt wording that is read from files; empty where the version alone decides the wording."""
        return ""

    @property
    def fingerprint_options(self) -> Mapping[str, str]:
        """The protocol's options as the fingerprint sees them; a path whose content is hashed elsewhere is left out."""
        return self.protocol.options

    @abstractmethod
    def items(self) -> Sequence[Item]:
        """All items of the split, in file order."""

    def check(self) -> None:
        """Whether wording and examples are there, before a model is loaded. Raises RequestError."""
        return None

    @abstractmethod
    async def evaluate(self, item: Any, model: Model) -> Sample:
        """Ask the model about one item and score what comes back."""

    @abstractmethod
    def aggregate(self, samples: Sequence[Sample]) -> Aggregate:
        """Turn samples (of one or several seeds, failed ones included) into estimates."""

    def floors(self, items: Sequence[Any]) -> Mapping[str, Estimate]:
        """What strategies that never read the question reach on these items."""
        return {}

    def stratum(self, item: Any) -> str:
        """What a limit counts by: it takes so many items of each stratum. One for all by default."""
        return ""

    @property
    def random_floor(self) -> bool:
        """Whether a randomly initialised model is also to be measured, since length alone moves the score."""
        return False

    @property
    def draws_seeds(self) -> bool:
        """Whether seeds decide something also without examples, such as the training of a model."""
        return False

    @property
    def needs(self) -> frozenset[str]:
        """The capabilities (field names of `Capabilities`) that the mode asks of a backend."""
        return frozenset({"log_likelihoods"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A name that can be run, the class behind it, and one line about it."""

    name: str
    task: type[Task]
    summary: str


_REGISTRY: dict[str, Entry] = {}
T = TypeVar("T", bound=type[Task])


def register(name: str, summary: str) -> Callable[[T], T]:
    """Make a task class known under a name. A class may carry several names."""

    def add(cls: T) -> T:
        known = _REGISTRY.get(name)
        if known is not None and known.task.__qualname__ != cls.__qualname__:
            raise ValueError(f"two tasks are named {name!r}: {known.task.__qualname__} and {cls.__qualname__}")
        _REGISTRY[name] = Entry(name, cls, summary)
        return cls

    return add


def registry() -> Mapping[str, Entry]:
    """All known tasks by name, in the order of their families."""
    package = importlib.import_module("jatdae.benchmarks")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"jatdae.benchmarks.{module.name}")
    for point in entry_points(group="jatdae.tasks"):
        point.load()
    return _REGISTRY


def find_task(name: str) -> Entry:
    """The task of a name; blanks, hyphens, underscores and case do not matter. Raises RequestError with a hint."""
    entries = registry()
    wanted = spelling(name)
    for entry in entries.values():
        if spelling(entry.name) == wanted:
            return entry
    raise RequestError(f"unknown task {name!r}; {did_you_mean(name, entries)} (see: jatdae list tasks)")


def spelling(name: str) -> str:
    """A name with blanks and underscores as hyphens, in lower case: how subject names are compared."""
    return name.strip().lower().replace(" ", "-").replace("_", "-")


def build_protocol(entry: Entry, mode: str | None = None, **choices: Any) -> Protocol:
    """The task's published protocol for a mode with the user's choices laid over it. Raises RequestError."""
    known = entry.task.modes
    chosen = mode or next(iter(known))
    if chosen not in known:
        raise RequestError(f"{entry.name} has no mode {chosen!r}; {did_you_mean(chosen, known)}")
    default = entry.task.default_protocol(entry.name, chosen)
    given = {key: value for key, value in choices.items() if value is not None}
    names = [known_field.name for known_field in fields(Protocol)]
    for key in given:
        if key not in names:
            raise RequestError(f"a protocol has no {key!r}; {did_you_mean(key, names)}")
    options = {**default.options, **given.pop("options", {})}
    for key in options:
        if key not in default.options:
            raise RequestError(f"{entry.name} has no setting {key!r}; {did_you_mean(key, default.options)}")
    return replace(default, **given, options=options)


def refuse_unused_sampling(protocol: Protocol) -> None:
    """Refuse settings of sampling in a mode that compares log-likelihoods. Raises RequestError that names them."""
    changed = [
        f"{setting.name}={getattr(protocol.sampling, setting.name)}"
        for setting in fields(Sampling)
        if getattr(protocol.sampling, setting.name) != setting.default
    ]
    if changed:
        raise RequestError(
            f"sampling with {', '.join(changed)}: the mode {protocol.mode} compares log-likelihoods "
            "and generates nothing; leave it out, or choose a mode that generates (see: jatdae list modes)"
        )


def load_task(name: str, *, mode: str | None = None, data: str | Path | None = None, **choices: Any) -> Task:
    """A task that is ready to give its items, under its published protocol and the given choices.

    `data` is a folder, the word `mini`, or None for the cache. Raises RequestError.
    """
    entry = find_task(name)
    protocol = build_protocol(entry, mode, **choices)
    return entry.task(entry.name, protocol, Source.of(data), protocol.seeds[0])
