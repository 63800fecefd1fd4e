"""Estimates: what a mean of items is worth, and how sure it is; ratings from games. Pure functions to `Estimate`.

Every interval is at 95 %. Where none can be given, stderr, low and high are None and the method says why.
"""

from __future__ import annotations

from jatdae.stats.agreement import (
    corrected_rate,
    intraclass_correlation,
    item_rest_correlations,
    js_divergence,
    kendall_tau,
    kl_divergence,
    krippendorff_alpha,
    pairwise_accuracy,
    prediction_powered_mean,
    spearman,
    weighted_kappa,
)
from jatdae.stats.bootstrap import bootstrap_macro, cluster_bootstrap, seed_from
from jatdae.stats.divergence import (
    Divergences,
    EstimatedDivergences,
    Resampled,
    divergences,
    estimate_divergences,
    in_bits,
    resample_clusters,
    resample_within,
)
from jatdae.stats.intervals import consistency, mean, paired_difference, proportion, wilson
from jatdae.stats.items import ItemFigures, analyse_items
from jatdae.stats.multiple import benjamini_hochberg, holm
from jatdae.stats.paired import mcnemar_exact, sign_flip, smallest_difference
from jatdae.stats.power import items_needed, items_needed_unpaired, smallest_difference_unpaired
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
    "Divergences",
    "EstimatedDivergences",
    "Game",
    "ItemFigures",
    "RatingSettings",
    "RatingTable",
    "Ratings",
    "Resampled",
    "analyse_items",
    "benjamini_hochberg",
    "bootstrap_macro",
    "bradley_terry",
    "cluster_bootstrap",
    "combine_orders",
    "consistency",
    "corrected_rate",
    "crossed_seeds",
    "divergences",
    "estimate_divergences",
    "expected_half_width",
    "fit_matrix",
    "holm",
    "in_bits",
    "intraclass_correlation",
    "item_rest_correlations",
    "items_needed",
    "items_needed_unpaired",
    "js_divergence",
    "kendall_tau",
    "kl_divergence",
    "krippendorff_alpha",
    "macro",
    "macro_random_strata",
    "mcnemar_exact",
    "mean",
    "micro",
    "paired_difference",
    "pairwise_accuracy",
    "prediction_powered_mean",
    "proportion",
    "rate",
    "resample_clusters",
    "resample_within",
    "seed_from",
    "seed_spread",
    "sign_flip",
    "smallest_difference",
    "smallest_difference_unpaired",
    "spearman",
    "weighted_kappa",
    "wilson",
]
