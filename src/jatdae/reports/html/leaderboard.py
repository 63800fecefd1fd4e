"""The leaderboard: every result with its interval, its range of ranks, and the floor beside it."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.reports.html.blocks import Block, Chart, Grid, Paragraph, Section
from jatdae.reports.html.charts import dots, percent_row, unique_names
from jatdae.reports.html.content import Content, by_question, headline_value
from jatdae.reports.html.words import Words
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure, short_name
from jatdae.store import StoredResult
from jatdae.types import Estimate, Result

MOST_CHARTS = 12


def leaderboard(content: Content, say: Words) -> Section:
    """A table of all results and a chart of each question."""
    questions = by_question(content.results)
    ranks = {one.id: span for own in questions.values() for one, span in zip(own, rank_ranges(own), strict=True)}
    header = tuple(
        say[name] for name in ("rank", "model", "task", "mode", "shots", "metric", "score", "floor", "status")
    )
    table = Grid(header, tuple(_row(one, ranks[one.id], say) for one in content.results), sortable=True)
    charts = [_chart(number, own, say) for number, own in enumerate(questions.values()) if _has_scores(own)]
    blocks: list[Block] = [Paragraph(say["leaderboard_help"]), table, *charts[:MOST_CHARTS]]
    return Section("leaderboard", say["leaderboard"], tuple(blocks))


def rank_ranges(results: Sequence[StoredResult]) -> list[tuple[int, int] | None]:
    """Best and worst rank that the intervals allow: one above another only where they do not overlap.

    None where a result has no interval.
    """
    spans = [_span(one) for one in results]
    known = [span for span in spans if span]
    return [
        (1 + sum(other[0] > span[1] for other in known), sum(other[1] >= span[0] for other in known)) if span else None
        for span in spans
    ]


def _span(stored: StoredResult) -> tuple[float, float] | None:
    estimate = headline(stored)
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return estimate.low, estimate.high


def headline(stored: StoredResult) -> Estimate | None:
    """The estimate that stands for a result."""
    return stored.result.estimates.get(stored.result.headline) if stored.result else None


def best_floor(result: Result) -> tuple[str, Estimate] | None:
    """The highest floor of the headline; one that is named after another metric is not of it."""
    others = {*result.estimates, "micro"}
    own = {name: one for name, one in result.floors.items() if name.rpartition(", ")[2] not in others}
    return max(own.items(), key=lambda pair: pair[1].value, default=None)


def _row(stored: StoredResult, rank: tuple[int, int] | None, say: Words) -> tuple[str, ...]:
    result, estimate = stored.result, headline(stored)
    assert result is not None  # noqa: S101 - only finished ones are gathered
    floor = best_floor(result)
    return (
        "n/a" if rank is None else f"{rank[0]}" if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}",
        inert(stored.model_reference),
        inert(stored.task),
        inert(stored.mode),
        str(result.protocol.shots),
        inert(result.headline),
        figure(estimate) if estimate else say["none"],
        f"{figure(floor[1])} {inert(floor[0])}" if floor else "",
        say["done"] if result.complete else say["incomplete"],
    )


def _has_scores(results: Sequence[StoredResult]) -> bool:
    return any(headline_value(one) > float("-inf") for one in results)


def _chart(number: int, results: Sequence[StoredResult], say: Words) -> Chart:
    names = unique_names([one.model_reference for one in results], short_name)
    shown = [(one, estimate) for one in results if (estimate := headline(one))]
    floors = [(one, floor) for one, _ in shown if one.result and (floor := best_floor(one.result))]
    first = results[0].result
    assert first is not None  # noqa: S101 - only finished ones are gathered
    return Chart(
        f"question-{number}",
        dots(
            [percent_row(estimate, name=inert(names[one.model_reference])) for one, estimate in shown],
            axis=f"{inert(first.headline)} ({say['percent']})",
            floors=[
                {
                    "name": inert(names[one.model_reference]),
                    "value": round(100 * floor[1].value, 3),
                    "floor": f"{inert(floor[0])}: {figure(floor[1])}",
                }
                for one, floor in floors
            ],
        ),
        say["overview_chart"].format(
            task=f"{inert(first.title)} ({inert(first.task)})",
            mode=f"{inert(first.protocol.mode)} {first.protocol.shots}-shot",
            metric=inert(first.headline),
        ),
        (say["model"], say["score"], say["floor"]),
        tuple((inert(one.model_reference), figure(estimate), _floor_text(one)) for one, estimate in shown),
    )


def _floor_text(stored: StoredResult) -> str:
    floor = best_floor(stored.result) if stored.result else None
    return f"{figure(floor[1])} {inert(floor[0])}" if floor else ""
