"""Numbers as the tables show them: percent with one decimal and the 95 % interval, points with their sign."""

from __future__ import annotations

from jatdae.types import Estimate

ABSENT = "—"


def percent(estimate: Estimate | None) -> str:
    """`52.4 [49.1, 55.8]`; `n/a` where no interval can be given."""
    if estimate is None:
        return ABSENT
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.1f} [n/a]"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def counted(estimate: Estimate | None) -> str:
    """A percentage with the number of items or models behind it: `52.4 [49.1, 55.8] (43)`."""
    return ABSENT if estimate is None else f"{percent(estimate)} ({estimate.n:,})"


def points(estimate: Estimate | None) -> str:
    """A difference: `-13.4 [-15.0, -11.9]`."""
    if estimate is None:
        return ABSENT
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:+.1f} [n/a]"
    return f"{100 * estimate.value:+.1f} [{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"


def value(share: float) -> str:
    """A plain percentage."""
    return f"{100 * share:.1f}"
