"""How replies state an answer: a table of tiers, from the most to the least explicit.

All patterns run on text in which labels are marks (see `extraction_labels`) and every run of blanks is one
character, so none can backtrack over a long stretch. The groups named `label...` hold the stated label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jatdae.benchmarks.kmmlu.extraction_labels import (
    ANY,
    BRACKETED,
    CIRCLED,
    CLEAR,
    LETTER,
    NUMBER,
    OFF_MARKS,
    kind_of,
    marks,
    place_of,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to state an answer: an example as its name, the pattern, and why it counts or is so narrow."""

    name: str
    pattern: re.Pattern[str]
    why: str


def _rule(name: str, *parts: str, why: str) -> Rule:
    return Rule(name, re.compile("".join(parts), re.IGNORECASE | re.MULTILINE), why)


_L = f"(?P<label>{ANY})"
_OPEN = r"[(\[{<「『【\"']?"
_CUE = r"(?<!오)(?:정답|해답|답안|답변|답)(?!률)"
_WEAK_CUE = r"(?:선택(?!지)|결론)"
_CUE_END = r"(?: ?번호)?[\])}】>」』\"']?(?: ?\([^()\n]{1,20}\))?"
_ARROW = r"(?::|=>|=|→|->|⇒|–|-)"
_LINK = rf"(?:\s?(?:으?로는|은|는|이|을|를)\s?{_ARROW}?|\s?{_ARROW})\s?{_ARROW}?\s?"
_LINK_EN = (
    r"(?:\s?(?:is|was|are|(?:should|would|must|will|may|might) be|(?:seems|appears) to be|은|는|이)\s?"
    rf"{_ARROW}?|\s?{_ARROW})\s?"
)
_FILLER = (
    r"(?:(?:바로|역시|보기|선택지|옵션|번호|option|choice|letter|answer|the|therefore|thus|clearly|definitely"
    r"|most likely|likely|probably)[ :.]{0,2}){0,3}"
)
_COPULA = (
    r" ?(?:(?:입니다|이다|이에요|이예요|예요|에요|이네요|네요|이죠|죠|임|다)(?![가-힣])|인 것 ?(?:같|으로)|일 것|일지도"
    r"|(?:이?라고|으?로) (?:생각|판단|보|봅|봐|할|결론|추정|여겨))"
)
_END = r"(?=[.)\]}\"'!,;]|\s|$)"
_NO_TOPIC = r"(?!번?(?:은|는|도|와|과|을|를|의))"
_ONE_NOUN = r"(?:option|choice|answer|letter|statement)"
# A bare number needs its counter here: numbers in prose are quantities.
_COUNTED = rf"(?P<label_counted>{marks(NUMBER)}) ?번"
_NAMED = f"(?:(?P<label>{CLEAR})번?|{_COUNTED}(?:째 (?:보기|선택지|항목|답안))?)"
_RIGHT = "맞|옳|올바르|적절하|적합하|타당하|정확하|알맞"
_RIGHT_THAT = "옳은|맞는|올바른|적절한|적합한|알맞은|타당한"

DELIMITED: tuple[Rule, ...] = (
    _rule(
        r"\boxed{B}",
        rf"\\f?boxed ?(?:\{{ ?(?:정답|답|answer)?[: ]{{0,2}}{_OPEN}{_L}번? ?(?:[.):,\]][^{{}}\n]{{0,100}})?(?:\}}|$)",
        rf"|(?P<label_braced>{marks(BRACKETED)}))",
        why="asked for in many prompts; a computed value in the box is no label",
    ),
    _rule(
        "<answer>B</answer>",
        rf"<(?:final )?answer>\s?(?:(?:정답|답|answer)\w?)?[: ]{{0,2}}{_OPEN}{_L}번?\s?",
        r"(?:[.):,\]\s][^<>\n]{0,200})?\s?(?:<|$)",
        why="asked for in many prompts",
    ),
)

