"""Ratings from games between models: Bradley-Terry and what belongs to it. Games in, frozen records out.

`rate` makes the whole table: a fit for each judge, averaged, with intervals from resampled items. `bradley_terry` is
one fit. The rest are diagnostics beside them: ties, position and style, drift of anchors, sequential Elo.
"""

from __future__ import annotations

from jatdae.stats.ratings.anchors import AnchorMode, Anchors
from jatdae.stats.ratings.calibration import AnchorTest, anchor_drift, likelihood_ratio
from jatdae.stats.ratings.elo import compatible_elo, sequential_elo
from jatdae.stats.ratings.fit import Errors, bradley_terry, fit_matrix
from jatdae.stats.ratings.games import Game, win_matrix, without_self_judged
from jatdae.stats.ratings.orders import Orders, Outcome, combine_orders, points, summarise_orders
from jatdae.stats.ratings.planning import expected_half_width
from jatdae.stats.ratings.rating import rate
from jatdae.stats.ratings.records import Rating, Ratings
from jatdae.stats.ratings.rows import ControlledRatings, contrast, controlled_ratings
from jatdae.stats.ratings.table import RatedModel, RatingSettings, RatingTable
from jatdae.stats.ratings.ties import TieRatings, davidson, rao_kupper

__all__ = [
    "AnchorMode",
    "AnchorTest",
    "Anchors",
    "ControlledRatings",
    "Errors",
    "Game",
    "Orders",
    "Outcome",
    "RatedModel",
    "Rating",
    "RatingSettings",
    "RatingTable",
    "Ratings",
    "TieRatings",
    "anchor_drift",
    "bradley_terry",
    "combine_orders",
    "compatible_elo",
    "contrast",
    "controlled_ratings",
    "davidson",
    "expected_half_width",
    "fit_matrix",
    "likelihood_ratio",
    "points",
    "rao_kupper",
    "rate",
    "sequential_elo",
    "summarise_orders",
    "win_matrix",
    "without_self_judged",
]
