"""Which letters and numbers of a reply are option labels.

Every label is replaced by one private-use character, its *mark*, so that the patterns for statements can speak of
labels without knowing how they were written. A mark holds the way of writing and the place in the option list:
code point = 0xE000 + 16 * kind + place, where place 10 stands for several labels that disagree.
"""

from __future__ import annotations

import re

# `extraction_cleaning` already writes circled numbers as marks of the kind CIRCLED.
LETTER, NUMBER, BRACKETED, CIRCLED, LOWER = range(5)
CONFLICT = 10

OFF_MARKS = r"\w\n\ue000-\ue0ff"
"""For a negated class: neither word, nor line break, nor mark."""

SET_ASIDE = "\ue0f0"
"""Stands where a label was negated, asked about, supposed, or said of another question."""


def mark(kind: int, place: int) -> str:
    """The one character for a label written in the way `kind` at `place` in the option list."""
    return chr(0xE000 + 16 * kind + place)


def kind_of(mark: str) -> int:
    """How the label was written: one of LETTER, NUMBER, BRACKETED, CIRCLED, LOWER."""
    return (ord(mark) - 0xE000) // 16


def place_of(mark: str) -> int:
    """0 for the first option, 1 for the second ...; CONFLICT for labels that disagree."""
    return (ord(mark) - 0xE000) % 16


def marks(*kinds: int) -> str:
    """A regular-expression class of the marks of these kinds."""
    return "[" + "".join(f"{mark(kind, 0)}-{mark(kind, CONFLICT)}" for kind in kinds) + "]"


ANY = marks(LETTER, NUMBER, BRACKETED, CIRCLED, LOWER)
CLEAR = marks(LETTER, BRACKETED, CIRCLED)

# A letter glued to Hangul is a label only before one of these; otherwise it is part of a noun, as in "A형" or "C언어".
_PARTICLE = (
    r"(?:이|가|은|는|을|를|도|만|뿐|와|과|랑|이랑|하고|로|으로|나|이나|에|의|임|다|인|일|라|야|요|에서|부터|까지|보다|보다는"
    r"|및|또는|혹은|만이|만을|뿐이다|말고)(?![가-힣])"
)
_COPULA_STEM = (
    r"(?:입니|이다|이에요|이예요|예요|에요|이며|이고|이므로|이라|이지만|이네|네요|이었|였|이죠|죠|이거나|라고|라는|라면|라서|이면"
    r"|인지|인가|인데|일까|일지|일 |인 |대신|뿐이|임을|임이)"
)
_COUNTER = rf"번(?:(?![가-힣]| ?(?:문제|질문|문항|예제))|{_PARTICLE}|{_COPULA_STEM})"
_KOREAN_ENDING = rf"(?:{_COUNTER}|{_PARTICLE}|{_COPULA_STEM})"
# "정답은B": a label may be glued to the right of these only.
_LEFT = r"(?:(?<!\w)|(?<=[은는답])|(?<=보기)|(?<=선택지)|(?<=옵션))"

# Nouns whose letter is a name in the question, not a label: "비타민 C입니다", "투자안 B가".
_NAMED = (
    "비타민|집합|행렬|사건|기업|회사|공장|지점|선분|직선|그룹|항원|간염|등급|모형|변수|상수|노드|공정|제품|국가|투자안|프로젝트|자산"
    "|주식|펀드|물질|원소|재료|용액|기체|시료|코일|저항|도시|지역|부품|기계|점|팀|Vitamin|vitamin|point|type|class|grade|Type|Class|Grade"
)
_NAMED_LETTER = re.compile(rf"(?<![가-힣A-Za-z])((?:{_NAMED}) )([A-Ja-j])(?![A-Za-z0-9])")

