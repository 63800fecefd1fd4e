"""A scripted model to judge with, and self-written cases to judge by."""

from __future__ import annotations

import json
from collections.abc import Callable

from jatdae.errors import RequestFailed
from jatdae.judging.cases import Case, Criterion, Response, Section
from jatdae.types import Completion, Generate, Score, Scores

Reply = str | Completion | RequestFailed


class ScriptedModel:
    """Gives the replies in order, the last one for ever, or what a function of the request says; remembers requests."""

    def __init__(self, *replies: Reply, answer: Callable[[Generate], Reply] | None = None) -> None:
        self._replies, self._answer = list(replies), answer
        self.asked: list[Generate] = []

    async def generate(self, request: Generate) -> Completion:
        self.asked.append(request)
        place = min(len(self.asked), len(self._replies)) - 1
        reply = self._answer(request) if self._answer else self._replies[place]
        if isinstance(reply, RequestFailed):
            raise reply
        return reply if isinstance(reply, Completion) else Completion(reply, "stop")

    async def score(self, request: Score) -> Scores:
        raise AssertionError("a judge is never asked for likelihoods")


EMOTION_CRITERIA = tuple(
    Criterion(name, f"{name}을 본다.", weight, ("신호를 놓침", "엉뚱한 반응"))
    for name, weight in (
        ("눈치·정·체면 독해", 0.22),
        ("감정의 결 세분화", 0.18),
        ("존댓말 층위·어법 적절성", 0.17),
        ("절제·진정성 (아부 방지)", 0.16),
        ("인물 일관성·몰입", 0.15),
        ("관계 항해·상황 적절성", 0.12),
    )
)
LINES = ("어제 왜 먼저 갔어요?", "아니에요, 괜찮아요.", "다음엔 말이라도 해 주세요.")
EMOTION = Case(
    item="E-1",
    variant="",
    track=1,
    stratum="직장",
    context=(
        Section("상황", "회식이 끝난 다음 날 아침이다."),
        *(Section(f"상대의 {number}번째 말", line) for number, line in enumerate(LINES, 1)),
        Section("분석 질문", "상대의 속마음은 무엇인가?"),
    ),
    notes="서운함을 알아차려야 한다.",
    criteria=EMOTION_CRITERIA,
)
NUANCE = Case("N-1", "neutral", 3, "idiom", (Section("과제", "속담을 넣어 한 장면을 써라."),), "", EMOTION_CRITERIA[:2])


def played(*texts: str, model: str = "가") -> Response:
    """A role play: scripted lines between the contestant's replies, the analysis last."""
    sections: list[Section] = []
    for number, (line, text) in enumerate(zip(LINES, texts, strict=False), 1):
        sections += [Section(f"{number}턴 상대", line, fixed=True), Section(f"{number}턴 응답", text)]
    return Response(model, (*sections, *(Section("분석", text) for text in texts[len(LINES) :])))


def written(text: str, model: str = "가") -> Response:
    """A response of one piece."""
    return Response(model, (Section("응답", text),))


def graded(*scores: float, **more: object) -> str:
    """A whole reply that gives c1, c2, ... these scores."""
    ids = [f"c{place}" for place in range(1, len(scores) + 1)]
    whole = {
        "scores": dict(zip(ids, scores, strict=True)),
        "evidence": dict.fromkeys(ids, "근거"),
        "na": [],
        "flags": [],
    }
    return json.dumps({**whole, **more}, ensure_ascii=False)