CUED: tuple[Rule, ...] = (
    _rule("정답은 B, 답: B", rf"{_CUE}{_CUE_END}{_LINK}{_FILLER}{_OPEN}{_L}", why="the usual statement"),
    _rule(
        "[정답] B",
        rf"{_CUE}{_CUE_END} ?{_FILLER}{_OPEN}{_L}{_NO_TOPIC}",
        why="without a link; a label that opens a clause of its own is not linked to the cue",
    ),
    _rule(
        "정답은 다음과 같습니다. B",
        rf"{_CUE}[은는] (?:다음과|아래와) 같(?:습니다|다)[.:]{{0,2}}\s{_OPEN}(?P<label>{CLEAR})",
        why="an announced label; a number here opens a list",
    ),
    _rule(
        "선택: B",
        rf"{_WEAK_CUE}{_CUE_END}{_LINK}{_FILLER}{_OPEN}{_L}{_NO_TOPIC}",
        why="everyday words, so a link is needed",
    ),
    _rule(
        "정답은 두 번째 보기(B)",
        rf"{_CUE}[은는](?![^\n]{{0,25}}(?:없|않))[^\n.?!;\ue000-\ue0ff]{{1,25}}",
        rf"(?P<label>{marks(BRACKETED)}){_NO_TOPIC}",
        why="a short gap, and only before a bracketed label",
    ),
    _rule(
        "정답 (line break) B",
        rf"^[^{OFF_MARKS}]{{0,5}}(?:최종 |final )?(?:정답|해답|답안|답변|답|결론|answer)[^{OFF_MARKS}]{{0,5}}",
        rf"\s{_OPEN}{_L}{_NO_TOPIC}(?=번?(?:[.):\]]|{_COPULA}|\n|$))",
        why="a heading over the label",
    ),
    _rule(
        "B가 정답이다",
        rf"{_L}번?(?: ?[이가은는을를] ?(?:모두 |둘 다 |다 )?(?:바로 |가장 )?| (?=\w{{1,5}}(?:입니다|이다|임)))",
        rf"(?:최종 |{_RIGHT_THAT} )?(?:정답|해답|답)(?!률|변|안지|하)(?!(?:이라면|이면|일까|인지|인가|일 수 없))",
        why="the label before the cue, joined by a particle or a copula",
    ),
    _rule("A와 B 모두 정답", rf"{_L}번? (?:모두|둘 다) (?:정답|답)(?!률)", why="several answers at once decide: none"),
    _rule(
        'the answer is B, "answer": "B"',
        r"(?:\b|final)(?:answers?|choice|selection|(?:correct|right|best|final|chosen|my) option)",
        rf"(?: choice| option| letter)?{_CUE_END}{_LINK_EN}{_FILLER}{_OPEN}{_L}",
        why="English and JSON",
    ),
    _rule(
        "B is the correct answer",
        rf"{_L},? (?:is|would be|must be|should be|seems to be|appears to be)",
        r"(?: clearly| therefore| likely| probably)?(?: the)?",
        r"(?: most| best| single)?(?: correct| right| best| final| appropriate| suitable)? ",
        r"(?:answer|choice|option)\b",
        why="English, the label before the cue",
    ),
)

