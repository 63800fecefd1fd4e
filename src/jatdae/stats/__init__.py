"""Estimates: what a mean of items is worth, and how sure it is; ratings from games. Pure functions to `Estimate`.

Every interval is at 95 %. Where none can be given, stderr, low and high are None and the method says why.
"""

from __future__ import annotations

from jatdae.stats.bootstrap import bootstrap_macro, cluster_bootstrap, seed_from
from jatdae.stats.intervals import consistency, mean, paired_difference, proportion, wilson
from jatdae.stats.ratings import (
    Game,
    Ratings,
    RatingSettings,
    RatingTable,
    bradley_terry,
    combine_orders,
    expected_half_width,
    fit_matrix,
    rate,
)
from jatdae.stats.seeds import crossed_seeds, seed_spread
from jatdae.stats.strata import macro, macro_random_strata, micro

__all__ = [
    "Game",
    "RatingSettings",
    "RatingTable",
    "Ratings",
    "bootstrap_macro",
    "bradley_terry",
    "cluster_bootstrap",
    "combine_orders",
    "consistency",
    "crossed_seeds",
    "expected_half_width",
    "fit_matrix",
    "macro",
    "macro_random_strata",
    "mean",
    "micro",
    "paired_difference",
    "proportion",
    "rate",
    "seed_from",
    "seed_spread",
    "wilson",
]
