"""KoNUBench: accuracy by number of examples beside blind rules, and which wrong options were taken."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.reports.html.blocks import Block, Chart, Lang, Paragraph, Section
from jatdae.reports.html.charts import curves, dots, percent_row, stacked
from jatdae.reports.html.families.groups import by_asking, finished, of_family, short_names
from jatdae.reports.html.families.words import Words, words
from jatdae.reports.html.leaderboard import best_floor, headline
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure
from jatdae.store import StoredResult

MAIN = "konubench"
ERRORS = "errors"


def section(results: Sequence[StoredResult], lang: Lang) -> Section | None:
    """None where the main task was not measured; its side studies stand in the leaderboard."""
    own = [one for one in of_family(results, MAIN) if one.task == MAIN]
    if not own:
        return None
    say = words(lang)
    blocks: list[Block] = [Paragraph(say["konubench_help"])]
    modes = sorted({one.mode for one in own})
    blocks += [_by_shots(mode, [one for one in own if one.mode == mode], say) for mode in modes]
    blocks += [
        _errors(mode, shots, group, say)
        for (_, mode, shots), group in by_asking(own).items()
        if any(finished(one).breakdown.get(ERRORS) for one in group)
    ]
    return Section("konubench", "KoNUBench", tuple(blocks))


def _by_shots(mode: str, own: Sequence[StoredResult], say: Words) -> Chart:
    """Curves where there are several numbers of examples, else a line a model."""
    names = short_names(own)
    shown = [(one, estimate) for one in own if (estimate := headline(one))]
    shots = sorted({finished(one).protocol.shots for one, _ in shown})
    rows = [
        percent_row(estimate, name=names[one.model_reference], x=finished(one).protocol.shots)
        for one, estimate in shown
    ]
    floors = _floors(own, names)
    told = {"mode": inert(mode), "metric": inert(finished(own[0]).headline)}
    axis = f"{told['metric']} ({say['percent']})"
    if len(shots) > 1:
        spec = curves(rows, x=say["examples"], axis=axis, floors=floors)
        alt = say["konubench_shots"].format(**told)
    else:
        spec = dots(rows, axis=axis, floors=floors)
        alt = say["konubench_one"].format(shots=shots[0] if shots else 0, **told)
    table = tuple(
        (names[one.model_reference], str(finished(one).protocol.shots), figure(estimate)) for one, estimate in shown
    )
    return Chart(f"konubench-{mode}", spec, alt, (say["model"], say["examples"], axis), table)


def _floors(own: Sequence[StoredResult], names: dict[str, str]) -> list[dict[str, object]]:
    found = [(one, floor) for one in own if (floor := best_floor(finished(one)))]
    return [
        {
            "name": names[one.model_reference],
            "value": round(100 * floor[1].value, 3),
            "floor": f"{inert(floor[0])}: {figure(floor[1])}",
        }
        for one, floor in found
    ]


def _errors(mode: str, shots: int, group: Sequence[StoredResult], say: Words) -> Chart:
    names = short_names(group)
    cells = [
        (names[one.model_reference], say.get(kind, inert(kind)), estimate)
        for one in group
        for kind, estimate in finished(one).breakdown.get(ERRORS, {}).items()
    ]
    return Chart(
        f"konubench-errors-{mode}-{shots}",
        stacked([percent_row(estimate, name=name, part=part) for name, part, estimate in cells], axis=say["percent"]),
        say["konubench_errors"].format(mode=inert(mode), shots=shots),
        (say["model"], "", say["percent"]),
        tuple((name, part, figure(estimate)) for name, part, estimate in cells),
    )
