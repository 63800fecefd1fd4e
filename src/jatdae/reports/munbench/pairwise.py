"""The comparisons: ratings as `ratings.json` has them, if it is of the present games; wins; what moves the judges."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.games import Comparison, games
from jatdae.evaluate.munbench.rating_stage import games_hash
from jatdae.judging.validation.position import PositionBias, position_bias
from jatdae.judging.validation.preference import own_wins
from jatdae.reports.munbench.publishing import MOST_MISSING, Banner
from jatdae.reports.munbench.scored import Scored
from jatdae.stats.ratings import Game, RatedModel, Rating
from jatdae.types import Estimate

_FIRST = "first"
_ROWS, _RATINGS = TypeAdapter(list[RatedModel]), TypeAdapter(list[Rating])
_ESTIMATES = TypeAdapter(dict[str, Estimate])


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """What the rating stage wrote. `raw` and `controlled` are from single orders, without and with style taken out."""

    rows: Mapping[str, RatedModel]
    raw: Mapping[str, Rating] = field(default_factory=dict)
    controlled: Mapping[str, Rating] = field(default_factory=dict)
    coefficients: Mapping[str, Estimate] = field(default_factory=dict)
    elo_compat: Mapping[str, float] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Comparisons:
    """All of a run's comparisons and what was made of them."""

    scored: Scored

    @property
    def found(self) -> list[Comparison]:
        return self.scored.evidence.comparisons

    @cached_property
    def counted(self) -> list[Game]:
        return self._counted(self.scored.evidence)

    def _counted(self, evidence: Evidence) -> list[Game]:
        by_family = self.scored.config.rubric.self_judging == "exclude_family"
        return games(evidence.comparisons, families=evidence.identities if by_family else None)

    @cached_property
    def _file(self) -> Mapping[str, Any] | None:
        """The ratings file's content; None where it is absent or no JSON object."""
        path = self.scored.work.folder.path / "ratings.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @property
    def is_stale(self) -> bool:
        """Whether there are games or ratings, and the ratings are not of the games."""
        if self.ratings is not None:
            return False
        return bool(self.counted or (self._file or {}).get("n_games"))

    @cached_property
    def ratings(self) -> StoredRatings | None:
        """The ratings, if they are of the games of this run or, where it was narrowed down, of the whole folder."""
        file = self._file
        if not file or not file.get("n_games") or not self._is_of_present_games(file.get("game_set_hash")):
            return None
        try:
            style = file.get("style") or {"raw": [], "controlled": [], "coefficients": {}}
            return StoredRatings(
                rows={row.rating.model: row for row in _ROWS.validate_python(file["ratings"])},
                raw={one.model: one for one in _RATINGS.validate_python(style["raw"])},
                controlled={one.model: one for one in _RATINGS.validate_python(style["controlled"])},
                coefficients=_ESTIMATES.validate_python(style["coefficients"]),
                elo_compat=TypeAdapter(dict[str, float]).validate_python(file["elo_compat"]),
                record=file,
            )
        except (ValidationError, KeyError, TypeError):
            return None

    def _is_of_present_games(self, stored: object) -> bool:
        if stored == games_hash(self.counted):
            return True
        return stored == games_hash(self._counted(Evidence(self.scored.work.whole)))

    def published_elo(self, model: str) -> float | None:
        """The number that the published harness has: its own procedure in `compat`, the headline in `standard`."""
        if self.ratings is None or self.withheld:
            return None
        if self.scored.is_compat:
            return self.ratings.elo_compat.get(model)
        row = self.ratings.rows.get(model)
        return row.rating.value if row else None

    def row(self, model: str) -> dict[str, Any] | None:
        """All that is known of one model's rating."""
        if self.ratings is None or model not in self.ratings.rows:
            return None
        row = self.ratings.rows[model]
        raw, controlled = self.ratings.raw.get(model), self.ratings.controlled.get(model)
        return {
            "estimate": row.rating.estimate,
            "rank_range": row.ranks,
            "kind": row.rating.kind,
            "bounded_by_prior": row.rating.bound if row.rating.bounded_by_prior else "",
            "games": row.rating.games,
            "points": row.rating.points,
            "note": row.rating.note,
            "by_judge": dict(row.by_judge),
            "by_track": dict(row.by_track),
            "without_judge": dict(row.without_judge),
            "single_orders": raw.estimate if raw else None,
            "style_controlled": controlled.estimate if controlled else None,
            "elo_compat": self.ratings.elo_compat.get(model),
        }

    def missing_by_judge(self) -> dict[str, float]:
        """The share of a judge's comparisons that lack an outcome; judges without a comparison are left out."""
        lacking: dict[str, list[bool]] = {}
        for one in self.found:
            lacking.setdefault(one.judge, []).append(one.outcome is None)
        return {judge: sum(all_of) / len(all_of) for judge, all_of in sorted(lacking.items())}

    @cached_property
    def withheld(self) -> list[Banner]:
        """Why no rating is a headline; `compat` withholds none, as published."""
        if self.scored.is_compat:
            return []
        return [
            Banner("verdicts_missing", {"judge": judge, "share": f"{100 * share:.1f}"})
            for judge, share in self.missing_by_judge().items()
            if share > MOST_MISSING
        ]

    def banners(self) -> list[Banner]:
        alarms = [
            Banner("position_alarm", {"judge": one.judge, "share": f"{100 * one.orders.flips.value:.1f}"})
            for one in position_bias(self.scored.evidence.verdicts)
            if one.alarm and one.orders.flips
        ]
        return [*([Banner("ratings_stale", {})] if self.is_stale else []), *self.withheld, *alarms]

    def wins(self) -> list[dict[str, Any]]:
        """Every pair that met: games, and the points of the one that comes first in the alphabet."""
        points: dict[tuple[str, str], list[float]] = {}
        for game in self.counted:
            points.setdefault((game.a, game.b), []).append(game.score)
        return [
            {"a": a, "b": b, "games": len(scores), "points_a": sum(scores)} for (a, b), scores in sorted(points.items())
        ]

    def record(self) -> dict[str, Any]:
        """The part of the leaderboard on comparisons."""
        stored = self.ratings
        kept = ("method", "mode", "settings", "n_items", "notes", "drift", "unfrozen", "components")
        coefficients = stored.coefficients if stored else {}
        return {
            "comparisons": len(self.found),
            "games": len(self.counted),
            "self_judged": sum(one.self_judged for one in self.found),
            "missing_by_judge": self.missing_by_judge(),
            "ratings_are_stale": self.is_stale,
            "ratings": {name: stored.record.get(name) for name in kept} if stored else None,
            "position": {one.judge: self._position(one) for one in position_bias(self.scored.evidence.verdicts)},
            "first_shown": {name: one for name, one in coefficients.items() if _is_first(name)},
            "style": {name: one for name, one in coefficients.items() if not _is_first(name)},
            "wins": self.wins(),
            "own_wins": own_wins(self.scored.evidence.verdicts, self.scored.evidence.identities),
        }

    @staticmethod
    def _position(one: PositionBias) -> dict[str, Any]:
        return {
            "comparisons": one.orders.comparisons,
            "flips": one.orders.flips,
            "consistency": one.orders.consistency,
            "first_wins": one.orders.first_wins,
            "longer_wins": one.longer_wins,
            "ties": one.orders.ties,
            "alarm": one.alarm,
        }


def _is_first(name: str) -> bool:
    return name == _FIRST or name.startswith(f"{_FIRST}: ")
