"""The states of an item on its way from two sentences of a corpus to the released benchmark."""

from __future__ import annotations

from enum import StrEnum

from jatdae.errors import RequestError


class State(StrEnum):
    """Where an item stands, in the order of the work; the last three are outside it."""

    DRAFTED = "drafted"
    MERGED = "merged"
    CORRECTED = "corrected"
    NEGATED = "negated"
    DISTRACTED = "distracted"
    REFINED = "refined"
    VERIFIED = "verified"
    RELEASED = "released"
    DISPUTED = "disputed"
    SETTLED = "settled"
    DROPPED = "dropped"


IN_WORK = (State.DRAFTED, State.MERGED, State.CORRECTED, State.NEGATED, State.DISTRACTED, State.REFINED)
"""The states in which the author's sheet shows an item. What people do by hand may skip a step of the machine."""
FINISHED = (State.VERIFIED, State.SETTLED, State.RELEASED)
"""The states whose items a release takes."""

_LATER = {
    State.REFINED: {State.REFINED, State.VERIFIED, State.DISPUTED},
    State.VERIFIED: {State.RELEASED},
    State.DISPUTED: {State.SETTLED},
    State.SETTLED: {State.RELEASED},
    State.RELEASED: set(),
    State.DROPPED: set(),
}


def may_follow(old: State, new: State) -> bool:
    """Whether an item may go from one state to the other. Until it is refined it may go on by any number of steps."""
    if new is State.DROPPED:
        return old not in (State.RELEASED, State.DROPPED)
    if old in _LATER:
        return new in _LATER[old]
    return new in IN_WORK and IN_WORK.index(new) >= IN_WORK.index(old)


def check_step(idx: str, old: State, new: State) -> None:
    """Raises RequestError where the states do not follow one another."""
    if not may_follow(old, new):
        raise RequestError(f"item {idx} is {old.value} and cannot become {new.value}; see its history")
