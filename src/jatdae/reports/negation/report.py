"""The study of models from what a store holds: one record with every figure of the tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.errors import RequestError
from jatdae.reports.negation.aggregation import (
    Gain,
    GroupMean,
    ModelScores,
    TuningPairs,
    gains,
    group_means,
    tuning_pairs,
)
from jatdae.reports.negation.answers import Answers, read_answers
from jatdae.reports.negation.baselines import BesideBaseline, beside_baselines
from jatdae.reports.negation.before_after import Tuned, TunedMean, before_after, tuned_means
from jatdae.reports.negation.breakdowns import LocalBreakdown, MeanBreakdown, local_breakdowns, mean_breakdowns
from jatdae.reports.negation.models_file import ModelFacts, facts_of
from jatdae.reports.negation.polarity import PolarityScore, polarity_scores
from jatdae.reports.negation.selection import MAIN, Cell, Chosen, LeftOut, base_of, choose, references
from jatdae.reports.negation.sizes import SizePoint, size_points
from jatdae.reports.negation.wrong_options import WrongOptions, pooled_wrong_options, wrong_options
from jatdae.reports.pairs import PAIRED_TASKS
from jatdae.runtime import Progress
from jatdae.store import Store
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class ReportedModel:
    """A model of the report. `facts` are None for one that no line of the models file fits; `base` for an adapter."""

    reference: str
    facts: ModelFacts | None
    base: str | None


@dataclass(frozen=True, slots=True)
class CellScore:
    """A headline: of one pass without examples, else the mean of all `seeds`."""

    reference: str
    cell: Cell
    metric: str
    score: Estimate
    seeds: tuple[int, ...]
    title: str
    complete: bool
    fingerprint: str


@dataclass(frozen=True, slots=True)
class NegationReport:
    """All figures. Adapters stand in `tuned` and `scores`, and in no mean over models.

    Estimates of `means`, `pairs`, `polarity_gains`, `tuned_means` and `mean_breakdowns` are over models, all others
    over items.
    """

    split: str
    models: tuple[ReportedModel, ...]
    scores: tuple[CellScore, ...]
    means: tuple[GroupMean, ...]
    pairs: tuple[TuningPairs, ...]
    wrong_options: tuple[WrongOptions, ...]
    pooled_wrong_options: tuple[WrongOptions, ...]
    baselines: tuple[BesideBaseline, ...]
    polarity: tuple[PolarityScore, ...]
    polarity_gains: tuple[Gain, ...]
    tuned: tuple[Tuned, ...]
    tuned_means: tuple[TunedMean, ...]
    sizes: tuple[SizePoint, ...]
    breakdowns: tuple[LocalBreakdown, ...]
    mean_breakdowns: tuple[MeanBreakdown, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def negation_report(
    store: Store, known: Sequence[ModelFacts], *, split: str = "test", progress: Progress
) -> NegationReport:
    """Build the report. Raises RequestError where nothing of the benchmark is stored for the split."""
    chosen, left_out = choose(store.results(), split)
    if not chosen:
        raise RequestError(
            f"{store.file} has no finished result of konubench on the split {split}; measure one first: "
            "jatdae run konubench --model REF --store DIR"
        )
    names = references(chosen, left_out)
    models = tuple(sorted((_model(name, known, names) for name in names), key=_place))
    order = {model.reference: place for place, model in enumerate(models)}
    chosen.sort(key=lambda one: (one.cell, order[one.reference]))
    whole = {model.reference: model.facts for model in models if model.base is None}
    answers = _answers(store, chosen, whole, progress)
    own = [one for one in answers if one.reference in whole]
    table, columns = _table(chosen, whole)
    main = [column for column in columns if "/" not in column]
    progress.stage("analysing the options and local negations")
    breakdowns = local_breakdowns(answers)
    polarity, unpaired = polarity_scores(store, chosen)
    tuned, unlike = before_after(store, names)
    return NegationReport(
        split=split,
        models=models,
        scores=tuple(_score(one) for one in chosen),
        means=tuple(group_means(table, columns)),
        pairs=tuple(tuning_pairs(table, main)),
        wrong_options=tuple(wrong_options(answers)),
        pooled_wrong_options=tuple(pooled_wrong_options(own)),
        baselines=tuple(beside_baselines(answers)),
        polarity=tuple(polarity),
        polarity_gains=tuple(gain for pair in PAIRED_TASKS for gain in gains(table, *pair)),
        tuned=tuple(tuned),
        tuned_means=tuple(tuned_means(tuned)),
        sizes=tuple(size_points(own)),
        breakdowns=tuple(breakdowns),
        mean_breakdowns=tuple(mean_breakdowns([one for one in breakdowns if one.reference in whole])),
        left_out=tuple(left_out),
        notes=(*unpaired, *unlike),
    )


def _model(reference: str, known: Sequence[ModelFacts], measured: Sequence[str]) -> ReportedModel:
    base = base_of(reference, measured)
    return ReportedModel(reference, facts_of(reference, known) if base is None else None, base)


def _place(model: ReportedModel) -> tuple[int, str, float, str]:
    """Known models by family and size, then unknown ones, then adapters."""
    if model.facts is None:
        return (1 if model.base is None else 2, "", 0.0, model.reference)
    return 0, model.facts.family, model.facts.parameters or math.inf, model.reference


def _answers(
    store: Store, chosen: Sequence[Chosen], whole: dict[str, ModelFacts | None], progress: Progress
) -> list[Answers]:
    main = [one for one in chosen if one.cell.task == MAIN]
    progress.start("reading results", len(main))
    found: list[Answers] = []
    for done, one in enumerate(main, 1):
        found.append(read_answers(store, one, whole.get(one.reference)))
        progress.advance(done)
    progress.finish()
    return found


def _table(chosen: Sequence[Chosen], whole: dict[str, ModelFacts | None]) -> tuple[list[ModelScores], list[str]]:
    """The scores of all models but adapters, and the columns in the order of the cells."""
    rows: dict[str, dict[str, float]] = {}
    for one in chosen:
        if one.reference in whole:
            value = one.result.estimates[one.result.headline].value
            rows.setdefault(one.reference, {})[one.cell.column] = value
    columns = list(dict.fromkeys(one.cell.column for one in chosen))
    return [ModelScores(name, whole[name], scores) for name, scores in rows.items()], columns


def _score(one: Chosen) -> CellScore:
    result = one.result
    seeds = result.protocol.seeds if one.cell.shots else ()
    estimate = result.estimates[result.headline]
    return CellScore(
        one.reference, one.cell, result.headline, estimate, seeds, result.title, result.complete, result.fingerprint
    )
