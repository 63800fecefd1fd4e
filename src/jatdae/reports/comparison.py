"""Comparisons of models as tables for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console

from jatdae.evaluate.comparing import Difference, GroupDifference, verdict
from jatdae.reports.inert import inert
from jatdae.reports.munbench.escaping import markdown_text
from jatdae.reports.tables import columns
from jatdae.types import Estimate

HEADER = ("task", "mode", "shots", "metric", "first", "second", "difference [95 %]", "p", "corrected p", "detectable")
GROUP_HEADER = ("group", "difference [95 %]", "p", "corrected p")


def print_comparison(
    screen: Console, differences: Sequence[Difference], *, groups: bool, flips: int = 0, lang: str = "en"
) -> None:
    """Models, one table of figures in percent, then a line of words for each question."""
    for first, second in dict.fromkeys((one.first_model, one.second_model) for one in differences):
        own = [one for one in differences if (one.first_model, one.second_model) == (first, second)]
        screen.print(f"first:  {first}\nsecond: {second}", highlight=False, markup=False)
        screen.print(columns(HEADER, [_row(one) for one in own], title="Second minus first, in points"))
        for one in own:
            screen.print(f"{_name(one)}: {verdict(one, lang)}", highlight=False, markup=False)
            for kind, items in (("gained", one.gained), ("lost", one.lost)) if flips else ():
                more = f" and {len(items) - flips:,} more" if len(items) > flips else ""
                screen.print(f"{kind}: {inert(_listed(items[:flips]))}{more}", highlight=False, markup=False)
            for note in _notes(one):
                screen.print(f"note: {note}", highlight=False, markup=False)
        if groups:
            for one in own:
                rows = [_group_row(group) for group in one.groups]
                screen.print(columns(GROUP_HEADER, rows, title=f"{_name(one)} by group"))


def comparison_markdown(differences: Sequence[Difference], lang: str = "en") -> str:
    """The same as Markdown, with the groups and the items that changed."""
    parts = ["# Comparison"]
    for one in differences:
        parts += [
            f"## {_name(one)}",
            f"- first: `{one.first_model}`\n- second: `{one.second_model}`",
            f"**{verdict(one, lang)}**",
        ]
        parts.append(_table(HEADER, [_row(one)]))
        parts += [f"- {note}" for note in _notes(one)]
        mid = "" if one.mid_p is None else f", mid-p {one.mid_p:.4f}"
        parts.append(f"Test: {one.test}{mid}; interval: {one.difference.method}.")
        parts.append(
            f"Gained ({len(one.gained)}): {_listed(one.gained)}\n\nLost ({len(one.lost)}): {_listed(one.lost)}"
        )
        if one.groups:
            parts.append(_table(GROUP_HEADER, [_group_row(group) for group in one.groups]))
    return "\n\n".join(parts) + "\n"


def _name(one: Difference) -> str:
    return f"{one.task} {one.mode} {one.shots}-shot"


def _row(one: Difference) -> tuple[str, ...]:
    levels = (f"{100 * one.first:.2f}", f"{100 * one.second:.2f}")
    tests = (f"{one.p:.4f}", f"{one.corrected_p:.4f}", f"{100 * one.detectable:.1f}")
    return (one.task, one.mode, str(one.shots), one.metric, *levels, _points(one.difference), *tests)


def _group_row(group: GroupDifference) -> tuple[str, ...]:
    return group.group, _points(group.difference), f"{group.p:.4f}", f"{group.corrected_p:.4f}"


def _points(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:+.2f} [n/a] n={estimate.n:,}"
    return f"{100 * estimate.value:+.2f} [{100 * estimate.low:+.2f}, {100 * estimate.high:+.2f}] n={estimate.n:,}"


def _notes(one: Difference) -> Iterable[str]:
    if one.unlike:
        yield f"not the same question: {', '.join(one.unlike)} differ"
    if one.missing:
        yield f"{one.missing:,} items were answered on one side only and are left out"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items) or "none"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(markdown_text, line))} |" for line in lines)
