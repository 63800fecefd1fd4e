"""Tables of what was chosen: wrong options, rules that never read the sentence, items with a local negation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jatdae.benchmarks.konubench.artefacts import ARTEFACTS
from jatdae.benchmarks.konubench.mistakes import DISTRACTORS, NO_LETTER
from jatdae.reports.negation.baselines import BesideBaseline
from jatdae.reports.negation.breakdowns import WAYS, LocalBreakdown, MeanBreakdown
from jatdae.reports.negation.figures import ABSENT, counted, percent, points, value
from jatdae.reports.negation.report import NegationReport
from jatdae.reports.negation.section import Section, cell_name, names, section
from jatdae.reports.negation.selection import Cell
from jatdae.reports.negation.words import Words
from jatdae.reports.negation.wrong_options import WrongOptions

_KINDS = (*DISTRACTORS, NO_LETTER)


def baselines(report: NegationReport, words: Words) -> Section:
    """A row a model and cell; the statement names the rules that the model is not above."""
    shown = names(report)
    adapters = {one.reference for one in report.models if one.base is not None}
    by_row: dict[tuple[Cell, str], list[BesideBaseline]] = {}
    for one in report.baselines:
        by_row.setdefault((one.cell, one.reference), []).append(one)
    rows = [
        (shown[name], cell_name(cell, words), percent(own[0].score), *map(_beside, own), _statement(own, words))
        for (cell, name), own in by_row.items()
    ]
    header = (words("model"), words("column"), words("score"), *map(words, ARTEFACTS), words("standing"))
    counted_models = [one for one in report.baselines if one.reference not in adapters]
    return section(
        words.title("baselines"), words.note("baselines"), header, rows, _counts_below(counted_models, words)
    )


def _beside(one: BesideBaseline) -> str:
    return f"{percent(one.baseline)}; {points(one.difference)}"


def _statement(own: Sequence[BesideBaseline], words: Words) -> str:
    """Which rules a model is below, and from which it cannot be told apart."""
    parts = [
        f"{words(standing)}: {', '.join(rules)}"
        for standing in ("below", "level")
        if (rules := [words(one.name) for one in own if one.standing == standing])
    ]
    return "; ".join(parts) or words("above_all")


def _counts_below(found: Sequence[BesideBaseline], words: Words) -> Iterator[str]:
    for cell in sorted({one.cell for one in found}):
        for rule in ARTEFACTS:
            own = [one for one in found if one.cell == cell and one.name == rule]
            below = sum(one.score.value < one.baseline.value for one in own)
            yield words.note(
                "below",
                cell=cell_name(cell, words),
                below=str(below),
                models=str(len(own)),
                rule=words(rule),
                value=value(own[0].baseline.value),
            )


def wrong_options(report: NegationReport, words: Words) -> Section:
    shown = names(report)
    rows = [(shown[one.group], *_wrong(one, words)) for one in report.wrong_options if one.wrong]
    header = [words(name) for name in ("model", "column", "metric", "columns", "wrong", *_KINDS)]
    return section(words.title("wrong_options"), words.note("wrong_options"), header, rows)


def pooled_wrong_options(report: NegationReport, words: Words) -> Section:
    rows = [
        (words(one.axis), words(one.group), str(one.models), *_wrong(one, words))
        for one in report.pooled_wrong_options
        if one.wrong
    ]
    header = [words(name) for name in ("axis", "group", "models", "column", "metric", "columns", "wrong", *_KINDS)]
    return section(words.title("pooled_wrong_options"), words.note("pooled_wrong_options"), header, rows)


def _wrong(one: WrongOptions, words: Words) -> tuple[str, ...]:
    shares = (percent(one.shares[kind]) if kind in one.shares else ABSENT for kind in _KINDS)
    return (cell_name(one.cell, words), one.metric, words(one.columns), f"{one.wrong:,}", *shares)


def breakdowns(report: NegationReport, words: Words) -> Iterator[Section]:
    """For each way of sorting: means over models where there are several, then a row a model and cell."""
    shown = names(report)
    for by in WAYS:
        own = [one for one in report.breakdowns if one.by == by]
        groups = sorted({one.group for one in own})
        found = {(one.cell, one.reference, one.group): one for one in own}
        rows = [
            (shown[name], cell_name(cell, words), *(_taken(found.get((cell, name, group))) for group in groups))
            for cell, name in dict.fromkeys((one.cell, one.reference) for one in own)
        ]
        yield _mean_breakdown(report, by, words)
        header = (words("model"), words("column"), *map(words, groups))
        yield section(words.title("breakdown", by=words(by)), words.note("breakdown"), header, rows)


def _mean_breakdown(report: NegationReport, by: str, words: Words) -> Section:
    rows = [
        (cell_name(one.cell, words), words(one.group), f"{one.items:,}", counted(one.accuracy), counted(one.taken))
        for one in sorted(report.mean_breakdowns, key=lambda one: (one.cell, one.group))
        if one.by == by
    ]
    header = [words(name) for name in ("column", "group", "items", "accuracy", "taken")]
    return section(words.title("mean_breakdown", by=words(by)), words.note("means"), header, rows)


def _taken(one: LocalBreakdown | MeanBreakdown | None) -> str:
    return ABSENT if one is None else f"{counted(one.accuracy)} / {percent(one.taken)}"
