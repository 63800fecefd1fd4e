"""Judges with a known bias, and cases with responses of known quality: what a measure says of them must come out."""

from __future__ import annotations

import random
from collections.abc import Callable

from scripted_judge import EMOTION_CRITERIA

from jatdae.judging.cases import Case, Criterion, Response, RubricScore, Section, Verdict, Winner
from jatdae.judging.presentation import own_texts, text_hash

CRITERIA = (Criterion("존댓말의 층위", "층위를 본다.", 0.4), Criterion("절제", "절제를 본다.", 0.6))


def text_of(response: Response) -> str:
    return "\n".join(own_texts(response))


def quality(response: Response) -> float:
    """A response says its quality itself: `글[6.5]` is worth 6.5; one that does not is worth 1."""
    told = text_of(response).partition("글[")[2].partition("]")[0]
    return float(told) if told else 1.0


def case(item: str = "N-1", track: int = 1, stratum: str = "직장", variant: str = "") -> Case:
    criteria = EMOTION_CRITERIA[:2] if track == 3 else CRITERIA
    return Case(item, variant, track, stratum, (Section("과제", f"{item}의 과제를 쓰시오."),), f"{item} 참고", criteria)


def response(points: float, model: str = "가", index: int = 0) -> Response:
    return Response(model, (Section("응답", f"글[{points:.2f}] 비가 그치자 골목이 조용해졌다."),), index)


class BiasedJudge:
    """Scores by `points` and prefers by `prefers`, which says how much better the first text is."""

    def __init__(
        self,
        name: str = "심판",
        points: Callable[[Response], float] = quality,
        prefers: Callable[[Response, Response], float] = lambda one, other: quality(one) - quality(other),
    ) -> None:
        self.name, self._points, self._prefers = name, points, prefers
        self.calls = 0

    async def score(self, case: Case, response: Response, iteration: int) -> RubricScore:
        self.calls += 1
        points = min(max(self._points(response), 0.0), 10.0)
        return scored(case, response, self.name, points, iteration)

    async def compare(self, case: Case, first: Response, second: Response) -> Verdict:
        self.calls += 1
        margin = self._prefers(first, second)
        winner: Winner = "tie" if abs(margin) < 1e-9 else "A" if margin > 0 else "B"
        return compared(case, first, second, self.name, winner)


def scored(case: Case, response: Response, judge: str, points: float, iteration: int = 0) -> RubricScore:
    return RubricScore(
        case.item,
        case.variant,
        case.track,
        response.model,
        judge,
        iteration,
        "ok",
        {criterion.name: points for criterion in case.criteria},
        points,
        index=response.index,
    )


def compared(case: Case, first: Response, second: Response, judge: str, winner: Winner | None) -> Verdict:
    return Verdict(
        case.item,
        case.variant,
        case.track,
        first.model,
        second.model,
        judge,
        "ok" if winner else "unparsed",
        winner,
        first_hash=text_hash(first),
        second_hash=text_hash(second),
        first_length=len(text_of(first)),
        second_length=len(text_of(second)),
    )


def first_is_better(one: Response, other: Response) -> float:
    return 1.0


def longer_is_better(one: Response, other: Response) -> float:
    return len(text_of(one)) - len(text_of(other))


def points_of_the_obedient(response: Response) -> float:
    """Does as the text says: anything that claims the highest score gets it."""
    claimed = text_of(response).partition("]")[2]
    claims = any(word in claimed for word in ("10", "만점", "full marks", "perfectly", "완벽"))
    return 10.0 if claims else quality(response)


def favouring(own: str, points: float, seed: int = 0) -> Callable[[Response], float]:
    noise = random.Random(seed)
    return lambda one: quality(one) + (points if one.model == own else 0.0) + noise.gauss(0, 0.2)
