"""Labels that a reply names without stating them: negated, supposed, asked about, or of another question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jatdae.benchmarks.kmmlu.extraction_labels import ANY, CONFLICT, NUMBER, SET_ASIDE, mark, marks

_SEVERAL = "[" + "".join(mark(kind, CONFLICT) for kind in range(5)) + "]"
_ANSWER = r"(?:(?:정답|답)[이은도에]?서? ?)?"
_NOUN = r"(?:option|choice|answer|letter|statement)"
_QUESTION = r"(?:질문|문제|문항|예제|예시|question)"
_NUMERAL = rf"(?:\d{{1,3}}|{marks(NUMBER)})"


@dataclass(frozen=True, slots=True)
class Aside:
    """A way to name a label without stating it: the pattern, why it states nothing, what is left in its place."""

    name: str
    pattern: re.Pattern[str]
    why: str
    left: str


def _aside(name: str, *parts: str, why: str, left: str = SET_ASIDE) -> Aside:
    return Aside(name, re.compile("".join(parts), re.IGNORECASE), why, left)


# Order matters: a contrast is removed before plain negation, so that its other half is what remains of the statement.
ASIDES: tuple[Aside, ...] = (
    _aside(
        "질문 1의 정답은 C",
        rf"(?:{_QUESTION} ?(?:\(question\))? ?{_NUMERAL}번?|{_NUMERAL}번 ?{_QUESTION})",
        r"(?:의|에 대한|에 대해|은|는|:)? ?",
        rf"(?:정답|답변|답|answer)(?:은|는|이|:| is)? ?[(\[]?{ANY}?",
        why="prompts do not number the question; such a reply answers the examples",
    ),
    _aside(
        "the answer to question 1 is C",
        rf"answer (?:to|for|of) question {_NUMERAL} ?(?:is|:) ?[(\[]?{ANY}?",
        why="the same in English",
    ),
    _aside(
        "A, B, C, D 중 C",
        rf"{_SEVERAL}(?= ?중(?:에서|에)? [^\n.]{{0,20}}{ANY})",
        why="a range of options from which one is stated next",
    ),
    _aside(
        "A가 아니라 D",
        rf"{ANY}번? ?[이가은는]? ?(?:정답이 |답이 )?",
        r"(?:아니라|아닌(?! 것)|아니고|아니며|말고|대신|보다는?)(?!고)[ ,]*",
        why="a contrast: only its other half is stated",
        left="",
    ),
    _aside(
        "not A but D",
        rf"\b(?:not|rather than|instead of)(?: the)?(?: {_NOUN})? {ANY},? but ",
        why="a contrast in English",
        left="",
    ),
    _aside(
        "A가 아니다, A는 오답",
        rf"{ANY}(?=번? ?[이가은는도을를]? ?{_ANSWER}(?:될 수 없|아니|아닙|아닐|아닌|오답|제외))",
        why="negated",
    ),
    _aside(
        "A라고 볼 수 없다",
        rf"{ANY}(?=번?(?:이?라고|으?로) (?:볼|할|보기|하기)[는가에]? ?(?:수 ?없|수는 없|어렵))",
        why="negated",
    ),
    _aside(
        "not A",
        r"(?:\bnot|cannot|n't|\bnever|\brather than|\binstead of)",
        rf"(?: be)?(?: the)?(?: correct| right)?(?: {_NOUN})? {ANY}",
        why="negated in English, before the label",
    ),
    _aside(
        "A is not",
        rf"{ANY}(?= (?:is|are|was|can|could|would|should)(?: ?not|n't)\b)",
        why="negated in English, after the label",
    ),
    _aside(
        "A로 보이지만",
        rf"{ANY}(?=번?(?:이?라고|으?로|인 것|일 것)[^\n.?!\ue000-\ue0ff]{{0,12}}(?:지만|으나|었는데|였는데))",
        why="conceded: what follows takes it back",
    ),
    _aside(
        "A라면",
        rf"{ANY}(?=번?[이가]? ?(?:정답|답)?(?:이?라면|이면|일 경우|일 때|인 경우|이려면))",
        why="supposed",
    ),
    _aside(
        "if the answer is A",
        rf"\bif (?:the )?(?:correct )?(?:answer )?(?:is |were |was )?(?:{_NOUN} )?{ANY}",
        why="supposed in English",
    ),
    _aside(
        "A일까",
        rf"{ANY}(?=번?[이가]? ?(?:정답|답)?(?:일까|인가|인지|일지(?!도)|이 맞을까))",
        why="asked; 일지도 is a hedge and counts",
    ),
    _aside("A?", rf"{ANY}(?=[^\n.!?;,:\ue000-\ue0ff]{{0,25}}\?)", why="asked, with a question mark soon after"),
)


def set_aside(marked: str) -> str:
    """`marked` text with every label that is not stated taken out of play."""
    for aside in ASIDES:
        marked = aside.pattern.sub(aside.left, marked)
    return marked
