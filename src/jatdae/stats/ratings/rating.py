"""From games to the table of ratings: one fit a judge, judges and tracks weighted the same, intervals by items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from jatdae.stats.bootstrap import seed_from
from jatdae.stats.clusters import Floats
from jatdae.stats.ratings.anchors import HELD, Prior, Scale, scale
from jatdae.stats.ratings.calibration import AnchorTest, drift
from jatdae.stats.ratings.fit import Counts, count, named_components, notes, why_unrated
from jatdae.stats.ratings.games import Columns, Game, columns, equal_weights, without_self_judged
from jatdae.stats.ratings.newton import ORIGIN
from jatdae.stats.ratings.records import Rating, side
from jatdae.stats.ratings.resampling import rank_ranges, share_above
from jatdae.stats.ratings.separation import Structure
from jatdae.stats.ratings.table import RatedModel, RatingSettings, RatingTable, summary
from jatdae.stats.ratings.views import Values, Views, views
from jatdae.types import Estimate


def rate(games: Sequence[Game], settings: RatingSettings | None = None) -> RatingTable:
    """Ratings of all models: Bradley-Terry, fitted for each judge and averaged, with intervals from resampled items.

    Games that a contestant judged do not count. Scores may be fractions (both orders of a comparison averaged). Within
    a judge every track has the same weight. Neither the order of the games nor the names of the models matter. Models
    without a game that counts are unrated. Raises RequestError on settings that do not fit the games.
    """
    chosen = settings or RatingSettings()
    kept, own = without_self_judged(games, chosen.identity)
    table = columns(kept, {game.a for game in games} | {game.b for game in games})
    placing = scale(table.models, chosen.anchors, chosen.mode, chosen.frozen, chosen.anchor_covariance)
    if not kept:
        rows = tuple(RatedModel(_unrated(placing, at), None, {}, {}, {}) for at in range(len(table.models)))
        return RatingTable(rows, placing.mode, {}, (), (), 0, 0, len(own), (), ("no game counts",))
    found = views(table, placing, Prior(chosen.prior_games, chosen.prior_sd))
    data = found.data()
    random = np.random.default_rng(seed_from("ratings", "items", str(chosen.seed)))
    drawn = found.resampled(data, chosen.draws, random)
    linked = found.main.panel.linked
    return RatingTable(
        rows=_Rows(table, found, data, drawn).all(),
        mode=placing.mode,
        ahead=_ahead(table, data.main[0], drawn.main),
        judges=table.judges,
        tracks=table.tracks,
        games=len(kept),
        items=table.items,
        self_judged=len(own),
        components=named_components(linked, table.models, data.main[0]),
        notes=notes(linked, placing, found.prior),
        drift=_drift(table, placing, chosen, found.prior),
        unfrozen=_unfrozen(games, chosen),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of the table, from the ratings of the data and of their resamples."""

    games: Columns
    found: Views
    data: Values
    drawn: Values

    def all(self) -> tuple[RatedModel, ...]:
        """The best first, the unrated last."""
        main, models = self.data.main[0], self.games.models
        headline, judges, tracks = self._headline(), self._by_judge(), self._by_track()
        ranks, others = rank_ranges(self.drawn.main), self._without_judge()
        rows = [
            RatedModel(
                rating=self._rating(at, headline[at]),
                ranks=ranks[at],
                by_judge={judge: judges[judge][at] for judge in judges},
                by_track={track: tracks[track][at] for track in tracks},
                without_judge={judge: _number(others[judge][at]) for judge in others},
                unsettled=self._unsettled(at),
            )
            for at in range(len(models))
        ]
        order = sorted(range(len(rows)), key=lambda at: (np.isnan(main[at]), -np.nan_to_num(main[at]), models[at]))
        return tuple(rows[at] for at in order)

    def _rating(self, at: int, estimate: Estimate | None) -> Rating:
        linked, counts = self.found.main.panel.linked, self._counts
        note = "" if estimate else why_unrated(bool(linked.rated[at]))
        bound = side(bool(linked.above[at]), bool(linked.below[at]))
        kind, games, points = self.found.placing.kind(at), int(counts.games[at]), float(counts.points[at])
        return Rating(self.games.models[at], estimate, kind, bound, games, points, note)

    @property
    def _counts(self) -> Counts:
        return count(self.games)

    def _headline(self) -> list[Estimate | None]:
        view, judges = self.found.main, len(self.games.judges)
        doubts = view.doubts(self.found.prior).mean(axis=0)
        what = f"mean of {judges} judges" if judges > 1 else "one judge"
        return self._column(self.data.main[0], self.drawn.main, self.games, view.panel.linked, doubts, what)

    def _by_judge(self) -> dict[str, list[Estimate | None]]:
        doubts, columns_of = self.found.main.doubts(self.found.prior), {}
        for at, judge in enumerate(self.games.judges):
            if judge:
                games, linked = self.games.only(self.games.judge == at), self.found.main.panel.each[at]
                values, drawn = self.data.judges[0, at], self.drawn.judges[:, at]
                columns_of[judge] = self._column(values, drawn, games, linked, doubts[at], "one judge")
        return columns_of

    def _by_track(self) -> dict[str, list[Estimate | None]]:
        columns_of = {}
        for at, track in enumerate(self.games.tracks):
            if track:
                games = self.games.only(self.games.track == at)
                view = self.found.tracks[at] if self.found.tracks else self.found.main
                doubts = view.doubts(self.found.prior).mean(axis=0)
                values, drawn = self.data.tracks[0, at], self.drawn.tracks[:, at]
                columns_of[track] = self._column(values, drawn, games, view.panel.linked, doubts, "one track")
        return columns_of

    def _column(
        self, values: Floats, drawn: Floats, games: Columns, linked: Structure, doubts: Floats, what: str
    ) -> list[Estimate | None]:
        counts, items = count(games), int(np.unique(games.item).size)
        played = np.zeros_like(counts.games) if counts.items is None else counts.items
        method = f"Bradley-Terry, {what}, {self.found.prior}, {len(drawn)} resamples of {items} items"
        return [
            summary(
                float(values[at]),
                drawn[:, at],
                int(counts.games[at]),
                int(played[at]),
                method,
                side(bool(linked.above[at]), bool(linked.below[at])),
                float(doubts[at]),
            )
            for at in range(len(values))
        ]

    def _without_judge(self) -> Mapping[str, Floats]:
        names = self.games.judges
        return {name: self.found.without_judge(at) for at, name in enumerate(names)} if len(names) > 1 else {}

    def _unsettled(self, at: int) -> tuple[str, ...]:
        each = self.found.main.panel.each
        apart = [bool(own.above[at] or own.below[at]) for own in each]
        return tuple(judge for judge, is_apart in zip(self.games.judges, apart, strict=True) if is_apart)


