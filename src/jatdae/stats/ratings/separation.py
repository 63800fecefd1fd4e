"""Which models can be rated by the games at all: a maximum of the likelihood needs every model to be linked both ways.

Draw an arrow from a to b where a has points against b. Models without any path between them cannot be compared.
A model that cannot be reached from the others was never beaten, directly or by way of others: no finite rating is high
enough (Ford 1957; Zermelo 1929).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jatdae.stats.clusters import Codes, Floats

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What the arrows say about each model.

    `rated`: games link it to what the scale hangs on. `above`, `below`: only a prior keeps its rating from rising or
    from falling without end. `strong`: number of its strongly connected component; `parts`: of its connected one.
    """

    rated: Mask
    above: Mask
    below: Mask
    strong: Codes
    parts: Codes

    @property
    def finite(self) -> Mask:
        """The models whose rating is finite without a prior."""
        return self.rated & ~self.above & ~self.below


def structure(wins: Floats, anchors: Mask, fixed: Mask) -> Structure:
    """The structure of a win matrix, seen from the models that are fixed or, without any, from the anchors.

    Otherwise it is seen from the component with most models, then most games. Where two components are equal in all
    of this, neither is preferred: two unlinked halves are both unrated, and winner and loser of the only pair are
    unbounded both.
    """
    arrows = wins > 0
    arrows[np.ix_(fixed, fixed)] = True
    parts, strong = components(arrows, strong=False), components(arrows, strong=True)
    played = wins + wins.T
    if fixed.any():
        rated = np.isin(parts, parts[fixed & (played.sum(axis=1) > 0)])
    else:
        met = played.sum(axis=1) > 0
        best = _best(parts, anchors, played, met)
        rated = met & (parts == best[0]) if len(best) == 1 else np.zeros(len(wins), dtype=bool)
    above, below = np.zeros_like(rated), np.zeros_like(rated)
    for component in np.unique(strong[fixed & rated]) if fixed.any() else _best(strong, anchors, played, rated):
        above |= ~_reached(arrows, strong == component)
        below |= ~_reached(arrows.T, strong == component)
    return Structure(rated=rated, above=above & rated, below=below & rated, strong=strong, parts=parts)


def components(arrows: NDArray[Any], *, strong: bool) -> Codes:
    """Number of each node's component; with `strong`, of the nodes that reach each other along the arrows."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if len(arrows) == 0:
        return np.empty(0, dtype=np.intp)
    _, codes = connected_components(csr_matrix(arrows), directed=True, connection="strong" if strong else "weak")
    return codes.astype(np.intp)


def _best(codes: Codes, anchors: Mask, played: Floats, among: Mask) -> list[int]:
    """The components with most anchors, then models, then games; more than one where they are equal in all three."""
    ranked = []
    for code in np.unique(codes[among]):
        members = (codes == code) & among
        games = float(played[np.ix_(members, members)].sum())
        ranked.append(((int(anchors[members].sum()), int(members.sum()), round(games, 6)), int(code)))
    top = max((key for key, _ in ranked), default=None)
    return [code for key, code in ranked if key == top]


def _reached(arrows: NDArray[Any], start: Mask) -> Mask:
    """The nodes that can be reached along the arrows."""
    reached = start
    while True:
        further = reached | arrows[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further
