"""What can be said of a model's texts without a judge: a rate or a mean with its interval for each measure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.benchmarks.munbench.metrics import TextMetrics
from jatdae.benchmarks.munbench.units import Unit
from jatdae.korean.slop import pooled
from jatdae.reports.munbench.published import measured
from jatdae.reports.munbench.scored import Scored
from jatdae.stats import mean, proportion
from jatdae.stats.agreement import spearman
from jatdae.types import Estimate

OPENING = 12
"""Letters of a text that make its opening: two texts that share them begin alike."""
CORRELATION_DRAWS = 200
"""Resamples for the correlation of length and score, of which there is one a model and track."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a text. A `rate` is of yes and no."""

    take: Callable[[TextMetrics], float | None]
    is_rate: bool = False


def _share_of_checks(one: TextMetrics) -> float | None:
    return one.checks_passed / one.checks if one.checks else None


MEASURES: Mapping[str, Measure] = {
    "characters": Measure(lambda one: one.characters),
    "strong_slop_per_1000": Measure(lambda one: one.slop.strong_per_1000),
    "weak_slop_per_1000": Measure(lambda one: one.slop.weak_per_1000),
    "compat_slop_per_1000": Measure(lambda one: one.compat_slop_per_1000),
    "distinct_trigrams": Measure(lambda one: one.distinct_trigrams),
    "windowed_trigrams": Measure(lambda one: one.windowed_trigrams),
    "repeats": Measure(lambda one: one.repeats, is_rate=True),
    "repeated_lines": Measure(lambda one: one.repeated_lines),
    "leaks_per_1000": Measure(lambda one: one.leaks_per_1000),
    "code_switch": Measure(lambda one: one.code_switch, is_rate=True),
    "compat_code_switch": Measure(lambda one: one.compat_code_switch, is_rate=True),
    "length_ok": Measure(lambda one: one.length_ok, is_rate=True),
    "compat_length_ok": Measure(lambda one: one.compat_length_ok, is_rate=True),
    "length_ratio": Measure(lambda one: one.length_ratio),
    "speech_mixture": Measure(lambda one: one.speech_mixture),
    "politeness_mixture": Measure(lambda one: one.politeness_mixture),
    "checks_passed": Measure(_share_of_checks),
    "says_it_is_a_model": Measure(lambda one: one.disclosures > 0, is_rate=True),
    "speaks_to_the_judge": Measure(lambda one: bool(one.injection), is_rate=True),
}


def text_table(scored: Scored, model: str) -> dict[str, dict[str, Any]]:
    """By track: every measure over the texts for which it has a meaning, and what concerns all texts together."""
    return {str(track): _track(scored, model, units) for track, units in scored.main_units.items()}


def _track(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Any]:
    rows = _rows(scored, model, units)
    together = pooled(one.slop for one, _ in rows)
    return {
        **{name: found for name in MEASURES if (found := _estimate(MEASURES[name], rows)) is not None},
        "pooled_slop_per_1000": together.strong_per_1000 if together.characters else None,
        "slop_hits": together.strong,
        "slop_characters": together.characters,
        "speech_levels": dict(sorted(Counter(one.speech_level for one, _ in rows if one.speech_level).items())),
        "shared_openings": shared_openings(scored, model, units),
        "length_and_score": _length_and_score(scored, model, units),
    }


def _rows(scored: Scored, model: str, units: Sequence[Unit]) -> list[tuple[TextMetrics, str]]:
    return [(one, unit.item.id) for unit in units for one in measured(scored, model, [unit])]


def _estimate(measure: Measure, rows: Sequence[tuple[TextMetrics, str]]) -> Estimate | None:
    known = [(float(value), item) for one, item in rows if (value := measure.take(one)) is not None]
    if not known:
        return None
    values, items = [value for value, _ in known], [item for _, item in known]
    return proportion(values, items) if measure.is_rate else mean(values, items)


def shared_openings(scored: Scored, model: str, units: Sequence[Unit]) -> Estimate | None:
    """The share of texts that begin like a text to another item: how alike a model's texts are among themselves."""
    found = [
        (_opening(made.text), unit.item.id)
        for unit in units
        for made, _ in scored.samples(model, unit)
        if made is not None and len(_opening(made.text)) == OPENING
    ]
    if len(found) < 2:
        return None
    items: dict[str, set[str]] = {}
    for opening, item in found:
        items.setdefault(opening, set()).add(item)
    return proportion([float(len(items[opening]) > 1) for opening, _ in found], [item for _, item in found])


def _opening(text: str) -> str:
    start = unicodedata.normalize("NFC", text[: 20 * OPENING])
    return "".join(sign for sign in start if sign.isalpha())[:OPENING]


def _length_and_score(scored: Scored, model: str, units: Sequence[Unit]) -> Estimate | None:
    """Spearman's rho of length and rubric score over units (requirement B9)."""
    pairs = [
        (float(metrics[0].characters), value)
        for unit in units
        if (metrics := measured(scored, model, [unit])) and (value := scored.value(model, unit)) is not None
    ]
    if len(pairs) < 3:
        return None
    lengths, scores = [length for length, _ in pairs], [score for _, score in pairs]
    return spearman(lengths, scores, draws=CORRELATION_DRAWS, seed=scored.config.seed)
