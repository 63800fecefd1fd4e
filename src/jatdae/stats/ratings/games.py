"""Games between models, and the same games as columns of numbers in an order that does not depend on how they came."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jatdae.errors import RequestError
from jatdae.stats.clusters import Codes, Floats

Name = TypeVar("Name", bound=Hashable)

_EFFORT = re.compile(r"@(?:none|minimal|low|medium|high|xhigh|max)$")


@dataclass(frozen=True, slots=True)
class Game:
    """One comparison of two models. `score` is what `a` got, from 0 (lost) over 0.5 (tie) to 1 (won).

    `item` is what they were compared on: games of one item share a cluster, and "" is a cluster of its own. `judge`
    and `track` say who compared and in which part of the benchmark. `weight` is above 0.
    Raises RequestError on a model that meets itself, a score outside 0 to 1, or a weight that is not above 0.
    """

    a: str
    b: str
    score: float
    item: str = ""
    judge: str = ""
    track: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise RequestError(f"game of {self.a!r} against itself on item {self.item!r}; two models are needed")
        if not 0 <= self.score <= 1:
            raise RequestError(f"game of {self.a!r} and {self.b!r}: score {self.score}; 0 to 1 is needed")
        if not (self.weight > 0 and math.isfinite(self.weight)):
            raise RequestError(f"game of {self.a!r} and {self.b!r}: weight {self.weight}; more than 0 is needed")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Games as arrays. `models`, `judges` and `tracks` are sorted names; the codes of n games count into them.

    `item` numbers the clusters from 0 to `items` - 1, in the order of (track, item). `given` is the place that each
    game had in what was passed.
    """

    models: tuple[str, ...]
    judges: tuple[str, ...]
    tracks: tuple[str, ...]
    items: int
    first: Codes
    second: Codes
    score: Floats
    weight: Floats
    judge: Codes
    track: Codes
    item: Codes
    given: Codes

    def weighted(self, weight: Floats) -> Columns:
        return replace(self, weight=weight)

    def only(self, chosen: NDArray[np.bool_]) -> Columns:
        """The games that are chosen; names and numbers stay."""
        kept = ("first", "second", "score", "weight", "judge", "track", "item", "given")
        return replace(self, **{name: getattr(self, name)[chosen] for name in kept})

    def wins(self) -> Floats:
        """Weighted points of each model (row) against each other (column)."""
        return win_matrix(self.first, self.second, self.score, self.weight, len(self.models))


def columns(games: Sequence[Game], models: Iterable[str] = ()) -> Columns:
    """The games as columns, sorted so that their order does not matter; `models` are named even without a game."""
    names = sorted({game.a for game in games} | {game.b for game in games} | set(models))
    judges, tracks = sorted({game.judge for game in games}), sorted({game.track for game in games})
    labelled = sorted({(game.track, game.item) for game in games if game.item})
    model_code, judge_code, track_code = _numbers(names), _numbers(judges), _numbers(tracks)
    item_code = _numbers(labelled)
    first = _codes(model_code[game.a] for game in games)
    second = _codes(model_code[game.b] for game in games)
    judge = _codes(judge_code[game.judge] for game in games)
    track = _codes(track_code[game.track] for game in games)
    item = _codes(item_code.get((game.track, game.item), len(labelled)) for game in games)
    score = np.array([game.score for game in games], dtype=np.float64)
    weight = np.array([game.weight for game in games], dtype=np.float64)
    order = np.lexsort((weight, score, judge, second, first, track, item))
    item = item[order]
    alone = item == len(labelled)
    item[alone] += np.arange(int(alone.sum()))
    return Columns(
        models=tuple(names),
        judges=tuple(judges),
        tracks=tuple(tracks),
        items=len(labelled) + int(alone.sum()),
        first=first[order],
        second=second[order],
        score=score[order],
        weight=weight[order],
        judge=judge[order],
        track=track[order],
        item=item,
        given=order,
    )


def win_matrix(
    first: ArrayLike, second: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, size: int | None = None
) -> Floats:
    """Points of each model (row) against each other (column), from numbered models and the scores of the first ones.

    All arrays have one entry a game; `size` is the number of models, by default the largest number plus one.
    """
    a, b = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    if size is None:
        size = int(max(a.max(), b.max())) + 1 if a.size else 0
    points = np.asarray(scores, dtype=np.float64)
    weight = np.ones(a.size) if weights is None else np.asarray(weights, dtype=np.float64)
    cells = size * size
    won = np.bincount(a * size + b, weights=weight * points, minlength=cells)
    lost = np.bincount(b * size + a, weights=weight * (1 - points), minlength=cells)
    return np.asarray(won + lost, dtype=np.float64).reshape(size, size)


def without_self_judged(
    games: Sequence[Game], identity: Mapping[str, str] | None = None
) -> tuple[tuple[Game, ...], tuple[Game, ...]]:
    """The games that no contestant judged, and those that one did.

    Names are compared after `identity` (alias to name) and without a reasoning effort at the end, such as `@high`.
    """
    known = identity or {}

    def who(name: str) -> str:
        plain = _EFFORT.sub("", known.get(name, name))
        return known.get(plain, plain)

    names = {name for game in games for name in (game.a, game.b, game.judge)}
    same = {name: who(name) for name in names}
    own = [bool(game.judge) and same[game.judge] in (same[game.a], same[game.b]) for game in games]
    kept = tuple(game for game, is_own in zip(games, own, strict=True) if not is_own)
    return kept, tuple(game for game, is_own in zip(games, own, strict=True) if is_own)


def equal_weights(games: Columns) -> Floats:
    """Weights under which every judge counts the same, and within a judge every track; their sum stays as it was."""
    cell = games.judge * max(1, len(games.tracks)) + games.track
    by_track = _level(games.weight, cell, games.judge)
    return _level(by_track, games.judge, np.zeros_like(games.judge))


def _level(weight: Floats, group: Codes, owner: Codes) -> Floats:
    """Weights with the same total in each group of one owner, whose own total is kept."""
    if weight.size == 0:
        return weight
    totals = np.bincount(group, weights=weight)
    present = np.flatnonzero(totals)
    owner_of = np.zeros(totals.size, dtype=np.intp)
    owner_of[group] = owner
    owned = np.bincount(owner, weights=weight)
    parts = np.bincount(owner_of[present], minlength=owned.size)
    return weight * (owned[owner] / parts[owner]) / totals[group]


def _numbers(names: Sequence[Name]) -> dict[Name, int]:
    return {name: number for number, name in enumerate(names)}


def _codes(numbers: Iterable[int]) -> Codes:
    return np.fromiter(numbers, dtype=np.intp)