CONCLUDED: tuple[Rule, ...] = (
    _rule("B입니다", rf"(?:(?P<label>{CLEAR})번?|{_COUNTED}){_COPULA}", why="a sentence that ends in the label"),
    _rule(
        "옳은 것은 B",
        rf"것[은이]? ?:? ?(?:바로 |보기 |선택지 )?{_OPEN}{_NAMED}(?={_COPULA}|[.)\s]|$)",
        why="the question restated with its answer",
    ),
    _rule(
        "B를 선택",
        rf"{_NAMED}(?:을|를|으로|로)? ?(?:최종 |정답으로 |답으로 )?",
        r"(?:선택(?!지|하면|한다면|할 수 없|하지)|고르겠|고릅|골랐|고른다|택하|택합|택한)",
        why="a verb of choosing, not in a conditional",
    ),
    _rule(
        "B가 맞습니다",
        rf"{_NAMED} ?[이가] ?(?:가장 |더 )?(?:(?:{_RIGHT})(?:습니다|다|음|아요)(?![가-힣])",
        r"|(?:올바릅|적절합|적합합|타당합|정확합)니다",
        rf"|(?:{_RIGHT_THAT}) (?:답|선택|것|설명|보기|선택지)(?:입니다|이다|임| ?같|으로))",
        why="a verdict on the subject; with 은/는 it is one of several verdicts",
    ),
    _rule(
        "I choose B",
        r"\b(?:choose|chose|pick|picked|select|selected|go with|going with|opt for)",
        rf"(?: the)?(?: {_ONE_NOUN})? {_OPEN}{_NAMED}",
        why="an English verb of choosing",
    ),
    _rule(
        "B is correct",
        rf"{_NAMED} (?:is|must be|should be)(?: the)?(?: most| clearly| therefore)? (?:correct|right)\b",
        why="an English verdict",
    ),
    _rule("it is B", rf"\bit(?:'s| is| must be| should be) {_OPEN}{_NAMED}{_END}", why="English, ends in the label"),
    _rule(
        "따라서 B",
        r"(?:^|[ .,])(?:따라서|그러므로|결론적으로|즉|결국|∴|therefore|thus|hence|so),? ?(?:보기 |선택지 |option )?",
        rf"{_OPEN}(?P<label>{CLEAR})[)\]}}\"'.]{{0,2}}(?=\n|$)",
        why="a conclusion that is only the label, at the end of a line",
    ),
)

TIERS: tuple[tuple[Rule, ...], ...] = (DELIMITED, CUED, CONCLUDED)

QUESTION_LINE = re.compile(
    rf"(?mi)^[^{OFF_MARKS}]{{0,3}}(?:질문|문제|문항|question|q)(?: ?\((?:question|질문)\))? ?"
    r"(?:\d{1,3}|[\ue010-\ue01a\ue0f0])? ?[\])】]? ?:"
)
"""A line that opens the next question: what follows is not part of this reply."""

CUT_OFF_CUE = re.compile(
    rf"(?:(?<!오)(?:정답|답)(?:(?:은|는)? ?:|은|는)|의 (?:정답|답)|\banswer ?(?:is|:)(?: ?:)?)\s?{_OPEN}$",
    re.IGNORECASE,
)
"""A reply that ends while it begins a statement has not made its last statement."""

# Neither word nor label; a colon at the end would promise an option's text that was cut off.
_AROUND = rf"[^{OFF_MARKS}:]{{0,3}}"
LABEL_ALONE = re.compile(
    rf"{_AROUND}(?:(?:보기|선택지|옵션|option|choice) ?)?{_L}번?(?:{_COPULA})?{_AROUND}", re.IGNORECASE
)
"""A line that holds a label and nothing else."""

LABEL_AND_TEXT = re.compile(
    rf"{_OPEN}(?:(?P<label>{marks(LETTER)})(?: ?[.:)\]]| (?=\()) ?"
    rf"|(?P<label_set>{marks(BRACKETED, CIRCLED)})번?[.:)]? ?"
    rf"|(?P<label_counted>{marks(NUMBER)})번?[.:)] ?)[^\n]+"
)
"""A line that holds a label, a separator and an option's text."""

LISTED_LINE = re.compile(
    rf"{_OPEN}(?P<label>{marks(LETTER, NUMBER, BRACKETED, CIRCLED)})"
    rf"(?:번?[.:)]|(?<={marks(BRACKETED, CIRCLED)})[ 번](?!=)|$)"
)
"""A line that opens with a label, as in a list of the options."""

LISTED_INLINE = re.compile(rf"(?:(?P<label>{marks(LETTER)})[:)]|(?P<label_set>{marks(BRACKETED)}))(?= ?\S)")
"""One of several options named on one line, as in "A: ..., B: ...", or in brackets."""


def stated(found: re.Match[str]) -> str:
    """The mark that a rule found, whichever of its `label` groups took part."""
    return next(label for name, label in found.groupdict().items() if label and name.startswith("label"))


def is_value(label: str, options: int) -> bool:
    """A boxed number beyond the options is a computed value, not a label outside the options."""
    return kind_of(label) == NUMBER and place_of(label) >= options


def is_numeral(label: str) -> bool:
    """Whether the label is a number, circled or not: labels in two notations are not one list."""
    return kind_of(label) in (NUMBER, CIRCLED)
