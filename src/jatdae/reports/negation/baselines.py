"""Every model beside what the options alone give away: is it above the rules that never read the sentence?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jatdae.benchmarks.konubench.artefacts import artefact_hits
from jatdae.reports.negation.answers import Answers
from jatdae.reports.negation.selection import Cell
from jatdae.stats import cluster_bootstrap, proportion, seed_from
from jatdae.types import Estimate

Standing = Literal["above", "level", "below"]
SIGNS_TELL_FROM = 6
"""Origins that must all agree for a two-sided sign test to reach 5 %: 2 / 2^6 = 3.1 %."""


@dataclass(frozen=True, slots=True)
class BesideBaseline:
    """A model and one baseline on the same items: `difference` is model minus baseline, bootstrap over origins."""

    reference: str
    cell: Cell
    name: str
    score: Estimate
    baseline: Estimate
    difference: Estimate

    @property
    def standing(self) -> Standing:
        """`above` or `below` where the interval excludes zero.

        Where every origin has the same difference there is none to draw; from six origins on an exact sign test tells.
        """
        low, high = self.difference.low, self.difference.high
        if low is None or high is None:
            low = high = self.difference.value if (self.difference.clusters or 0) >= SIGNS_TELL_FROM else 0.0
        return "level" if low <= 0 <= high else "above" if low > 0 else "below"


def beside_baselines(answers: Sequence[Answers]) -> list[BesideBaseline]:
    """Each model against each baseline, item by item; with several seeds an item counts by its mean over them."""
    return [made for one in answers if one.items for made in _beside(one)]


def _beside(one: Answers) -> list[BesideBaseline]:
    found: list[BesideBaseline] = []
    for name, hits in artefact_hits(one.items).items():
        gaps = [item.right - hit for item, hit in zip(one.items, hits, strict=True)]
        seed = seed_from("negation", one.cell.column, name)
        difference = cluster_bootstrap(gaps, one.clusters, seed=seed)
        found.append(
            BesideBaseline(one.reference, one.cell, name, one.score, proportion(hits, one.clusters), difference)
        )
    return found
