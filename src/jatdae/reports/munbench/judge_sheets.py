"""Tables of what the judges did: scores by judge, ratings from comparisons, and what moves the verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from jatdae.reports.munbench.figures import ABSENT, full, interval, percent, rate, rating, signed
from jatdae.reports.munbench.sheet import Record, Sheet, named, rank_range, sheet
from jatdae.reports.munbench.words import Words
from jatdae.types import Estimate


def judges(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            yield (named(row), *(_judge_cell(one) for one in record["judge_matrix"][row["model"]].values()))
        details = record["judge_details"].values()
        yield (words("leniency"), *(signed(one["leniency"]) for one in details))
        yield (words("missing"), *(percent(one["missing"]) for one in details))

    return sheet("judges", words, (words("model"), *record["judges"]), rows(), words.note("judges"))


def _judge_cell(cell: Record) -> str:
    if cell["mean"] is None:
        return ABSENT
    mark = {"own": " ◆", "family": " ◇", "": ""}[cell["relation"]]
    residual = signed(cell["residual"].value) if cell["residual"] else ABSENT
    return f"{full(cell['mean'])} ({cell['rank']}) {residual}{mark}"


def _own(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for judge, own in record["self_preference"].items():
            if own["own"] or own["family"]:
                yield judge, full(own["own"]), full(own["family"])

    return sheet("own", words, list(map(words, ("judge", "own", "family"))), rows(), words.note("own"))


def _own_wins(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for one in record["pairwise"]["own_wins"]:
            difference = rate(one.difference)
            yield one.judge, one.model, str(one.comparisons), percent(one.own), percent(one.others), difference

    names = ("judge", "model", "comparisons", "own_rate", "other_rate", "difference")
    return sheet("own_wins", words, list(map(words, names)), rows())


def _without(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for judge, own in record["without_each_judge"].items():
            order = sorted(own["models"].items(), key=lambda one: (one[1]["rank"], one[0]))
            told = ", ".join(f"{one['rank']} {model} ({signed(one['change'])})" for model, one in order)
            if told:
                yield judge, str(own["largest_rank_shift"]), told

    return sheet("without", words, list(map(words, ("removed", "rank_shift", "order"))), rows())


def _positions(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        first = record["pairwise"]["first_shown"]
        for judge, own in record["pairwise"]["position"].items():
            gamma = first.get(f"first: {judge}") or (first.get("first") if len(first) == 1 else None)
            shares = (own["flips"], own["first_wins"], own["longer_wins"])
            yield (judge, str(own["comparisons"]), *map(rate, shares), full(gamma))

    names = ("judge", "comparisons", "flips", "first_wins", "longer_wins", "gamma")
    return sheet("positions", words, list(map(words, names)), rows(), words.note("positions"))


def _style(record: Record, words: Words) -> Sheet:
    rows = ((name, full(one)) for name, one in record["pairwise"]["style"].items())
    return sheet("style", words, list(map(words, ("covariate", "coefficient"))), rows)


def _items(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for track, own in record["items"].items():
            if own:
                yield track, str(own["models"]), ", ".join(own["weak"]) or "0", ", ".join(own["saturated"]) or "0"

    names = ("track", "models", "weak", "saturated")
    return sheet("items", words, list(map(words, names)), rows(), words.note("items"))


def _ratings(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        rated = [row for row in record["rows"] if row["rating"] and row["rating"]["estimate"]]
        for row in sorted(rated, key=lambda row: (-row["rating"]["estimate"].value, row["model"])):
            own = row["rating"]
            yield (
                named(row),
                rating(own["estimate"].value),
                interval(own["estimate"], 0),
                rank_range(own["rank_range"]),
                str(own["games"]),
                *(_rating_and_interval(own[name]) for name in ("single_orders", "style_controlled")),
                rating(own["elo_compat"]),
            )

    names = ("model", "elo", "interval", "range", "games", "single_orders", "style_controlled", "elo_compat")
    return sheet("ratings", words, list(map(words, names)), rows(), words.note("ratings"))


def _rating_and_interval(estimate: Estimate | None) -> str:
    return f"{rating(estimate.value)} {interval(estimate, 0)}" if estimate else ABSENT


def _wins(record: Record, words: Words) -> Sheet:
    points: dict[tuple[str, str], tuple[float, int]] = {}
    for one in record["pairwise"]["wins"]:
        points[one["a"], one["b"]] = (one["points_a"], one["games"])
        points[one["b"], one["a"]] = (one["games"] - one["points_a"], one["games"])
    playing = [row for row in record["rows"] if any(row["model"] in pair for pair in points)]

    def rows() -> Iterator[tuple[str, ...]]:
        for row in playing:
            met = [points.get((row["model"], other["model"])) for other in playing]
            yield (named(row), *(f"{found[0]:g}/{found[1]}" if found else ABSENT for found in met))

    return sheet("wins", words, (words("model"), *map(named, playing)), rows())


JUDGEMENTS = (_ratings, _wins, _positions, _style, _own, _own_wins, _without, _items)
