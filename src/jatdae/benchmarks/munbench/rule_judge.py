"""The judge that needs no model: measures that can be computed, read as scores. No substitute for a reader.

Five measures, each from 0 to 10, stand for every criterion: foreign words (`언어`), worn-out expressions (`상투어`),
repetition (`반복`), one speech level held (`높임`), and length and declarative checks (`형식`). A criterion is the mean
of those that its name points to, of all five where it points to none. It sees nothing of sense, tact or beauty.
"""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.munbench.metrics import Measurer, TextMetrics
from jatdae.benchmarks.munbench.records import Dataset
from jatdae.benchmarks.munbench.units import units_of
from jatdae.judging.cases import Case, Response, RubricScore, Verdict, Winner
from jatdae.judging.presentation import own_texts, text_hash
from jatdae.judging.scales import weighted_mean
from jatdae.types import digest

NAME = "rule"
VERSION = "1"
POINTERS: Mapping[str, tuple[str, ...]] = {
    "높임": ("존댓말", "경어", "층위", "화계", "어법"),
    "상투어": ("슬롭", "신선", "절제", "진정성", "클리셰"),
    "반복": ("목소리", "문체", "리듬", "자연", "완결"),
    "형식": ("형식", "제약", "분량", "관용구"),
    "언어": ("자연", "어법", "한국"),
}
"""Measure to words in a criterion's name that point to it."""
TIE, CLEAR = 0.25, 2.0
"""Points between two texts: under the first a tie, from the second on a clear win."""


class RuleJudge:
    """Scores by rule: the same text gets the same scores, in every iteration and in either place."""

    def __init__(self, dataset: Dataset) -> None:
        self._measurer = Measurer(dataset)
        self._units = {unit.id: unit for unit in units_of(dataset)}

    @property
    def name(self) -> str:
        return NAME

    async def score(self, case: Case, response: Response, iteration: int) -> RubricScore:
        scores = self._scores(case, response)
        return RubricScore(
            item=case.item,
            variant=case.variant,
            track=case.track,
            model=response.model,
            judge=NAME,
            iteration=iteration,
            status="ok",
            scores=scores,
            weighted=weighted_mean(scores, case.criteria),
            prompt_hash=digest("rule judge", VERSION),
            text_hash=text_hash(response),
            index=response.index,
        )

    async def compare(self, case: Case, first: Response, second: Response) -> Verdict:
        totals = [weighted_mean(self._scores(case, side), case.criteria) or 0.0 for side in (first, second)]
        return Verdict(
            item=case.item,
            variant=case.variant,
            track=case.track,
            first=first.model,
            second=second.model,
            judge=NAME,
            status="ok",
            winner=_winner(totals[0] - totals[1]),
            reason=f"{totals[0]:.2f} : {totals[1]:.2f}",
            prompt_hash=digest("rule judge", VERSION),
            first_hash=text_hash(first),
            second_hash=text_hash(second),
            first_length=sum(map(len, own_texts(first))),
            second_length=sum(map(len, own_texts(second))),
        )

    def _scores(self, case: Case, response: Response) -> dict[str, float]:
        measures = rule_measures(self._measurer.measure(self._units[case.key], own_texts(response)))
        return {criterion.name: _of_criterion(criterion.name, measures) for criterion in case.criteria}


def rule_measures(found: TextMetrics) -> dict[str, float]:
    """The five measures of a text, each from 0 to 10. A text of under 20 characters gets 0 on all."""
    if found.characters < 20:
        return dict.fromkeys(POINTERS, 0.0)
    slop = found.slop.strong_per_1000 + found.slop.weak_per_1000 / 2
    kept = [float(found.length_ok)] if found.length_ok is not None else []
    kept += [found.checks_passed / found.checks] if found.checks else []
    leaks = 100.0 if found.leaks_per_1000 is None else found.leaks_per_1000
    return {
        "언어": max(0.0, 10 - leaks / 5),
        "상투어": max(0.0, 10 - slop),
        "반복": 10 * (found.windowed_trigrams or 0.0) * (0.5 if found.repeats else 1.0),
        "높임": 5.0 if found.politeness_mixture is None else 10 * (1 - 2 * min(0.5, found.politeness_mixture)),
        "형식": 10 * sum(kept) / len(kept) if kept else 5.0,
    }


def _of_criterion(name: str, measures: Mapping[str, float]) -> float:
    chosen = [measures[measure] for measure, words in POINTERS.items() if any(word in name for word in words)]
    chosen = chosen or list(measures.values())
    return round(sum(chosen) / len(chosen), 2)


def _winner(difference: float) -> Winner:
    if abs(difference) < TIE:
        return "tie"
    side: Winner = "A" if difference > 0 else "B"
    return f"{side}_much" if abs(difference) >= CLEAR else side  # type: ignore[return-value]
