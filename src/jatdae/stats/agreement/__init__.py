"""Agreement between raters, and what follows from it. Arrays in, `Estimate` out, None where a measure is undefined.

Every measure that compares raters comes with a percentile interval from resampling items; `clusters` names the unit to
resample where several rows share an origin. The same data and seed give the same interval, whatever the order.
"""

from __future__ import annotations

from jatdae.stats.agreement.correction import corrected_rate, prediction_powered_mean
from jatdae.stats.agreement.correlation import kendall_tau, spearman
from jatdae.stats.agreement.divergence import js_divergence, kl_divergence
from jatdae.stats.agreement.intraclass import ICCKind, intraclass_correlation
from jatdae.stats.agreement.item_rest import item_rest_correlations
from jatdae.stats.agreement.kappa import weighted_kappa
from jatdae.stats.agreement.krippendorff import krippendorff_alpha
from jatdae.stats.agreement.pairs import pairwise_accuracy
from jatdae.stats.agreement.resampling import resampled

__all__ = [
    "ICCKind",
    "corrected_rate",
    "intraclass_correlation",
    "item_rest_correlations",
    "js_divergence",
    "kendall_tau",
    "kl_divergence",
    "krippendorff_alpha",
    "pairwise_accuracy",
    "prediction_powered_mean",
    "resampled",
    "spearman",
    "weighted_kappa",
]
