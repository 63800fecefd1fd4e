"""All games, and each track's, as fits of every judge: the same for the data and for their resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jatdae.errors import RequestError
from jatdae.stats.clusters import Floats
from jatdae.stats.ratings.anchors import Prior, Scale
from jatdae.stats.ratings.averaging import RESAMPLED, Panel, average, defined, headline, judge_strengths, panel, placed
from jatdae.stats.ratings.fit import fit
from jatdae.stats.ratings.games import Columns
from jatdae.stats.ratings.newton import ELO, EXACT, ORIGIN
from jatdae.stats.ratings.resampling import ItemTables, equal_tracks, item_tables
from jatdae.stats.ratings.separation import Mask


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Ratings (Elo, NaN where none) with one row for the data, or one a resample.

    `main` (rows, models) is of all games; `judges` (rows, judges, models) and `tracks` (rows, tracks, models) of one
    judge's and one track's.
    """

    main: Floats
    judges: Floats
    tracks: Floats


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One choice of games: all with tracks at equal weight, or one track's.

    `wins` (judges, models, models) and `strengths` (judges, models; nat) are those of the data.
    """

    wins: Floats
    panel: Panel
    strengths: Floats

    def doubts(self, prior: Prior) -> Floats:
        """Model-based errors (Elo) under each judge (judges, models), from the origin of the panel."""
        errors = np.zeros(self.strengths.shape)
        for at, table in enumerate(self.wins):
            found = fit(table, self.panel.placing, prior)
            origin = self.panel.origin & found.estimated
            slopes = np.eye(len(origin))
            if origin.any() and not self.panel.placing.is_held:
                slopes = slopes - origin / origin.sum()
            errors[at] = ELO * np.sqrt(((slopes @ found.inverse) * slopes).sum(axis=1))
        return errors


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The view of all games, and those of the tracks where there is more than one."""

    placing: Scale
    prior: Prior
    tables: ItemTables
    main: View
    tracks: tuple[View, ...]

    def data(self) -> Values:
        """The ratings from the data themselves. Raises RequestError where two pins cannot stretch the scale."""
        values = self._values(self.tables.totals(np.ones((1, self.tables.items))), self._held(1), None, EXACT)
        if self.placing.pins is not None and self.main.panel.linked.rated.any() and np.isnan(values.main).all():
            names = " and ".join(repr(self.placing.models[at]) for at in self.placing.pins)
            raise RequestError(f"anchors {names} are not rated apart in the order of their values; choose 'mean_pin'")
        return values

    def resampled(self, data: Values, draws: int, random: np.random.Generator) -> Values:
        """The ratings from `draws` resamples of the items, and of the held values where these are uncertain."""
        held, parts, done = self._held(draws, random), [], 0
        for counts in self.tables.resamples(draws, random):
            part = held[done : done + len(counts)]
            parts.append(self._values(self.tables.totals(counts), part, data, RESAMPLED))
            done += len(counts)
        if not parts:
            return Values(data.main[:0], data.judges[:0], data.tracks[:0])
        return Values(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("main", "judges", "tracks"))
        )

    def without_judge(self, judge: int) -> Floats:
        """The ratings of all games but one judge's, from the data."""
        kept = np.arange(len(self.main.wins)) != judge
        wins = self.main.wins[kept]
        others = panel(wins, self.placing)
        mean, known = average(self.main.strengths[None, kept], defined(wins[None], self.placing), others)
        return headline(mean, known, others)[0][0]

    def _values(self, totals: Floats, held: Floats, data: Values | None, within: float) -> Values:
        strengths, known = self._fitted(self.main, equal_tracks(totals), held, within)
        mean, met = average(strengths, known, self.main.panel)
        main, factor = headline(mean, met, self.main.panel, None if data is None else data.main[0])
        reference = main[0] if data is None else data.main[0]

        def column(values: Floats, rated: Mask) -> Floats:
            if self.placing.is_held:
                return np.where(rated, ORIGIN + ELO * values, np.nan)
            return placed(values, rated, self.main.panel.origin, reference, factor)

        each = self.main.panel.each
        judges = [column(strengths[:, at], known[:, at] & each[at].rated) for at in range(len(each))]
        tracks = []
        for at, view in enumerate(self.tracks):
            mean, met = average(*self._fitted(view, totals[:, at], held, within), view.panel)
            tracks.append(column(mean, met & view.panel.linked.rated))
        return Values(main, np.stack(judges, axis=1), np.stack(tracks, axis=1) if tracks else main[:, None])

    def _fitted(self, view: View, wins: Floats, held: Floats, within: float) -> tuple[Floats, Mask]:
        start = np.where(self.placing.fixed, held[:, None, :], view.strengths)
        return judge_strengths(wins, start, self.placing, self.prior, within), defined(wins, self.placing)

    def _held(self, rows: int, random: np.random.Generator | None = None) -> Floats:
        """Strengths of the held models in each row, drawn from their covariance; 0 for the others."""
        values = np.where(self.placing.fixed, (self.placing.values - ORIGIN) / ELO, 0.0)
        held = np.tile(values, (rows, 1))
        if random is None or not self.placing.covariance.any():
            return held
        size, direction = np.linalg.eigh(self.placing.covariance)
        noise = random.standard_normal(held.shape) * np.sqrt(np.maximum(size, 0.0))
        return held + np.where(self.placing.fixed, noise @ direction.T / ELO, 0.0)


def views(games: Columns, placing: Scale, prior: Prior) -> Views:
    """The views of the games, fitted to them."""
    tables = item_tables(games)
    totals = tables.totals(np.ones((1, tables.items)))
    several = totals.shape[1] > 1
    held = np.where(placing.fixed, (placing.values - ORIGIN) / ELO, 0.0)

    def view(wins: Floats) -> View:
        start = np.tile(held, (1, len(games.judges), 1))
        return View(wins[0], panel(wins[0], placing), judge_strengths(wins, start, placing, prior, EXACT)[0])

    tracks = tuple(view(totals[:, at]) for at in range(totals.shape[1])) if several else ()
    return Views(placing, prior, tables, view(equal_tracks(totals)), tracks)
