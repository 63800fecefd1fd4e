"""A set as those see it who evaluate it: its answers that count, and who wrote what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jatdae.judging.annotation.units import Compared, Rated, compared, rated
from jatdae.store import Store
from jatdae.store.annotations import Annotation, Annotations, AnnotationSet


@dataclass
class LoadedSet:
    """Everything about one set. Nothing of it is for raters."""

    tables: Annotations
    set: AnnotationSet

    @classmethod
    def open(cls, store: Store, name: str) -> LoadedSet:
        """Raises RequestError where there is no such set."""
        tables = Annotations(store)
        return cls(tables, tables.set(name))

    @cached_property
    def answers(self) -> Sequence[Annotation]:
        return self.tables.latest(self.set.id)

    @cached_property
    def rated(self) -> Mapping[str, Rated]:
        return {unit: rated(secret) for unit, secret in self.tables.secrets(self.set.id).items()}

    @cached_property
    def compared(self) -> Mapping[str, Compared]:
        return {unit: compared(secret) for unit, secret in self.tables.secrets(self.set.id).items()}