_BODY = rf"(?:(?P<letter>[A-Ja-j])|(?P<number>10|[1-9])|(?P<circled>{marks(CIRCLED)}))"
# "P(A)" and "f(3)" are functions, but "C(3)" after a single label letter is the same label written twice.
_BRACKETED = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=[^A-Za-z0-9][A-J])(?=.\d)|(?<=^[A-J])(?=.\d)|(?=.[\ue030-\ue039]))"
    rf"(?P<open>[(\[{{<「『【〈《\"']) ?{_BODY} ?번? ?(?P<close>[)\]}}>」』】〉》\"'])"
)
_PLAIN_LETTER = re.compile(
    rf"{_LEFT}(?<!\d )(?<!°)(?<![A-Za-z]\.)(?<![A-Za-z0-9][-=])"  # not "2 A", "U.S.A", "N-A", "x=A"
    r"(?P<letter>[A-J])"
    rf"(?=[^\w]|$|{_KOREAN_ENDING})(?![+#'°%^=\\])(?!-[A-Za-z0-9])(?!\.[A-Z]\b)(?!\(\w{{1,3}} ?[-+,=])(?!\([a-z]\))"
    r"(?<!I(?= [a-z]))(?<!I(?='))"  # the English pronoun
)
_LOWER_LETTER = re.compile(
    rf"{_LEFT}(?<!\d )(?<!°)(?<![A-Za-z]\.)(?<![A-Za-z0-9][-=])(?<!')"
    r"(?:(?P<letter>[b-hj])(?=[^\w]|$|" + _KOREAN_ENDING + r")"
    # "a" is an article unless the statement ends with it
    r"|(?P<article>[ai])(?=[.,;:!?)\]}\"]|\n|$|" + _KOREAN_ENDING + r"))"
    r"(?![+#'°%^=(\\])(?!-[A-Za-z0-9])(?!\.[A-Za-z])"
)
_NUMBER = re.compile(
    rf"{_LEFT}(?<![-+.,/\\^×÷<>₩%])(?<!\d:)(?<![A-Za-z0-9]=)"
    r"(?P<number>10|[1-9])"
    rf"(?= ?{_COUNTER}| ?번째 (?:보기|선택지|항목|답안)"
    r"| ?(?:입니다|이다|이에요|예요|임(?![가-힣])|이며|이고|이므로|이라고|일까|일 것|인 것)"
    rf"|\n|$|[.;!?)\]}}\"'…。](?!\d)|,(?!\d)|:(?= )| ?{marks(BRACKETED, CIRCLED)})"
)

# Two ways of writing one label side by side: "④ (D)", "3번(C)", "2. B". They must agree.
_SIDE_BY_SIDE = re.compile(
    rf"{ANY}(?:번? ?{marks(BRACKETED, CIRCLED)})+|{marks(NUMBER)}[.)] ?{marks(LETTER)}(?=[\s,.]|$)"
)
_JOIN = (
    r"(?=[ ]?[^\s\ue000-\ue0ff])(?:[)\]](?=[ ]?(?:[,/와과]|및|또는|혹은|or |and ))[ ]?)?"
    r"(?:와|과|이랑|랑|하고|이나|나|이거나)?[ ]?[,/·&、]?[ ]?(?:및|또는|혹은|아니면|그리고|or|and|vs)?[ ]?"
    r"(?:보기 |선택지 |option )?"
)
# After a bare comma a topic begins a new clause: in "정답은 A, B는 오답" only A is stated.
_NEXT = rf"(?:(?<!,)(?<!, )|(?!{ANY}번?(?:은|는|:|[이가] ?아니))){ANY}번?"
_JOINED = re.compile(rf"{ANY}번?(?:{_JOIN}{_NEXT})+|{marks(LETTER)} {marks(LETTER)}(?=[.]?(?:\n|$))")


def mark_labels(text: str) -> str:
    """Replace each label of a cleaned reply by its mark, and labels that belong together by a common one."""
    text = _NAMED_LETTER.sub(rf"\1{SET_ASIDE}", text)
    for pattern, kind in ((_BRACKETED, BRACKETED), (_PLAIN_LETTER, LETTER), (_NUMBER, NUMBER), (_LOWER_LETTER, LOWER)):
        text = pattern.sub(lambda found, kind=kind: mark(kind, _place(found.groupdict())), text)
    return _JOINED.sub(_merge, _SIDE_BY_SIDE.sub(_merge, text))


def _place(parts: dict[str, str | None]) -> int:
    if circled := parts.get("circled"):
        return place_of(circled)
    if number := parts.get("number"):
        return int(number) - 1
    letter = parts.get("letter") or parts.get("article") or "A"
    return ord(letter.upper()) - ord("A")


def _merge(found: re.Match[str]) -> str:
    labels = re.findall(ANY, found[0])
    ending = "번" if found[0].endswith("번") else ""
    agreed = len({place_of(label) for label in labels}) == 1
    return (labels[0] if agreed else mark(kind_of(labels[0]), CONFLICT)) + ending
