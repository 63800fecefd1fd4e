"""The prompts of a data set, one unit each: every item once, and a track-3 item's contrast variant once more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.munbench.records import Dataset, MunItem, NuanceItem, track_of
from jatdae.judging.cases import case_key

SPECIFIED, NEUTRAL = "specified", "neutral"


@dataclass(frozen=True, slots=True)
class Unit:
    """One prompt of one item. `variant` is `specified` or `neutral` in track 3 and "" elsewhere."""

    item: MunItem
    variant: str = ""

    @property
    def id(self) -> str:
        return case_key(self.item.id, self.variant)

    @property
    def track(self) -> int:
        return track_of(self.item)

    @property
    def group(self) -> str:
        """The item's domain, form or subtype."""
        return self.item.group

    @property
    def is_main(self) -> bool:
        """Whether the unit counts for the headline; contrast variants do not."""
        return self.variant != NEUTRAL

    @property
    def scorable(self) -> bool:
        """False for a sincere control without an expectation of its own: it is generated, but not judged."""
        if self.is_main or not isinstance(self.item, NuanceItem) or self.item.variant is None:
            return True
        return self.item.variant.scorable


def units_of(dataset: Dataset, tracks: Sequence[int] = (1, 2, 3)) -> list[Unit]:
    """All units of some tracks, in file order, a variant after its main prompt."""
    return [unit for track in tracks for item in dataset.of_track(track) for unit in _of_item(item)]


def _of_item(item: MunItem) -> Iterator[Unit]:
    if not isinstance(item, NuanceItem):
        yield Unit(item)
        return
    yield Unit(item, SPECIFIED)
    if item.variant is not None:
        yield Unit(item, NEUTRAL)
