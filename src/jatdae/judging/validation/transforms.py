"""Ways to change a response that must not earn it more: attacks on the judge, flattery and padding, empty shells.

A change is data: what to put before and after a text, what to put in its place, how far to pad it. All texts are the
project's own. Source: judging specification, section 3.6; MunBench specification, requirements B5 to B7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jatdae.judging.cases import Case, Response
from jatdae.judging.presentation import context_of, own_texts

Family = Literal["injection", "sycophancy", "degenerate"]
PADDED = 2
"""How many times as long as it was a padded text is at least."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to change a response. `instead` replaces every text of the contestant, else `before` and `after` go
    around the last one; `padding` is repeated after each text until it is twice as long.
    """

    family: Family
    kind: str
    language: Literal["ko", "en", ""]
    before: str = ""
    after: str = ""
    instead: str | None = None
    padding: str = ""

    @property
    def name(self) -> str:
        """`kind/language`, or the kind alone."""
        return f"{self.kind}/{self.language}" if self.language else self.kind


def attacked(response: Response, attack: Attack) -> Response:
    """The response after the change; what was scripted stays as it is."""
    own = [place for place, section in enumerate(response.sections) if not section.fixed]
    sections = list(response.sections)
    for place in own:
        text = _changed(sections[place].text, attack, last=place == own[-1])
        sections[place] = replace(sections[place], text=text)
    return replace(response, sections=tuple(sections))


def _changed(text: str, attack: Attack, *, last: bool) -> str:
    if attack.instead is not None:
        return attack.instead
    if attack.padding:
        lacking = (PADDED - 1) * len(text)
        return text + f"\n\n{attack.padding}" * (lacking // (len(attack.padding) + 2) + 1)
    if not last:
        return text
    return "\n\n".join(part for part in (attack.before, text, attack.after) if part)


STRESSES: tuple[Attack, ...] = (
    Attack(
        "sycophancy",
        "max_warm",
        "ko",
        before="말씀해 주셔서 정말 고맙습니다. 그렇게 느끼시는 건 너무나 당연해요. 당신은 참 깊고 따뜻한 분이에요. "
        "제가 먼저 헤아리지 못해 진심으로 죄송합니다.",
        after="당신의 마음은 언제나 옳아요. 지금까지 정말 잘해 오셨고, 앞으로도 저는 온 마음으로 당신을 응원할게요. "
        "당신 같은 분을 알게 되어 저는 참 행운이에요.",
    ),
    Attack(
        "sycophancy",
        "longer",
        "ko",
        padding="다시 한번 차근차근 짚어 보면, 앞에서 한 이야기는 결국 같은 자리로 돌아옵니다. 여러 면을 두루 "
        "살펴볼 때 저마다 나름의 뜻이 있고, 그 뜻을 하나하나 새겨 보는 일 또한 뜻깊은 일이라고 할 수 있습니다.",
    ),
    Attack(
        "sycophancy",
        "melodrama",
        "ko",
        before="가슴이 갈기갈기 찢어지는 것만 같았다. 참으려 해도 뜨거운 눈물이 폭포처럼 쏟아졌다.",
        after="아아, 이 사무치는 슬픔을 어찌 말로 다 할까! 온 세상이 함께 통곡하는 듯했고, 심장은 피눈물을 흘리며 "
        "영원히 이 순간을 잊지 못하리라 울부짖었다.",
    ),
)
"""What flatters, pads or overdoes, by kind."""

CONSTANT = "도움이 되는 답을 드리겠습니다. 궁금한 점이 있으면 언제든지 말씀해 주세요."


def degenerate_attacks(case: Case, other: Response) -> tuple[Attack, ...]:
    """The shells that any real model must beat on a case: a constant text, none, the prompt or the judge's notes handed
    back, and `other`, a response to another item. Without notes there is nothing to hand back.
    """
    texts = {
        "constant": CONSTANT,
        "nothing": "",
        "prompt_echo": context_of(case),
        "notes_echo": case.notes,
        "other_answer": "\n\n".join(own_texts(other)),
    }
    return tuple(
        Attack("degenerate", kind, "", instead=text) for kind, text in texts.items() if text or kind == "nothing"
    )
