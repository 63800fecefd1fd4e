"""KMMLU: subjects as a heatmap, categories with intervals, answers that could not be scored."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.benchmarks.kmmlu.subjects import find_subject
from jatdae.reports.html.blocks import Block, Chart, Grid, Lang, Paragraph, Section
from jatdae.reports.html.charts import dots, heatmap, percent_row
from jatdae.reports.html.families.groups import Key, by_asking, finished, of_family, short_names
from jatdae.reports.html.families.words import Words, words
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure
from jatdae.store import StoredResult

SUBJECT, CATEGORY = "subject", "category"
RATES = ("unparsed", "truncated", "refused", "failed")


def section(results: Sequence[StoredResult], lang: Lang) -> Section | None:
    """None where nothing of KMMLU was measured."""
    own = [*of_family(results, "kmmlu"), *of_family(results, "kmmlu-hard")]
    if not own:
        return None
    say = words(lang)
    blocks: list[Block] = [Paragraph(say["kmmlu_help"])]
    for number, (key, group) in enumerate(by_asking(own).items()):
        blocks += _blocks(number, key, group, lang, say)
    rates = _rates(own, say)
    return Section("kmmlu", "KMMLU", (*blocks, *([rates] if rates else [])))


def _blocks(number: int, key: Key, group: Sequence[StoredResult], lang: Lang, say: Words) -> list[Block]:
    _, mode, shots = key
    told = {"title": inert(finished(group[0]).title), "mode": inert(mode), "shots": shots}
    found: list[Block] = []
    if any(len(finished(one).breakdown.get(SUBJECT, ())) > 1 for one in group):
        found.append(_heatmap(number, group, lang, say, say["kmmlu_heat"].format(**told)))
    if any(len(finished(one).breakdown.get(CATEGORY, ())) > 1 for one in group):
        found.append(_categories(number, group, say, say["kmmlu_categories"].format(**told)))
    return found


def _subject_name(name: str, lang: Lang) -> str:
    subject = find_subject(name)
    return inert(subject.korean if subject and lang == "ko" else name)


def _heatmap(number: int, group: Sequence[StoredResult], lang: Lang, say: Words, alt: str) -> Chart:
    names = short_names(group)
    subjects = list(dict.fromkeys(name for one in group for name in finished(one).breakdown.get(SUBJECT, ())))
    shown = {name: _subject_name(name, lang) for name in subjects}
    rows = [
        percent_row(estimate, name=names[one.model_reference], column=shown[subject])
        for one in group
        for subject, estimate in finished(one).breakdown.get(SUBJECT, {}).items()
    ]
    table = tuple((shown[subject], *(_cell(one, SUBJECT, subject) for one in group)) for subject in subjects)
    header = (say["subject"], *(names[one.model_reference] for one in group))
    return Chart(
        f"kmmlu-subjects-{number}",
        heatmap(rows, columns=list(shown.values()), title=say["percent"]),
        alt,
        header,
        table,
    )


def _categories(number: int, group: Sequence[StoredResult], say: Words, alt: str) -> Chart:
    names = short_names(group)
    rows = [
        percent_row(estimate, name=names[one.model_reference], part=inert(category))
        for one in group
        for category, estimate in finished(one).breakdown.get(CATEGORY, {}).items()
    ]
    table = tuple(
        (names[one.model_reference], inert(category), figure(estimate))
        for one in group
        for category, estimate in finished(one).breakdown.get(CATEGORY, {}).items()
    )
    return Chart(
        f"kmmlu-categories-{number}",
        dots(rows, axis=say["percent"], colour="part"),
        alt,
        (say["model"], say["category"], say["percent"]),
        table,
    )


def _cell(stored: StoredResult, kind: str, name: str) -> str:
    estimate = finished(stored).breakdown.get(kind, {}).get(name)
    return figure(estimate) if estimate else ""


def _rates(own: Sequence[StoredResult], say: Words) -> Grid | None:
    """Rates above zero, since a table of zeros says nothing."""
    rows = tuple(
        (inert(one.model_reference), f"{inert(one.task)} {inert(one.mode)}", name, figure(estimate))
        for one in own
        for name in RATES
        if (estimate := finished(one).rates.get(name)) and estimate.value > 0
    )
    return Grid((say["model"], "", say["rate"], say["percent"]), rows, say["rates"]) if rows else None
