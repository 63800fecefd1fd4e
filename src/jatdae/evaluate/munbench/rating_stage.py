"""Stage 4: ratings from the comparisons, with all that qualifies them, in `ratings.json`; and the published Elo beside.

`elo.json` holds bare numbers in the original's form: the published procedure in the profile `compat`, the headline
ratings in `standard`. Where no game counts, both files say so, and no earlier rating survives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from jatdae.benchmarks.munbench.records import LiteraryItem
from jatdae.benchmarks.munbench.style import style
from jatdae.errors import JatdaeError, RequestError
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.games import Comparison, games
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.published import write_comparisons
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.validation import position_bias
from jatdae.stats.ratings import (
    ControlledRatings,
    Game,
    Ratings,
    RatingSettings,
    RatingTable,
    compatible_elo,
    contrast,
    controlled_ratings,
    davidson,
    points,
    rate,
)
from jatdae.types import canonical, digest

LOCK = "anchors.lock.json"


def rate_all(work: Workspace) -> int:
    """Fit and write the ratings, of all tracks and models; returns how many comparisons lack an outcome."""
    evidence = Evidence(work.whole)
    found = evidence.comparisons
    folder = work.folder.path
    write_comparisons(evidence)
    family = work.config.rubric.self_judging == "exclude_family"
    counted = games(found, families=evidence.identities if family else None)
    record = ratings_record(evidence, counted) if counted else {"method": "bt", "n_games": 0, "ratings": []}
    write_text(folder / "ratings.json", json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    elo = record.get("elo_compat", {}) if work.config.profile == "compat" else record.get("headline", {})
    write_text(folder / "elo.json", json.dumps(elo, ensure_ascii=False, indent=2) + "\n")
    if not counted:
        work.progress.stage("no comparison counts: there are no ratings")
    return sum(one.outcome is None for one in found)


def games_hash(counted: Sequence[Game]) -> str:
    """A digest of the games, whatever their order."""
    return digest(*sorted(canonical(asdict(game)) for game in counted))


def ratings_record(evidence: Evidence, counted: Sequence[Game]) -> dict[str, Any]:
    """Everything that `ratings.json` holds."""
    work = evidence.work
    settings, why = rating_settings(work, counted)
    table = rate(counted, settings)
    if table.mode == "locked" and table.drift is not None and table.drift.has_drifted:
        table, settings, why = _refitted(work, counted, settings, table.drift.p)
    _lock(work, table, counted)
    controlled = _controlled(evidence, settings)
    return {
        "method": "bt",
        "mode": table.mode,
        "settings": {"prior_games": settings.prior_games, "draws": settings.draws, "seed": settings.seed},
        "n_games": table.games,
        "n_items": table.items,
        "game_set_hash": games_hash(counted),
        "notes": [*table.notes, *why],
        "headline": {name: round(value, 6) for name, value in table.values.items()},
        "ratings": [asdict(row) for row in table.rows],
        "ahead": [[a, b, share] for (a, b), share in sorted(table.ahead.items())],
        "components": table.components,
        "drift": asdict(table.drift) if table.drift else None,
        "unfrozen": dict(table.unfrozen),
        "self_judged": sum(one.self_judged for one in evidence.comparisons),
        "orders": {one.judge: asdict(one.orders) for one in position_bias(evidence.verdicts)},
        "style": _controlled_record(controlled),
        "ties": _ties(evidence),
        "elo_compat": dict(sorted(compatible_elo(counted, _anchors(work)).items())),
    }


def rating_settings(work: Workspace, counted: Sequence[Game]) -> tuple[RatingSettings, list[str]]:
    """The settings' way of placing the ratings, and what was decided on the way.

    Without a mode in the settings: the mean of the anchors is held at 1200, and once models have joined, the anchors
    keep the values that they had in the fit before.
    """
    ratings, anchors = work.config.ratings, _anchors(work)
    lock, why = _read_lock(work), []
    mode: Any = ratings.anchor_mode
    if mode is None and anchors:
        joined = set(_models(counted)) - set(lock.get("models", []))
        mode = "locked" if lock and joined else "mean_pin"
        if mode == "locked":
            why.append(f"anchors keep their values of an earlier fit; joined since: {', '.join(sorted(joined))}")
    values: Any = anchors
    if mode in ("listed", "affine"):
        values = ratings.anchors
    elif mode == "locked":
        if not lock:
            raise RequestError("anchor_mode locked: there is no earlier fit of these anchors, judges and items")
        values = lock["anchors"]
    settings = RatingSettings(
        anchors=values if mode else (),
        mode=mode,
        frozen=ratings.frozen_models,
        prior_games=ratings.prior_games,
        draws=ratings.bootstrap,
        seed=work.config.seed,
    )
    return settings, why


def _refitted(
    work: Workspace, counted: Sequence[Game], held: RatingSettings, p: float | None
) -> tuple[RatingTable, RatingSettings, list[str]]:
    """Ratings with the anchors estimated anew, since they no longer stand as they were held.

    Raises RequestError when the settings ask for the held values all the same. Source: judging specification, 2.2.
    """
    told = f"the anchors have drifted from their earlier fit (p = {p:.2g})"
    if work.config.ratings.anchor_mode == "locked":
        raise RequestError(f"{told}; leave ratings.anchor_mode out, so that they are fitted anew")
    settings = replace(held, anchors=_anchors(work), mode="mean_pin")
    return rate(counted, settings), settings, [f"{told}: they were fitted anew"]


def _anchors(work: Workspace) -> list[str]:
    return list(work.config.pairwise.anchors)


def _models(counted: Sequence[Game]) -> list[str]:
    return sorted({game.a for game in counted} | {game.b for game in counted})


def _question(work: Workspace) -> dict[str, Any]:
    """What a lock is good for: these anchors, judges and items."""
    return {
        "set": sorted(_anchors(work)),
        "judges": sorted(entry.id for entry in work.config.pairwise_judges),
        "dataset_hash": work.dataset.hash,
        "profile": work.config.profile,
    }


def _read_lock(work: Workspace) -> dict[str, Any]:
    """The lock, if there is one for this question."""
    file = work.folder.path / LOCK
    if not file.exists():
        return {}
    try:
        lock = json.loads(file.read_text(encoding="utf-8"))
        return lock if lock["question"] == _question(work) else {}
    except (ValueError, KeyError, TypeError):
        raise JatdaeError(f"{file} is broken; restore it, or delete it to fit the anchors anew") from None


def _lock(work: Workspace, table: RatingTable, counted: Sequence[Game]) -> None:
    """Keep the anchors' values of a fit that estimated them."""
    values = {name: table.values[name] for name in _anchors(work) if name in table.values}
    if table.mode != "mean_pin" or len(values) < len(_anchors(work)):
        return
    lock = {"question": _question(work), "models": _models(counted), "anchors": values}
    write_text(work.folder.path / LOCK, json.dumps(lock, ensure_ascii=False, indent=2) + "\n")


