"""The judges side by side: what each gives to each model, whom it favours, and what the order is without it.

Source: MunBench specification, section 7 (per-judge and self-preference view) and requirements B3, B4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.evidence import Key
from jatdae.judging.severity import SeverityFit, fit_severity
from jatdae.reports.munbench.published import average
from jatdae.reports.munbench.scored import Scored, mean_score
from jatdae.reports.munbench.standing import ranks
from jatdae.stats import mean, paired_difference
from jatdae.types import Estimate

Relation = Literal["own", "family", ""]


@dataclass(frozen=True, slots=True)
class Residual:
    """How far a judge lies from the other judges on one sample, everyone's leniency taken off."""

    key: Key
    item: str
    judge: str
    value: float


@dataclass
class Panel:
    """Views of the judges over all that they judged, contrast variants included.

    Leniency is fitted (score = sample + judge) without judges of the author's family, so that no preference gets into
    it. A residual compares a judge with the other judges that are no kin of the author.
    """

    scored: Scored

    @property
    def judges(self) -> list[str]:
        return self.scored.evidence.judges

    @cached_property
    def relations(self) -> dict[tuple[str, str], Relation]:
        """How a judge (second) is related to a model (first)."""
        identities = self.scored.evidence.identities
        found: dict[tuple[str, str], Relation] = {}
        for model in self.scored.models:
            for judge in self.judges:
                kin = "family" if identities.kin(judge, model) else ""
                found[model, judge] = "own" if identities.same(judge, model) else kin
        return found

    @cached_property
    def means(self) -> dict[Key, dict[str, float]]:
        """Each judge's mean of each sample that was asked about; texts scored without a call are not."""
        return {
            key: {one.judge: one.mean for one in score.judges if one.mean is not None}
            for key, score in self.scored.evidence.samples.items()
            if not score.forced
        }

    @cached_property
    def severity(self) -> SeverityFit | None:
        """The judges' leniency; None without a score by a stranger."""
        rows = [
            ("\n".join(map(str, key)), judge, value)
            for key, given in self.means.items()
            for judge, value in given.items()
            if not self.relations[key[0], judge]
        ]
        return fit_severity(rows) if rows else None

    @property
    def offsets(self) -> Mapping[str, float]:
        return self.severity.offsets if self.severity else {}

    @cached_property
    def residuals(self) -> list[Residual]:
        found: list[Residual] = []
        for key, given in self.means.items():
            adjusted = {judge: value - self.offsets[judge] for judge, value in given.items() if judge in self.offsets}
            strangers = {judge: value for judge, value in adjusted.items() if not self.relations[key[0], judge]}
            for judge, value in adjusted.items():
                others = average([other for name, other in strangers.items() if name != judge])
                if others is not None:
                    item = self.scored.evidence.units[key[1]].item.id
                    found.append(Residual(key, item, judge, value - others))
        return found

    def matrix(self) -> dict[str, dict[str, dict[str, Any]]]:
        """By model and judge: mean, rank among the judge's means, residual, relation."""
        given = {judge: self._by_judge(judge) for judge in self.judges}
        left = self._residual_means()
        return {
            model: {
                judge: {
                    "mean": given[judge][0].get(model),
                    "rank": given[judge][1].get(model),
                    "residual": left.get((model, judge)),
                    "relation": self.relations[model, judge],
                }
                for judge in self.judges
            }
            for model in self.scored.models
        }

    def _by_judge(self, judge: str) -> tuple[dict[str, Estimate], dict[str, int]]:
        rows: dict[str, list[tuple[float, str]]] = {}
        for (model, unit, _), score in self.scored.evidence.samples.items():
            for one in score.judges:
                if one.judge == judge and one.mean is not None:
                    rows.setdefault(model, []).append((one.mean, self.scored.evidence.units[unit].item.id))
        means = {
            model: mean_score([value for value, _ in found], [item for _, item in found])
            for model, found in rows.items()
        }
        return means, ranks({model: one.value for model, one in means.items()}, 0.0)

    def _residual_means(self) -> dict[tuple[str, str], Estimate]:
        rows: dict[tuple[str, str], list[Residual]] = {}
        for one in self.residuals:
            rows.setdefault((one.key[0], one.judge), []).append(one)
        return {pair: mean([one.value for one in found], [one.item for one in found]) for pair, found in rows.items()}

    def preferences(self) -> dict[str, dict[str, Estimate | None]]:
        """By judge: how many points more it gives to its own texts, and to its family's, than to others'.

        Residual on own minus mean residual on others, paired by item; None for a judge without such texts.
        """
        return {
            judge: {"own": self._preference(judge, "own"), "family": self._preference(judge, "family")}
            for judge in self.judges
        }

    def _preference(self, judge: str, relation: Relation) -> Estimate | None:
        mine, others = self._by_item(judge, relation), self._by_item(judge, "")
        shared = [item for item in mine if item in others]
        if not shared:
            return None
        return paired_difference([mine[item] for item in shared], [others[item] for item in shared], shared)

    def _by_item(self, judge: str, relation: Relation) -> dict[str, float]:
        rows: dict[str, list[float]] = {}
        for one in self.residuals:
            if one.judge == judge and self.relations[one.key[0], judge] == relation:
                rows.setdefault(one.item, []).append(one.value)
        return {item: sum(values) / len(values) for item, values in sorted(rows.items())}

    def without_each(self, models: Sequence[str]) -> dict[str, Any]:
        """The order with each judge removed: overall, rank and shift of each model, and the greatest shifts."""
        if len(self.judges) < 2:
            return {}
        whole = {model: value for model in models if (value := self._overall(model, None)) is not None}
        before = ranks(whole, 0.0)
        found: dict[str, Any] = {}
        for judge in self.judges:
            values = {model: value for model in whole if (value := self._overall(model, judge)) is not None}
            after = ranks(values, 0.0)
            rows = {
                model: {"overall": value, "change": value - whole[model], "rank": after[model], "rank_before": rank}
                for model, value in values.items()
                for rank in (before[model],)
            }
            found[judge] = {
                "models": rows,
                "largest_rank_shift": max((abs(one["rank"] - one["rank_before"]) for one in rows.values()), default=0),
                "largest_change": max((abs(one["change"]) for one in rows.values()), default=None),
            }
        return found

    def _overall(self, model: str, removed: str | None) -> float | None:
        """The mean of the track means over the judges that are left; None where a track has none."""
        tracks = [self._track(model, units, removed) for units in self.scored.main_units.values()]
        if None in tracks or (len(tracks) < len(TRACKS) and not self.scored.is_compat):
            return None
        return average(tracks)

    def _track(self, model: str, units: Sequence[Unit], removed: str | None) -> float | None:
        values: dict[str, list[float]] = {}
        for pair in self.scored.judged(model, units):
            left = [
                one.mean
                for one in pair.score.judges
                if one.judge != removed and one.judge not in pair.score.judges_excluded
            ]
            found = average(left)
            if found is not None:
                values.setdefault(pair.unit.id, []).append(found)
        return average([average(found) for found in values.values()])
