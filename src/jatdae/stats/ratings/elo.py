"""Sequential Elo, for comparison with published tables only: the result depends on the order of the games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jatdae.errors import RequestError
from jatdae.stats.ratings.games import Game, without_self_judged
from jatdae.stats.ratings.newton import ORIGIN


def sequential_elo(
    games: Sequence[Game],
    *,
    anchors: Sequence[str] = (),
    k: float = 32.0,
    decay: float = 1.0,
    sweeps: int = 1,
    start: float = ORIGIN,
) -> Mapping[str, float]:
    """Elo ratings after `sweeps` passes over the games in their order; a sweep's K is `decay` times the last one's.

    Each game moves both models by K (score - 1 / (1 + 10^((R_b - R_a) / 400))); `anchors` stay at `start`. Weights are
    not used. The best first.
    """
    if sweeps < 1:
        raise RequestError(f"sweeps {sweeps}: at least 1 is needed")
    names = sorted({game.a for game in games} | {game.b for game in games})
    number = {name: at for at, name in enumerate(names)}
    rating = [float(start)] * len(names)
    moves = [0.0 if name in set(anchors) else 1.0 for name in names]
    rows = [(number[game.a], number[game.b], game.score) for game in games]
    for _ in range(sweeps):
        for a, b, score in rows:
            change = k * (score - 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400)))
            rating[a] += moves[a] * change
            rating[b] -= moves[b] * change
        k *= decay
    best = sorted(range(len(names)), key=lambda at: (-rating[at], names[at]))
    return {names[at]: rating[at] for at in best}


def compatible_elo(
    games: Sequence[Game], anchors: Sequence[str] = (), identity: Mapping[str, str] | None = None
) -> Mapping[str, float]:
    """MunBench's published procedure: 200 sweeps, K from 16 down by 1 % a sweep, anchors all at 1200.

    Games that a contestant judged are left out, as `without_self_judged` tells them.
    """
    kept, _ = without_self_judged(games, identity)
    return sequential_elo(kept, anchors=anchors, k=16.0, decay=0.99, sweeps=200)
