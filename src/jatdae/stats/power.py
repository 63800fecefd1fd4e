"""How many items a comparison needs, and what it can tell. Source: judging specification, section 1.7."""

from __future__ import annotations

import math

from scipy.special import ndtri


def items_needed(difference: float, discordance: float, *, power: float = 0.8) -> int:
    """Items on which two models must be compared as pairs to find a true difference in accuracy, at 5 % two-sided.

    `discordance` is the share of items that only one has right: n = z² (D - δ²) / δ², z = z(.975) + z(power). Raises
    ValueError for shares out of range, or a difference larger than the discordance.
    """
    if not 0 < difference <= discordance <= 1:
        raise ValueError(f"items_needed: difference {difference}, discordance {discordance}: 0 < δ <= D <= 1 is needed")
    return round(_square(power) * (discordance - difference**2) / difference**2)


def items_needed_unpaired(difference: float, accuracy: float, *, power: float = 0.8) -> int:
    """The same for two models on different items of accuracy `accuracy`: n = z² 2 p (1 - p) / δ², for each of them.

    Raises ValueError for shares out of range.
    """
    if not (0 < difference <= 1 and 0 < accuracy < 1):
        raise ValueError(f"items_needed_unpaired: difference {difference}, accuracy {accuracy}: out of range")
    return round(_square(power) * 2 * accuracy * (1 - accuracy) / difference**2)


def smallest_difference_unpaired(n: int, accuracy: float, *, power: float = 0.8) -> float:
    """The smallest true difference that `n` items each find for two models on different items.

    Raises ValueError unless n > 0 and the accuracy is a share.
    """
    if n <= 0 or not 0 < accuracy < 1:
        raise ValueError(f"smallest_difference_unpaired: n {n}, accuracy {accuracy}: out of range")
    return min(1.0, math.sqrt(_square(power) * 2 * accuracy * (1 - accuracy) / n))


def _square(power: float) -> float:
    """(z(.975) + z(power))². Raises ValueError for a power that is no share."""
    if not 0 < power < 1:
        raise ValueError(f"power {power}: a share between 0 and 1 is needed")
    return float(ndtri(0.975) + ndtri(power)) ** 2
