"""The leaderboard as one record: what `leaderboard.json` holds, and what all tables are made of.

The published fields stand under their own names and by their own rules; everything else stands beside them. The same
records give the same bytes, but for the block `generated`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from jatdae.evaluate.munbench.config import RULE, ModelEntry, is_file, is_rule, reference_of
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.reports.munbench.details import gate_failures, over_reading, track_details, variant_table
from jatdae.reports.munbench.items import item_table
from jatdae.reports.munbench.pairwise import Comparisons
from jatdae.reports.munbench.panel import Panel
from jatdae.reports.munbench.published import (
    completion,
    culture_pair,
    judge_means,
    published_overall,
    published_tracks,
)
from jatdae.reports.munbench.publishing import Banner, Publishing, is_validated_against_people
from jatdae.reports.munbench.scored import Scored
from jatdae.reports.munbench.standing import lead, noise_floor, overall, rank_ranges, ranks
from jatdae.reports.munbench.texts import text_table
from jatdae.reports.munbench.words import Words

FORMAT = 1
DIGITS = 6
"""Decimals that are written: the last digits of a float depend on the machine."""
ROUTES = {"claude-cli": "cli", "codex-cli": "cli", "hf": "local"}


@dataclass(frozen=True)
class Board:
    """A leaderboard. `record` is the content of `leaderboard.json`; figures in it are `Estimate`s until written.

    `least_coverage` is the smallest share of planned samples that any model answered.
    """

    record: dict[str, Any]
    banners: tuple[Banner, ...]
    least_coverage: float


def leaderboard(work: Workspace) -> Board:
    """The leaderboard of a results folder, from its records alone."""
    found = _Making(Scored(work))
    record = rounded(found.record())
    record["generated"] = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "jatdae": version("jatdae")}
    covered = [found.publishing.coverage(model) for model in found.scored.models]
    return Board(record, tuple(found.banners), min(covered, default=0.0))


@dataclass
class _Making:
    """The parts of one leaderboard, each made once."""

    scored: Scored

    @cached_property
    def publishing(self) -> Publishing:
        return Publishing(self.scored)

    @cached_property
    def comparisons(self) -> Comparisons:
        return Comparisons(self.scored)

    @cached_property
    def panel(self) -> Panel:
        return Panel(self.scored)

    @cached_property
    def banners(self) -> list[Banner]:
        routes = {_route(entry) for entry in self.scored.work.contestants}
        mixed = [Banner("cli_route", {})] if "cli" in routes and routes - {"cli"} else []
        brought = [Banner("brought", {})] if "file" in routes else []
        return [*self.comparisons.banners(), *self.publishing.banners(), *mixed, *brought]

    def record(self) -> dict[str, Any]:
        scored, config = self.scored, self.scored.config
        rows, floor = self._ranked(), noise_floor(self.scored, self.scored.models)
        english = Words("en")
        return {
            "format": FORMAT,
            "benchmark": "munbench",
            "profile": config.profile,
            "provisional": not is_validated_against_people(scored),
            "validated_against_people": is_validated_against_people(scored),
            "banners": [{"code": one.code, "text": english.banner(one.code, one.values)} for one in self.banners],
            "judges": scored.evidence.judges,
            "rows": rows,
            "dataset_hash": scored.work.dataset.hash,
            "units": {
                "planned": len(scored.work.units),
                **{str(track): len(units) for track, units in scored.main_units.items()},
            },
            "settings": {
                "rubric_iterations": config.rubric_iterations,
                "samples_per_item": config.samples_per_item,
                "min_judges": config.min_judges,
                "self_judging": config.rubric.self_judging,
                "missing_policy": config.missing_policy,
                "min_coverage": config.publish.min_coverage,
                "seed": config.seed,
            },
            "noise_floor": floor,
            "judge_details": self._judges(),
            "judge_matrix": self.panel.matrix(),
            "self_preference": self.panel.preferences(),
            "without_each_judge": self.panel.without_each(self._published),
            "missing_by_model": self.publishing.missing_by_model(),
            "pairwise": self.comparisons.record(),
            "items": item_table(scored),
        }

    @cached_property
    def _published(self) -> list[str]:
        """The models whose overall score is not withheld."""
        return [model for model in self.scored.models if not self.publishing.withheld(model)]

    def _ranked(self) -> list[dict[str, Any]]:
        """The rows, the best first and those without an overall score last, with ranks that treat noise as ties."""
        rows = [self._row(entry) for entry in self.scored.work.contestants]
        rows.sort(key=lambda row: (-_score(row), row["model"]))
        values = {row["model"]: _score(row) for row in rows if row["overall_rubric_mean"] is not None}
        floor, ordered = noise_floor(self.scored, self.scored.models), list(values)
        places, ranges = ranks(values, floor.points if floor else 0.0), rank_ranges(self.scored, ordered)
        following = dict(pairwise(ordered))
        for row in rows:
            model = row["model"]
            row["rank"], row["rank_range"] = places.get(model), ranges.get(model)
            row["rank_is_tied"] = list(places.values()).count(places.get(model, 0)) > 1
            behind = following.get(model)
            row["lead_over_next"] = lead(self.scored, model, behind) if behind else None
        return rows

    def _row(self, entry: ModelEntry) -> dict[str, Any]:
        scored, model = self.scored, entry.id
        withheld, tracks = self.publishing.withheld(model), published_tracks(scored, model)
        return {
            "model": model,
            "overall_rubric_mean": None if withheld else published_overall(tracks),
            "elo": self.comparisons.published_elo(model),
            "tracks": tracks,
            "completion": completion(scored, model),
            "judge_means": judge_means(scored, model),
            "culture_pair": culture_pair(scored, model),
            "route": _route(entry),
            "anchor": model in scored.config.pairwise.anchors,
            "withheld": withheld,
            "overall": None if withheld else overall(scored, model),
            "overall_over_all_items": overall(scored, model, "all"),
            "overall_over_answered_items": overall(scored, model, "answered"),
            "coverage": self.publishing.coverage_record(model),
            "track_details": track_details(scored, model),
            "texts": text_table(scored, model),
            "variants": variant_table(scored, model),
            "over_reading": over_reading(scored, model),
            "gate_failures": gate_failures(scored, model),
            "rating": self.comparisons.row(model),
        }

    def _judges(self) -> dict[str, dict[str, Any]]:
        missing = self.publishing.missing_by_judge()
        return {
            entry.id: {
                "route": RULE if is_rule(entry) else _route(entry),
                "leniency": self.panel.offsets.get(entry.id),
                "missing": missing[entry.id],
            }
            for entry in self.scored.config.judges
        }


def _score(row: Mapping[str, Any]) -> float:
    value = row["overall_rubric_mean"]
    return float("-inf") if value is None else value


def _route(entry: ModelEntry) -> str:
    """How a model is reached: `api`, `cli`, `local`, or `file` for texts that people or others wrote."""
    return "file" if is_file(entry) else ROUTES.get(reference_of(entry).backend, "api")


def rounded(value: Any) -> Any:
    """A record with every float rounded; NaN and infinity, which JSON lacks, become None."""
    if isinstance(value, float):
        return None if value != value or value in (float("inf"), float("-inf")) else round(value, DIGITS) + 0.0
    if isinstance(value, Mapping):
        return {name: rounded(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: rounded(getattr(value, one.name)) for one in fields(value)})
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [rounded(one) for one in value]
    return value
