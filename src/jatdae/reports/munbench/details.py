"""What stands behind a model's scores: groups, tags, criteria, spreads, contrast variants, gate, over-reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jatdae.benchmarks.munbench.cases import GATE
from jatdae.benchmarks.munbench.records import KIND_OF, EmotionItem, NuanceItem
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit
from jatdae.judging.validation.honorifics import honorific_criteria
from jatdae.reports.munbench.published import population_deviation, variant_sides
from jatdae.reports.munbench.scored import Pair, Scored, mean_score
from jatdae.stats import paired_difference, proportion
from jatdae.types import Estimate

FEWEST_PAIRS = 10
"""Below so many pairs a contrast is shown with its n, and nothing is claimed from it (requirement B17)."""
OVER_READ = 5.0
"""A sincere control is over-read when its subtext criterion is scored below this."""
_SUBTEXT = ("서브텍스트", "속뜻", "반어")


def track_details(scored: Scored, model: str) -> dict[str, dict[str, Any]]:
    """By track: the rubric's mean over what counts, over all and over answered; spreads; groups, tags, criteria."""
    return {str(track): _track(scored, model, track, units) for track, units in scored.main_units.items()}


def _track(scored: Scored, model: str, track: int, units: Sequence[Unit]) -> dict[str, Any]:
    criteria = criteria_table(scored, model, units)
    rubric = scored.work.dataset.rubrics[track].criteria
    found = {
        "rubric": scored.estimate(model, units),
        "rubric_over_all_items": scored.estimate(model, units, "all"),
        "rubric_over_answered_items": scored.estimate(model, units, "answered"),
        "spreads": spreads(scored, model, units),
        "groups": group_table(scored, model, units),
        "criteria": criteria,
        "honorifics": {name: criteria[name] for name in honorific_criteria(rubric) if name in criteria},
    }
    if track == 1:
        found["tags"] = tag_table(scored, model, units)
    return found


def group_table(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Estimate | None]:
    """The rubric's mean by domain, form or subtype."""
    groups = dict.fromkeys(unit.group for unit in units)
    return {group: scored.estimate(model, [unit for unit in units if unit.group == group]) for group in groups}


def tag_table(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Estimate | None]:
    """The rubric's mean by phenomenon; an item counts under each of its tags."""
    tagged = [(unit, unit.item.phenomena) for unit in units if isinstance(unit.item, EmotionItem)]
    tags = sorted({tag for _, own in tagged for tag in own})
    return {tag: scored.estimate(model, [unit for unit, own in tagged if tag in own]) for tag in tags}


def criteria_table(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Estimate]:
    """Each criterion's mean over the samples to which it applies."""
    pairs = scored.judged(model, units)
    names = dict.fromkeys(name for pair in pairs for name in pair.score.criteria)
    return {name: _criterion_mean(name, pairs) for name in names}


def _criterion_mean(name: str, pairs: Iterable[Pair]) -> Estimate:
    kept = [pair for pair in pairs if name in pair.score.criteria]
    return mean_score([pair.score.criteria[name] for pair in kept], [pair.unit.item.id for pair in kept])


def spreads(scored: Scored, model: str, units: Sequence[Unit]) -> dict[str, Any]:
    """Three spreads that are not the same thing, in points, each with the number that it rests on.

    `item_spread`: population standard deviation over items. `judge_repeatability`: mean standard deviation of one
    judge's iterations on one text. `judge_disagreement`: mean standard deviation of the judges' means on one text. The
    latter two leave out texts that were scored without a call, and are None where there is nothing to compare.
    """
    values = list(scored.values(model, units).values())
    asked = [pair for pair in scored.judged(model, units) if not pair.score.forced]
    repeated, compared = [], []
    for pair in asked:
        counting = [one for one in pair.score.judges if one.judge not in pair.score.judges_excluded]
        item = pair.unit.item.id
        repeated += [(one.std, item) for one in counting if one.iterations > 1 and one.std is not None]
        spread = pair.score.judge_disagreement_std
        if spread is not None and sum(one.mean is not None for one in counting) > 1:
            compared.append((spread, item))
    return {
        "item_spread": population_deviation(values) if len(values) > 1 else None,
        "item_spread_n": len(values),
        "judge_repeatability": _mean_of(repeated),
        "judge_disagreement": _mean_of(compared),
    }


def _mean_of(rows: Sequence[tuple[float, str]]) -> Estimate | None:
    return mean_score([value for value, _ in rows], [item for _, item in rows]) if rows else None


def variant_table(scored: Scored, model: str) -> dict[str, dict[str, Any]]:
    """Main prompt minus contrast prompt by kind, paired by item. `claim_allowed` from 10 pairs on."""
    found: dict[str, dict[str, Any]] = {}
    for subtype, kind in KIND_OF.items():
        sides = list(variant_sides(scored, model, subtype).values())
        if sides:
            difference = paired_difference([one for one, _ in sides], [other for _, other in sides])
            found[kind] = {"difference": difference, "n": len(sides), "claim_allowed": len(sides) >= FEWEST_PAIRS}
    return found


def gate_failures(scored: Scored, model: str) -> Estimate | None:
    """The share of track-3 texts on which a gated honorific criterion is under 3 points; `compat` has no gate."""
    if scored.is_compat:
        return None
    pairs = scored.judged(model, scored.main_units.get(3, []))
    gated = [pair for pair in pairs if any(name in pair.score.criteria for name in GATE)]
    hits = [float(pair.score.gate_failed) for pair in gated]
    return proportion(hits, [pair.unit.item.id for pair in gated]) if gated else None


def over_reading(scored: Scored, model: str) -> dict[str, Any] | None:
    """The share of sincere controls in which hurt was seen that is not there; None without a scored control."""
    controls = [unit for unit in scored.work.units if _is_control(unit)]
    judged = scored.judged(model, controls)
    if not judged:
        return None
    rate = proportion([float(_is_over_read(pair)) for pair in judged], [pair.unit.item.id for pair in judged])
    return {"rate": rate, "n": len(judged), "claim_allowed": len(judged) >= FEWEST_PAIRS}


def _is_control(unit: Unit) -> bool:
    item = unit.item
    if unit.variant != NEUTRAL or not isinstance(item, NuanceItem) or item.variant is None:
        return False
    return item.variant.kind == "sincere_control" and item.variant.scorable


def _is_over_read(pair: Pair) -> bool:
    """By the criterion on subtext, or by the whole rubric where there is none."""
    own = [score for name, score in pair.score.criteria.items() if any(word in name for word in _SUBTEXT)]
    scores = own or [pair.score.final_mean or 0.0]
    return sum(scores) / len(scores) < OVER_READ
