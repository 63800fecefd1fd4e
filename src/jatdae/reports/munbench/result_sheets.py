"""Tables of what the models scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jatdae.reports.munbench.figures import ABSENT, full, interval, percent, rate, rating, score, signed, spread
from jatdae.reports.munbench.sheet import Record, Sheet, named, rank_range, sheet, tracks_of
from jatdae.reports.munbench.texts import MEASURES
from jatdae.reports.munbench.words import MEASURES as MEASURE_NAMES
from jatdae.reports.munbench.words import Words

_STATUSES = ("ok", "truncated", "empty", "refused", "error", "partial", "missing")
_RATES = {name for name, one in MEASURES.items() if one.is_rate} | {"shared_openings"}


def main(record: Record, words: Words) -> Sheet:
    tracks = tracks_of(record)

    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            own = row["tracks"]
            yield (
                _rank(row),
                rank_range(row["rank_range"]),
                named(row),
                words("withheld") if row["withheld"] else score(row["overall_rubric_mean"]),
                interval(row["overall"]),
                rating(row["elo"]),
                interval(row["rating"]["estimate"], 0) if row["rating"] and row["elo"] is not None else ABSENT,
                *(spread(own[one]["rubric_mean"], own[one]["rubric_std"]) for one in tracks),
                " · ".join(score(own[one]["slop_per_1k"]) for one in tracks),
                " · ".join(percent(own[one]["code_switch_rate"]) for one in tracks),
            )

    floor = record["noise_floor"]
    shown = f"{score(floor.points)} {words('points')}" if floor else words("unknown_floor")
    names = ("rank", "range", "model", "overall", "interval", "elo", "interval")
    header = [*map(words, names), *(f"T{one}" for one in tracks), words("slop"), words("switch")]
    return sheet("main", words, header, rows(), words.note("main", floor=shown))


def _rank(row: Record) -> str:
    return ABSENT if row["rank"] is None else f"{row['rank']}{'=' if row['rank_is_tied'] else ''}"


def _intervals(record: Record, words: Words) -> Sheet:
    tracks = tracks_of(record)

    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            overall = words("withheld") if row["withheld"] else full(row["overall"])
            by_track = (full(row["track_details"][one]["rubric"]) for one in tracks)
            others = (row["overall_over_all_items"], row["overall_over_answered_items"], row["lead_over_next"])
            yield (named(row), overall, *by_track, *map(full, others))

    names = (*(f"T{one}" for one in tracks), *map(words, ("over_all", "over_answered", "lead")))
    return sheet("intervals", words, (words("model"), words("overall"), *names), rows())


def _completion(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            own, cover = row["completion"], row["coverage"]
            yield (
                named(row),
                str(own["generation_total"]),
                str(own["generation_errors"]),
                percent(own["generation_error_rate"]),
                str(own["judge_slots_total"]),
                str(own["judge_slots_failed"]),
                percent(own["judge_failure_rate"]),
                f"{percent(cover['coverage'])} ({cover['answered']}/{cover['planned']})",
                " / ".join(str(cover["statuses"].get(name, 0)) for name in _STATUSES),
            )

    names = ("model", "generations", "errors", "error_rate", "slots", "failed", "failure_rate", "coverage", "statuses")
    return sheet("completion", words, list(map(words, names)), rows())


def _culture(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            own = row["culture_pair"]
            if own["n_pairs"]:
                middle = (score(own["specified_mean"]), score(own["neutral_mean"]), signed(own["delta"]))
                yield (named(row), str(own["n_pairs"]), *middle)

    names = ("model", "pairs", "specified", "neutral", "delta")
    return sheet("culture", words, list(map(words, names)), rows())


def _variants(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            for kind, own in row["variants"].items():
                yield named(row), words.kind(kind), full(own["difference"]) + _no_claim(own)

    names = ("model", "kind", "difference")
    return sheet("variants", words, list(map(words, names)), rows(), words.note("variants"))


def _no_claim(found: Record) -> str:
    return "" if found["claim_allowed"] else " *"


def _spreads(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            for track, own in row["track_details"].items():
                three = own["spreads"]
                over_items = f"{score(three['item_spread'])} n={three['item_spread_n']}"
                yield (
                    named(row),
                    track,
                    over_items,
                    full(three["judge_repeatability"]),
                    full(three["judge_disagreement"]),
                )

    names = ("model", "track", "item_spread", "repeatability", "disagreement")
    return sheet("spreads", words, list(map(words, names)), rows(), words.note("spreads"))


def _by(part: str, name: str, column: str) -> Callable[[Record, Words], Sheet]:
    """A table with a row for each name of a part of the tracks' details, and a column for each model."""

    def make(record: Record, words: Words) -> Sheet:
        def rows() -> Iterator[tuple[str, ...]]:
            for track in tracks_of(record):
                parts = [row["track_details"][track].get(part, {}) for row in record["rows"]]
                for one in dict.fromkeys(one for found in parts for one in found):
                    yield (track, one, *(full(found.get(one)) for found in parts))

        header = (words("track"), words(column), *map(named, record["rows"]))
        return sheet(name, words, header, rows())

    return make


def _controls(record: Record, words: Words) -> Sheet:
    tracks = tracks_of(record)

    def rows() -> Iterator[tuple[str, ...]]:
        for row in record["rows"]:
            own = row["over_reading"]
            yield (
                named(row),
                *("; ".join(map(full, row["track_details"][one]["honorifics"].values())) or ABSENT for one in tracks),
                rate(row["gate_failures"]),
                rate(own["rate"]) + _no_claim(own) if own else ABSENT,
            )

    header = (words("model"), *(f"T{one}" for one in tracks), words("gate"), words("over_reading"))
    return sheet("controls", words, header, rows(), words.note("controls"))


def _texts(record: Record, words: Words) -> Sheet:
    def rows() -> Iterator[tuple[str, ...]]:
        for track in tracks_of(record):
            found = [row["texts"][track] for row in record["rows"]]
            for name in MEASURE_NAMES:
                if any(own.get(name) is not None for own in found):
                    show = rate if name in _RATES else full
                    yield (track, words.measure(name), *(show(own.get(name)) for own in found))

    header = (words("track"), words("measure"), *map(named, record["rows"]))
    return sheet("texts", words, header, rows())


RESULTS = (
    _completion,
    _culture,
    _intervals,
    _spreads,
    _variants,
    _controls,
    _by("groups", "groups", "group"),
    _by("tags", "tags", "tag"),
    _by("criteria", "criteria", "criterion"),
    _texts,
)