def _controlled(evidence: Evidence, settings: RatingSettings) -> ControlledRatings | None:
    """Ratings from single orders, with position and style as covariates; None without a valid verdict."""
    rows: list[Game] = []
    styles: dict[str, list[float]] = {}
    for one in evidence.comparisons:
        for order in one.orders:
            if one.self_judged or order is None or order.winner is None:
                continue
            rows.append(Game(order.first, order.second, points(order.winner), one.item, one.judge, str(one.track)))
            for name, value in _contrasts(evidence, one, order.first, order.second).items():
                styles.setdefault(name, []).append(value)
    if not rows:
        return None
    return controlled_ratings(
        rows,
        order=[1.0] * len(rows),
        style=styles,
        anchors=settings.anchors,
        mode=settings.mode,
        prior_games=settings.prior_games,
    )


def _contrasts(evidence: Evidence, one: Comparison, first: str, second: str) -> dict[str, float]:
    unit = evidence.unit_of(one)
    item = evidence.units[unit].item
    verse = isinstance(item, LiteraryItem) and item.form == "시"
    sides = [style(evidence.generations[model, unit, 0].text, is_verse=verse) for model in (first, second)]
    measured = [evidence.metrics.get((model, unit, 0)) for model in (first, second)]
    for side, metrics in zip(sides, measured, strict=True):
        side["slop"] = metrics.slop.strong_per_1000 if metrics else 0.0
    return {name: contrast(sides[0][name], sides[1][name], 0.0 if name == "length" else 1.0) for name in sides[0]}


def _controlled_record(found: ControlledRatings | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "raw": _rows(found.raw),
        "controlled": _rows(found.controlled),
        "coefficients": {name: asdict(one) for name, one in found.coefficients.items()},
        "left_out": dict(found.left_out),
    }


def _rows(ratings: Ratings) -> list[Mapping[str, Any]]:
    return [asdict(one) for one in ratings.ratings]


def _ties(evidence: Evidence) -> dict[str, Any] | None:
    """Davidson's tie parameter from single orders: a diagnostic on a scale of its own. None where it has no meaning."""
    rows = [
        Game(order.first, order.second, points(order.winner), one.item)
        for one in evidence.comparisons
        for order in one.orders
        if order is not None and order.winner is not None and not one.self_judged
    ]
    if not any(row.score != 0.5 for row in rows):
        return None
    found = davidson(rows)
    return {"nu": found.parameter, "log_stderr": found.log_stderr, "ratings": _rows(found.ratings)}
