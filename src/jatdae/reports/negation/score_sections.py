"""Tables of scores: models, cells, means over groups, pairs of base and instruct, sizes, fine-tuning, side studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jatdae.reports.negation.aggregation import language
from jatdae.reports.negation.figures import ABSENT, counted, percent, points, value
from jatdae.reports.negation.models_file import band
from jatdae.reports.negation.report import CellScore, NegationReport, ReportedModel
from jatdae.reports.negation.section import Section, cell_name, names, section
from jatdae.reports.negation.selection import MAIN, Cell
from jatdae.reports.negation.words import Words


def models(report: NegationReport, words: Words) -> Section:
    header = [words(name) for name in ("model", "reference", "family", "parameters", "band", "tuning", "language")]
    shown = names(report)
    rows = [(shown[one.reference], one.reference, *_facts(one, shown, words)) for one in report.models]
    return section(words.title("models"), words.note("models"), header, rows)


def _facts(one: ReportedModel, shown: dict[str, str], words: Words) -> tuple[str, ...]:
    if one.base is not None:
        base = words("adapter", base=shown.get(one.base, one.base))
        return (base, ABSENT, ABSENT, ABSENT, ABSENT)
    if one.facts is None:
        return (words("unknown"), ABSENT, ABSENT, ABSENT, ABSENT)
    size = one.facts.parameters
    numbers = (ABSENT if size is None else f"{size:g}", band(size) or ABSENT)
    return (one.facts.family, *numbers, words(one.facts.tuning), words(language(one.facts)))


def scores(report: NegationReport, words: Words) -> Iterator[Section]:
    """One table a mode: a row a model, a column a number of examples."""
    shown = names(report)
    for mode in _modes(report):
        own = [one for one in report.scores if one.cell.task == MAIN and one.cell.mode == mode]
        cells = sorted({one.cell for one in own})
        found = {(one.reference, one.cell): one for one in own}
        rows = [
            (shown[name], *(_score(found.get((name, cell)), words) for cell in cells))
            for name in dict.fromkeys(one.reference for one in own)
        ]
        metric = ", ".join(sorted({one.metric for one in own}))
        seeds = "; ".join(sorted({", ".join(map(str, one.seeds)) for one in own if one.seeds})) or ABSENT
        titles = sorted({one.title for one in own})
        header = (words("model"), *(words("shots", shots=str(cell.shots)) for cell in cells))
        yield section(
            words.title("scores", mode=mode), words.note("scores", metric=metric, seeds=seeds), header, rows, titles
        )


def _score(one: CellScore | None, words: Words) -> str:
    if one is None:
        return ABSENT
    return percent(one.score) if one.complete else f"{percent(one.score)} {words('incomplete')}"


def means(report: NegationReport, words: Words) -> Iterator[Section]:
    """One table a mode: a row a group of models."""
    for mode in _modes(report):
        cells = sorted({one.cell for one in report.scores if one.cell.task == MAIN and one.cell.mode == mode})
        found = {(one.axis, one.group, one.column): one.mean for one in report.means}
        groups = dict.fromkeys((one.axis, one.group) for one in report.means)
        rows = [
            (words(axis), group if axis == "family" else words(group), *map(counted, estimates))
            for axis, group in groups
            if any(estimates := [found.get((axis, group, cell.column)) for cell in cells])
        ]
        header = (words("axis"), words("group"), *(words("shots", shots=str(cell.shots)) for cell in cells))
        yield section(words.title("means", mode=mode), words.note("means"), header, rows)


def _modes(report: NegationReport) -> list[str]:
    return list(dict.fromkeys(one.cell.mode for one in report.scores if one.cell.task == MAIN))


def pairs(report: NegationReport, words: Words) -> Section:
    header = [words(name) for name in ("group", "column", "gain", "pairs", "falling")]
    rows = [(words(one.group), one.column, points(one.gain), str(one.gain.n), str(one.falling)) for one in report.pairs]
    return section(words.title("pairs"), words.note("pairs"), header, rows)


def sizes(report: NegationReport, words: Words) -> Section:
    header = [words(name) for name in ("family", "tuning", "column", "parameters", "model", "accuracy", "step")]
    rows = [
        (
            one.family,
            words(one.tuning),
            cell_name(one.cell, words),
            f"{one.parameters:g}",
            one.name,
            percent(one.accuracy),
            points(one.step),
        )
        for one in report.sizes
    ]
    return section(words.title("sizes"), words.note("sizes"), header, rows)


def tuned(report: NegationReport, words: Words) -> Section:
    shown = names(report)
    header = [
        words(name)
        for name in ("base_model", "tuned_model", "supervision", "task", "metric", "before", "after", "difference", "p")
    ]
    rows = [
        (
            shown.get(one.base, one.base),
            shown[one.adapter],
            one.supervision or ABSENT,
            _question(Cell(one.difference.task, one.difference.mode, one.difference.shots), words),
            one.difference.metric,
            value(one.difference.first),
            value(one.difference.second),
            points(one.difference.difference),
            f"{one.difference.corrected_p:.4f}",
        )
        for one in report.tuned
    ]
    return section(words.title("tuned"), words.note("tuned"), header, rows)


def tuned_means(report: NegationReport, words: Words) -> Section:
    columns = ("supervision", "task", "metric", "before", "after", "gain", "adapters", "falling")
    rows = [
        (
            one.supervision,
            _question(Cell(one.task, one.mode, one.shots), words),
            one.metric,
            value(one.before),
            value(one.after),
            points(one.gain),
            str(one.gain.n),
            str(one.falling),
        )
        for one in report.tuned_means
    ]
    return section(words.title("tuned_means"), words.note("tuned_means"), map(words, columns), rows)


def _question(cell: Cell, words: Words) -> str:
    return f"{cell.task} {cell_name(cell, words)}"


def polarity(report: NegationReport, words: Words) -> Section:
    shown = names(report)
    header = [words(name) for name in ("model", "study", "positive", "negative", "difference", "both", "items")]
    rows = [
        (
            shown[one.reference],
            one.study,
            percent(one.report.positive),
            percent(one.report.negative),
            points(one.report.difference),
            percent(one.report.consistency),
            f"{one.report.n:,}",
        )
        for one in report.polarity
    ]
    return section(words.title("polarity"), words.note("polarity"), header, rows)


def polarity_gains(report: NegationReport, words: Words) -> Section:
    header = [words(name) for name in ("study", "axis", "group", "positive", "negative", "gain", "models", "falling")]
    rows = [
        (
            one.before_column,
            words(one.axis),
            one.group if one.axis == "family" else words(one.group),
            value(one.before),
            value(one.after),
            points(one.gain),
            str(one.gain.n),
            str(one.falling),
        )
        for one in report.polarity_gains
    ]
    return section(words.title("polarity_gains"), words.note("polarity_gains"), header, rows)


def left_out(report: NegationReport, words: Words) -> Section:
    shown = names(report)
    header = [words(name) for name in ("model", "task", "why")]
    rows: Sequence[tuple[str, ...]] = [
        (shown[one.reference], _question(one.cell, words), one.why) for one in report.left_out
    ]
    return section(words.title("left_out"), "", header, rows, report.notes)
