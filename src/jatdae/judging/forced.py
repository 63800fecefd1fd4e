"""Records for empty responses, which get the floor and lose without a call.

An empty text is a failure of the contestant, so it is scored; a call that failed is nobody's, so it is missing.
"""

from __future__ import annotations

from jatdae.judging.cases import Case, Response, RubricScore, Verdict, Winner
from jatdae.judging.presentation import own_texts, text_hash
from jatdae.judging.scales import LOWEST


def forced_floor(case: Case, response: Response, judge: str, iteration: int) -> RubricScore:
    """The lowest score on every criterion."""
    return RubricScore(
        item=case.item,
        variant=case.variant,
        track=case.track,
        model=response.model,
        judge=judge,
        iteration=iteration,
        status="forced",
        scores={criterion.name: LOWEST for criterion in case.criteria},
        weighted=LOWEST,
        flags=("empty",),
        text_hash=text_hash(response),
        index=response.index,
    )


def forced_verdict(
    case: Case, first: Response, second: Response, judge: str, *, first_empty: bool, second_empty: bool
) -> Verdict:
    """A clear loss for the side that is empty, a tie where both are. Raises ValueError where neither is."""
    if not (first_empty or second_empty):
        raise ValueError(f"{case.key}: neither response is empty, so a judge has to be asked")
    winner: Winner = "tie" if first_empty and second_empty else "B_much" if first_empty else "A_much"
    return Verdict(
        item=case.item,
        variant=case.variant,
        track=case.track,
        first=first.model,
        second=second.model,
        judge=judge,
        status="forced",
        winner=winner,
        flags=("empty",),
        first_hash=text_hash(first),
        second_hash=text_hash(second),
        first_length=sum(map(len, own_texts(first))),
        second_length=sum(map(len, own_texts(second))),
    )
