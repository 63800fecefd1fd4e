"""Estimates: what a mean of items is worth, and how sure it is. Pure functions from arrays to `Estimate`.

Every interval is at 95 %. Where none can be given, stderr, low and high are None and the method says why.
"""

from __future__ import annotations

from jatdae.stats.bootstrap import bootstrap_macro, cluster_bootstrap, seed_from
from jatdae.stats.intervals import consistency, mean, paired_difference, proportion, wilson
from jatdae.stats.seeds import crossed_seeds, seed_spread
from jatdae.stats.strata import macro, macro_random_strata, micro

__all__ = [
    "bootstrap_macro",
    "cluster_bootstrap",
    "consistency",
    "crossed_seeds",
    "macro",
    "macro_random_strata",
    "mean",
    "micro",
    "paired_difference",
    "proportion",
    "seed_from",
    "seed_spread",
    "wilson",
]
