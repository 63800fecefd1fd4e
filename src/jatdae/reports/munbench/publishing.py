"""What stands between the numbers and a headline: coverage, missing judgements, missing tracks, missing people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jatdae.benchmarks.munbench.generations import ANSWERED, Status
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.evaluate.munbench.believing import human_scores
from jatdae.evaluate.munbench.config import RULE
from jatdae.judging.validation import judge_agreement
from jatdae.reports.munbench.published import missing_tracks
from jatdae.reports.munbench.scored import Scored

MOST_MISSING = 0.02
"""More than this share missing for a judge, or this difference between two models: no headline.

Source: judging specification, section 3.5.
"""
NO_RECORD = "missing"


@dataclass(frozen=True, slots=True)
class Banner:
    """A thing that a reader must know before the numbers. `code` names it, `values` fill its wording."""

    code: str
    values: Mapping[str, str]


def is_validated_against_people(scored: Scored) -> bool:
    """Whether all judges together rank texts as people do: 100 rated texts at least, and a rank correlation surely
    from .5 on."""
    evidence = scored.evidence
    people = human_scores(evidence)
    if not people:
        return False
    records = [one for judged in evidence.scores.values() for one in judged]
    whole = [one for one in judge_agreement(records, people, seed=scored.config.seed) if one.track is None]
    return bool(whole) and not whole[-1].not_validated


@dataclass
class Publishing:
    """Coverage of a run, and why a headline has to be withheld."""

    scored: Scored

    @cached_property
    def statuses(self) -> dict[str, Counter[str]]:
        """What became of every planned sample, by model."""
        return {model: self._statuses(model) for model in self.scored.models}

    def _statuses(self, model: str) -> Counter[str]:
        found = Counter({status.value: 0 for status in Status})
        for unit in self.scored.work.units:
            for made, _ in self.scored.samples(model, unit):
                found[made.status.value if made else NO_RECORD] += 1
        return found

    def coverage(self, model: str) -> float:
        """Answered samples over planned ones; 0 where nothing is planned."""
        counts = self.statuses[model]
        return sum(counts[status.value] for status in ANSWERED) / counts.total() if counts.total() else 0.0

    def coverage_record(self, model: str) -> dict[str, Any]:
        counts = self.statuses[model]
        return {
            "planned": counts.total(),
            "answered": sum(counts[status.value] for status in ANSWERED),
            "coverage": self.coverage(model),
            "statuses": dict(counts),
            "scored_units": len(self.scored.values(model, self.scored.all_main_units)),
            "planned_units": len(self.scored.all_main_units),
        }

    @cached_property
    def _iterations(self) -> dict[tuple[str, str], tuple[int, int]]:
        """(valid, asked for) iterations by model and judge; judges that may not count for a model have none."""
        scored, asked = self.scored, self.scored.config.rubric_iterations
        found = {(model, judge): (0, 0) for model in scored.models for judge in scored.evidence.judges}
        for (model, unit, index), made in scored.evidence.generations.items():
            if made.status not in ANSWERED or unit not in scored.work.cases:
                continue
            score = scored.evidence.samples.get((model, unit, index))
            valid = {one.judge: min(one.iterations, asked) for one in score.judges} if score else {}
            for judge in self._counting_judges(model):
                done, total = found[model, judge]
                found[model, judge] = (done + valid.get(judge, 0), total + asked)
        return found

    def _counting_judges(self, model: str) -> list[str]:
        evidence, config = self.scored.evidence, self.scored.config
        policy = config.rubric.self_judging or ("include" if self.scored.is_compat else "exclude_self")
        excluded = evidence.identities.excluded(model, evidence.judges, policy)
        return [judge for judge in evidence.judges if judge not in excluded]

    def missing_by_judge(self) -> dict[str, float | None]:
        """The share of a judge's iterations that gave nothing that counts; None where none was asked for."""
        return {judge: self._missing(judge=judge) for judge in self.scored.evidence.judges}

    def missing_by_model(self) -> dict[str, float | None]:
        return {model: self._missing(model=model) for model in self.scored.models}

    def _missing(self, *, model: str | None = None, judge: str | None = None) -> float | None:
        rows = [
            counts
            for (one, other), counts in self._iterations.items()
            if (model is None or one == model) and (judge is None or other == judge)
        ]
        total = sum(asked for _, asked in rows)
        return 1 - sum(done for done, _ in rows) / total if total else None

    @cached_property
    def shared_reasons(self) -> list[Banner]:
        """What withholds every model's headline."""
        found = [
            Banner("judge_missing", {"judge": judge, "share": f"{100 * share:.1f}"})
            for judge, share in self.missing_by_judge().items()
            if share is not None and share > MOST_MISSING
        ]
        known = [share for share in self.missing_by_model().values() if share is not None]
        if known and max(known) - min(known) > MOST_MISSING:
            found.append(Banner("missing_differs", {"points": f"{100 * (max(known) - min(known)):.1f}"}))
        absent = missing_tracks(self.scored)
        if absent:
            found.append(Banner("tracks_missing", {"tracks": ", ".join(f"{one} ({TRACKS[one]})" for one in absent)}))
        return found

    def own_reasons(self, model: str) -> list[Banner]:
        """What withholds one model's headline."""
        if self.coverage(model) >= self.scored.config.publish.min_coverage:
            return []
        least = self.scored.config.publish.min_coverage
        values = {"coverage": f"{100 * self.coverage(model):.1f}", "least": f"{100 * least:g}", "model": model}
        return [Banner("coverage", values)]

    def withheld(self, model: str) -> list[str]:
        """The codes of the reasons for which a model has no overall score; `compat` withholds nothing, as published."""
        if self.scored.is_compat:
            return []
        return [one.code for one in (*self.shared_reasons, *self.own_reasons(model))]

    def banners(self) -> list[Banner]:
        """All that a reader must know, the gravest first."""
        found = [*self.shared_reasons, *(one for model in self.scored.models for one in self.own_reasons(model))]
        if not is_validated_against_people(self.scored):
            found.append(Banner("not_validated", {}))
        if RULE in self.scored.evidence.judges:
            found.append(Banner("rule_judge", {}))
        if self.scored.is_compat:
            found.append(Banner("compat", {}))
        return found
