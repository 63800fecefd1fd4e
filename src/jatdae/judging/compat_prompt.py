"""Prompts of the `compat` profile: no fence, criteria by name, a flat map of scores, and A, B or draw.

Own words for the published structure. Source: MunBench specification, sections 3.2, 3.3, 4.2 to 4.4, column [C].
"""

from __future__ import annotations

from jatdae.judging.cases import Case, Response
from jatdae.judging.fence import without_surrogates
from jatdae.judging.pairwise_prompt import PairwisePrompt
from jatdae.judging.presentation import context_of, criterion_lines, headed, own_sections
from jatdae.judging.rubric_prompt import RubricPrompt
from jatdae.judging.shortening import CUT_MARK, Side
from jatdae.types import Message, digest

RUBRIC_SYSTEM = """\
당신은 한국어 창작과 공감적 글쓰기를 심사하는 엄격한 평가자입니다. 기준마다 따로 0점에서 10점까지 매기고, 실패 \
신호가 뚜렷하면 그 기준의 점수를 크게 낮추십시오. 친절함과 분량은 점수가 되지 않습니다. 모든 기준의 이름을 키로 \
하는 JSON 객체 하나로만 답하십시오."""

_RUBRIC = """\
[과제의 맥락]
{context}

[심사할 응답]
{response}

[심사 참고]
{notes}

[채점 기준]
{criteria}

위의 모든 기준을 채점해 {{"기준 이름": 점수, ...}} 꼴의 JSON 객체 하나로 답하십시오."""

PAIRWISE_SYSTEM = """\
당신은 한국어 창작과 공감적 글쓰기를 심사하는 엄격한 평가자입니다. 두 응답 가운데 나은 쪽을 고르십시오. 더 길다고 \
더 나은 것이 아니며, 무승부는 정말로 가릴 수 없을 때만 고릅니다. JSON 객체 하나로만 답하십시오."""

_PAIRWISE = """\
[과제의 맥락]
{context}

[심사 참고]
{notes}

[기준]
{criteria}

[응답 A]
{first}

[응답 B]
{second}

{{"winner": "A" 또는 "B" 또는 "draw", "reason": "까닭 한 문장"}} 꼴의 JSON 객체 하나로 답하십시오."""


def compat_rubric_prompt(case: Case, response: Response) -> RubricPrompt:
    """The prompt of every iteration: repeats differ only by the model's own chance."""
    fixed = {section.text for section in response.sections if section.fixed}
    body = without_surrogates(headed(response.sections))
    return RubricPrompt(
        (Message("system", RUBRIC_SYSTEM), Message("user", _rubric(case, context_of(case, fixed), body))),
        None,
        digest("compat rubric", RUBRIC_SYSTEM, _rubric(case, context_of(case), "")),
        (body,),
    )


def _rubric(case: Case, context: str, body: str) -> str:
    criteria = "\n".join(criterion_lines(one, one.name, weighted=True) for one in case.criteria)
    return _RUBRIC.format(context=context, response=body, notes=case.notes, criteria=criteria)


def compat_pairwise_prompt(case: Case, first: Response, second: Response, limit: int) -> PairwisePrompt:
    """The prompt with `first` as A; each side on its own is cut at `limit` characters and then marked."""
    side_a, side_b = _cut(first, limit), _cut(second, limit)
    user = _pairwise(case, side_a.texts[0], side_b.texts[0])
    return PairwisePrompt(
        (Message("system", PAIRWISE_SYSTEM), Message("user", user)),
        None,
        digest("compat pairwise", PAIRWISE_SYSTEM, _pairwise(case, "", ""), str(limit)),
        side_a,
        side_b,
    )


def _pairwise(case: Case, first: str, second: str) -> str:
    criteria = "\n".join(criterion_lines(one, one.name, weighted=False) for one in case.criteria)
    return _PAIRWISE.format(context=context_of(case), notes=case.notes, criteria=criteria, first=first, second=second)


def _cut(response: Response, limit: int) -> Side:
    sections = own_sections(response)
    text = without_surrogates(headed(sections) if len(sections) > 1 else "".join(one.text for one in sections))
    return Side((text if len(text) <= limit else text[:limit] + CUT_MARK,))
