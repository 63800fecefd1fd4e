"""A hard cap on what a run may spend. It is checked before every call, with the most that the call may cost."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.errors import RequestError, RequestFailed


@dataclass(slots=True)
class Budget:
    """`max_usd` and `max_calls` bound all that is spent, `spent_usd` and `calls` by earlier invocations included.

    Raises RequestError for a cap that is not above 0.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    spent_usd: float = 0.0
    calls: int = 0
    reserved_usd: float = 0.0

    def __post_init__(self) -> None:
        for name in ("max_usd", "max_calls"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise RequestError(f"budget.{name} {value}: a number above 0 is needed")

    def reserve(self, worst_usd: float | None) -> None:
        """Set aside the worst case of one call. Raises RequestFailed of kind `budget` when it does not fit any more."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise RequestFailed(
                f"the budget of {self.max_calls:,} calls is spent; raise budget.max_calls", kind="budget"
            )
        if self.max_usd is not None:
            if worst_usd is None:
                message = "no price is known, so budget.max_usd cannot be kept; set budget.max_calls instead"
                raise RequestFailed(message, kind="budget")
            if self.spent_usd + self.reserved_usd + worst_usd > self.max_usd:
                raise RequestFailed(
                    f"{self.spent_usd:.2f} of {self.max_usd:.2f} US dollars are spent and one more call might cost "
                    f"{worst_usd:.4f}; raise budget.max_usd",
                    kind="budget",
                )
        self.calls += 1
        self.reserved_usd += worst_usd or 0.0

    def settle(self, worst_usd: float | None, cost_usd: float | None) -> None:
        """Replace what was set aside by what the call cost; where nobody says, the worst case stands."""
        self.reserved_usd -= worst_usd or 0.0
        self.spent_usd += (worst_usd or 0.0) if cost_usd is None else cost_usd
