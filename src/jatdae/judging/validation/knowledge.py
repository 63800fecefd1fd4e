"""Whether models that know more also apply it better. Source: judging specification, section 3.4."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from jatdae.stats.agreement import spearman
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.types import Estimate

FEWEST_MODELS = 25


@dataclass(frozen=True, slots=True)
class KnowledgeApplication:
    """Spearman's rho over models between a knowledge test and what they write.

    `disattenuated` is rho over the root of the product of the two reliabilities: what it would be without errors of
    measurement; it can exceed 1 by chance and is then shown as it is. Without an estimate `note` says why.
    """

    models: int
    rho: Estimate | None
    disattenuated: float | None
    note: str = ""


def knowledge_application(
    knowledge: Mapping[str, float],
    application: Mapping[str, float],
    reliabilities: tuple[float, float] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> KnowledgeApplication:
    """The correlation over models that have both scores, with an interval from resampled models.

    `reliabilities` are those of the two scores over models, each above 0 and up to 1. Under 25 models, or where one
    side is the same for all, it is not estimable. Raises ValueError on other reliabilities or scores that are not
    finite.
    """
    if reliabilities is not None and not all(0 < one <= 1 for one in reliabilities):
        raise ValueError(f"reliabilities {reliabilities}: two numbers above 0 and up to 1 are needed")
    models = sorted(knowledge.keys() & application.keys())
    if len(models) < FEWEST_MODELS:
        return KnowledgeApplication(
            len(models), None, None, f"not estimable: {len(models)} models, {FEWEST_MODELS} are needed"
        )
    known, applied = ([scores[model] for model in models] for scores in (knowledge, application))
    rho = spearman(known, applied, draws=draws, seed=seed)
    if rho is None:
        return KnowledgeApplication(
            len(models), None, None, "not estimable: one of the scores is the same for all models"
        )
    corrected = None if reliabilities is None else rho.value / math.sqrt(math.prod(reliabilities))
    return KnowledgeApplication(len(models), rho, corrected)
