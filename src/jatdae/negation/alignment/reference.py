"""The corpus study behind KoNUBench, as far as it is published: shares with intervals, and the rate of negation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jatdae.negation.alignment.conventions import CLASSES
from jatdae.negation.distribution import ClusterCounts, Distribution, Kind

REFERENCE = "reference"
"""What the user calls it in the place of a study's folder."""

Intervals = Mapping[Kind, tuple[tuple[float, float], ...]]
"""95 % intervals of the shares, in the order of CLASSES."""

VERDICT = (
    "The published figures are not reproduced to the digit: that needs the whole annotated table. The one for types "
    "fits natural logarithms over SN+LN, an estimate from a sample lying above it; the one for clauses fits (b) in "
    "nats or (a) in bits, and its direction cannot be told. The release needs no smoothing: it has every class."
)
"""What can be said of the published divergences from the published data."""


@dataclass(frozen=True, slots=True)
class ReferenceStudy:
    """Published counts as a distribution of one cluster, the intervals of their shares, and published divergences."""

    distribution: Distribution
    intervals: Intervals
    published: Mapping[Kind, float]


@cache
def reference_study() -> ReferenceStudy:
    """The study that comes with Jatdae.

    Shares are published to a tenth of a percent. The type counts are the only whole numbers that sum to the 1,144 hits
    and round to them; the clause counts sum to 1,143, the total nearest to it at which the published divergences of
    that sample come out digit for digit. The files of the sample are not published, so its clusters are not at hand.
    """
    told: dict[str, Any] = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
    counts = {kind: {label: told[kind][label]["count"] for label in CLASSES[kind]} for kind in CLASSES}
    convention = (
        f"{told['source']}: occurrences in every third row of the annotated table ({told['rows']} of about "
        f"{told['negative']:,} negative sentences); coordinate main clauses are 주절"
    )
    cluster = ClusterCounts(told["name"], told["sentences"], told["negative"], counts["types"], counts["clauses"])
    return ReferenceStudy(
        Distribution(told["name"], convention, (cluster,)),
        {kind: tuple(_interval(told[kind][label]) for label in CLASSES[kind]) for kind in CLASSES},
        {kind: told["published_divergence"][kind] for kind in CLASSES},
    )


def _interval(entry: Mapping[str, float]) -> tuple[float, float]:
    return entry["low"] / 100, entry["high"] / 100