def _unrated(placing: Scale, at: int) -> Rating:
    return Rating(placing.models[at], None, placing.kind(at), "", 0, 0.0, why_unrated(False))


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _ahead(table: Columns, main: Floats, drawn: Floats) -> dict[tuple[str, str], float]:
    rated = np.flatnonzero(np.isfinite(main)).tolist()
    shares = {(a, b): share_above(drawn, a, b) for a in rated for b in rated if a != b}
    return {(table.models[a], table.models[b]): share for (a, b), share in shares.items() if share is not None}


def _drift(table: Columns, placing: Scale, settings: RatingSettings, prior: Prior) -> AnchorTest | None:
    """The test of the anchors that are held, every judge and track counting the same."""
    if placing.mode not in HELD:
        return None
    given = dict(settings.anchors) if isinstance(settings.anchors, Mapping) else {}
    held = dict.fromkeys(settings.anchors, ORIGIN) | given
    return drift(table.weighted(equal_weights(table)), held, settings.anchor_covariance, prior)


def _unfrozen(games: Sequence[Game], settings: RatingSettings) -> dict[str, float]:
    """How far each frozen model moves when nothing is frozen."""
    if not settings.frozen:
        return {}
    free = rate(games, replace(settings, frozen={}, draws=0)).values
    return {name: free[name] - value for name, value in settings.frozen.items() if name in free}
