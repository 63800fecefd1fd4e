"""Negating Korean sentences by rule: the standard negation of a sentence, and candidates of local negation."""

from jatdae.korean.negating.local import LocalNegation, negate_locally
from jatdae.korean.negating.standard import StandardNegation, negate, plan_of

__all__ = ["LocalNegation", "StandardNegation", "negate", "negate_locally", "plan_of"]
