"""What the forms of a negation project say, in Korean and English; the checks' remarks among it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jatdae.negation.construction.item import (
    CONTRADICTION,
    LOCAL,
    LOCAL_CLAUSE,
    LOCAL_ELEMENT,
    NOTE,
    ORIGINAL,
    PARAPHRASE,
    REASON,
    STANDARD,
)

Words = Mapping[str, str]

KOREAN: Words = {
    "title": "부정 문항 만들기",
    "who": "작업하는 사람",
    "who_help": "project.yaml에 적힌 저자 가운데 자기 이름을 고르십시오. 고친 것은 모두 이 이름으로 기록됩니다.",
    "no_authors": "project.yaml에 authors가 없습니다. 이름을 적은 뒤 새로 고치십시오.",
    "no_project": "부정 프로젝트가 없습니다. jatdae view --negation PROJECT 로 여십시오.",
    "you_are": "지금 이름:",
    "states": "문항 상태",
    "author": "저자의 일",
    "author_help": "문항을 고치고, 마쳤는지 뺄지 정합니다.",
    "author_open": "문항 고치기",
    "verify": "가린 채 답하기",
    "verify_help": "둘째 사람이 원문을 정확히 부정한 것을 고릅니다. 어느 것이 무엇인지는 보이지 않습니다.",
    "review": "다시 보기",
    "review_help": "답한 문항을 모두 보고 동의하는지 적습니다.",
    "waiting": "{count}개 기다림",
    "nothing_waits": "지금 기다리는 문항이 없습니다. 자기가 쓰거나 고친 문항은 다른 사람이 확인합니다.",
    "item": "문항",
    "state": "상태",
    "text": "글",
    "people": "손댄 사람",
    "list": "목록으로",
    "home": "처음으로",
    "guard": (
        "이 문항은 눈을 가린 채 답할 차례입니다. 여기서 열면 정답이 보입니다. 고치면 확인은 다른 사람이 해야 합니다."
    ),
    "guard_open": "그래도 열기",
    "source": "두 문장",
    "remarks": "검사 결과",
    "no_remarks": "걸리는 것이 없습니다.",
    "checking": "검사하는 중입니다.",
    "check_failed": "검사하지 못했습니다. 글은 그대로 남아 있습니다.",
    "error": "고쳐야 함",
    "warning": "살펴볼 것",
    "candidates": "규칙이 찾은 국소 부정",
    "use": "쓰기",
    "decision": "결정",
    "keep_working": "아직 고치는 중",
    "done": "마침",
    "drop": "뺌",
    "save": "저장",
    "unsaved_kept": "저장하지 않은 글을 되살렸습니다.",
    "not_saved": "저장하지 못했습니다. 쓴 글은 이 창에 남아 있습니다.",
    "saving": "저장하는 중입니다.",
    "conflict": (
        "그사이에 {by} 님이 이 문항을 고쳤습니다. 쓰신 글은 그대로 있습니다. "
        "아래에서 지금 글과 견주고, 고른 뒤 다시 저장하십시오."
    ),
    "conflict_now": "지금 저장된 글",
    "take_theirs": "지금 글 쓰기",
    "conflict_gone": (
        "이 문항은 그사이에 다음 단계로 갔습니다({state}). 쓰신 글은 남아 있지만 여기서는 더 저장할 수 없습니다."
    ),
    "question": "원문을 정확히 부정한 것은 무엇입니까?",
    "none": "없거나 여럿이다",
    "answer": "답 저장하고 다음",
    "your_answer": "내 답",
    "agree": "동의",
    "dispute": "이의 있음",
    "verdict": "판단",
    "choose": "먼저 하나를 고르십시오.",
    "keys_verify": "A B C D 고르기 · N 없거나 여럿 · Enter 저장하고 다음",
    "keys": "단축키",
    "none_label": "(없음)",
    ORIGINAL: "원문",
    STANDARD: "표준 부정문",
    "sn_절1": "표준 부정 유형 1",
    "sn_절2": "표준 부정 유형 2",
    "sn_절3": "표준 부정 유형 3",
    LOCAL_CLAUSE: "국소 부정의 절",
    LOCAL: "국소 부정문",
    LOCAL_ELEMENT: "국소 부정된 말",
    "ln_절1": "국소 부정 유형 1",
    "ln_절2": "국소 부정 유형 2",
    CONTRADICTION: "모순문",
    PARAPHRASE: "바꿔쓰기",
    NOTE: "메모",
    REASON: "빼는 까닭",
    "comment": "남길 말",
    "version": "문항",
    "id": "문항",
    "drafted": "두 문장",
    "merged": "합침",
    "corrected": "고침",
    "negated": "부정함",
    "distracted": "오답 지음",
    "refined": "다듬음",
    "verified": "확인됨",
    "released": "배포됨",
    "disputed": "이견 있음",
    "settled": "합의됨",
    "dropped": "뺌",
}

ENGLISH: Words = {
    "title": "Building negation items",
    "who": "Who is working",
    "who_help": "Pick your name among the authors in project.yaml. Everything you change is recorded under it.",
    "no_authors": "project.yaml names no authors. Write them there and reload.",
    "no_project": "There is no negation project. Open one with: jatdae view --negation PROJECT",
    "you_are": "You are",
    "states": "Items by state",
    "author": "Author's work",
    "author_help": "Edit an item and decide whether it is done or dropped.",
    "author_open": "Edit items",
    "verify": "Answer blind",
    "verify_help": "A second person picks the exact negation of the original. Nothing tells which option is which.",
    "review": "Review",
    "review_help": "See the whole of an item that you have answered, and say whether you agree.",
    "waiting": "{count} waiting",
    "nothing_waits": "No item waits for you. What you have written or changed is verified by somebody else.",
    "item": "Item",
    "state": "State",
    "text": "Text",
    "people": "Hands",
    "list": "All items",
    "home": "Overview",
    "guard": (
        "This item waits for your blind answer. Opened here it shows the key; once you change it, another verifies it."
    ),
    "guard_open": "Open it all the same",
    "source": "The two sentences",
    "remarks": "What the checks say",
    "no_remarks": "The checks find nothing.",
    "checking": "Checking.",
    "check_failed": "The checks failed. Your text is still here.",
    "error": "must change",
    "warning": "to consider",
    "candidates": "Local negations that the rules know",
    "use": "Use",
    "decision": "Decision",
    "keep_working": "still working on it",
    "done": "done",
    "drop": "drop",
    "save": "Save",
    "unsaved_kept": "Your unsaved text was restored.",
    "not_saved": "It could not be saved. Your text is kept in this window.",
    "saving": "Saving.",
    "conflict": (
        "{by} has changed this item meanwhile. Your text is untouched. "
        "Compare with the present text below, choose, and save again."
    ),
    "conflict_now": "Stored now",
    "take_theirs": "Take the stored text",
    "conflict_gone": (
        "This item has moved on meanwhile ({state}). Your text is still here but can no longer be saved on this form."
    ),
    "question": "Which one is the exact negation of the original?",
    "none": "none, or several",
    "answer": "Save and go on",
    "your_answer": "Your answer",
    "agree": "agree",
    "dispute": "dispute",
    "verdict": "Verdict",
    "choose": "Choose one first.",
    "keys_verify": "A B C D choose · N none or several · Enter save and go on",
    "keys": "Keys",
    "none_label": "(none)",
    ORIGINAL: "Original",
    STANDARD: "Standard negation",
    "sn_절1": "Type of standard negation 1",
    "sn_절2": "Type of standard negation 2",
    "sn_절3": "Type of standard negation 3",
    LOCAL_CLAUSE: "Clause of the local negation",
    LOCAL: "Local negation",
    LOCAL_ELEMENT: "What is negated locally",
    "ln_절1": "Type of local negation 1",
    "ln_절2": "Type of local negation 2",
    CONTRADICTION: "Contradiction",
    PARAPHRASE: "Paraphrase",
    NOTE: "Note",
    REASON: "Why it is dropped",
    "comment": "Comment",
    "version": "Item",
    "id": "Item",
    **{
        name: name
        for name in (
            "drafted",
            "merged",
            "corrected",
            "negated",
            "distracted",
            "refined",
            "verified",
            "released",
            "disputed",
            "settled",
            "dropped",
        )
    },
}


def negation_words(lang: str) -> Words:
    """The words of a language; English for one that is not known."""
    return KOREAN if lang == "ko" else ENGLISH


_REMARKS = tuple(
    (re.compile(pattern, re.DOTALL), korean)
    for pattern, korean in (
        ("not in NFC", "글자가 NFC로 합쳐져 있지 않습니다."),
        ("a blank at an edge", "앞이나 뒤에 빈칸이 있습니다."),
        ("a line break, a double or an unusual blank inside", "줄바꿈이나 겹친 빈칸, 특수한 빈칸이 있습니다."),
        ("a character that cannot be read", "읽을 수 없는 글자가 있습니다."),
        (
            "begins with a sign that a spreadsheet takes for a formula",
            "표 계산 프로그램이 수식으로 읽는 기호로 시작합니다.",
        ),
        ("no final punctuation", "끝에 문장 부호가 없습니다."),
        (r"looks like (\d+) sentences", "{0}개 문장으로 보입니다."),
        ("the same text is in item (.+)", "문항 {0}에 같은 글이 있습니다."),
        ("is empty though (.+) is not", "{0}에는 값이 있는데 비어 있습니다."),
        (r"is empty(?:; .+)?", "비어 있습니다."),
        (r"'(.*)' is no label; .+", "{0}은(는) 쓸 수 없는 이름표입니다."),
        ("there is no local negation", "국소 부정문이 없습니다."),
        ("the local negation's clause is not named", "국소 부정의 절을 고르지 않았습니다."),
        ("is the same text as (.+)", "{0}과(와) 같은 글입니다."),
        ("more than the predicate's polarity changed: (.+)", "긍정과 부정 말고도 바뀐 말이 있습니다: {0}"),
        ("the detector finds no added negation", "검출기는 더해진 부정을 찾지 못했습니다."),
        ("the detector finds (.+)", "검출기가 찾은 것: {0}"),
        ("is not a piece of the original", "원문에 없는 말입니다."),
        ("numbers are lost: (.+)", "빠진 수: {0}"),
        ("names are lost: (.+)", "빠진 이름: {0}"),
        ("merely adds or takes away a negation", "부정만 더하거나 뺐습니다."),
        ("why the item is dropped is not said", "빼는 까닭을 쓰지 않았습니다."),
        ("has changed and the options have not.*", "원문을 고쳤는데 보기는 그대로입니다. 보기도 고치십시오."),
        ("what is disputed is not said", "무엇이 문제인지 쓰지 않았습니다."),
        ("the item is answered already, and an answer stays.*", "이미 답한 문항입니다. 답은 바꿀 수 없습니다."),
        ("is not the item as it stands now.*", "문항이 그사이에 바뀌었습니다. 새로 고쳐 다시 보십시오."),
        (".+ has written or changed the item, so another author verifies it", "쓰거나 고친 사람은 확인하지 못합니다."),
        ("the item is verified by (.+)", "{0} 님이 확인하고 있는 문항입니다."),
        ("the item is (.+); refined ones are verified", "지금은 확인할 수 없는 상태입니다({0})."),
    )
)


def remark(text: str, lang: str) -> str:
    """A remark of the checks in the page's language; what has no translation stays as it is."""
    if lang == "ko":
        for pattern, korean in _REMARKS:
            found = pattern.fullmatch(text)
            if found:
                return korean.format(*(KOREAN.get(group, group) for group in found.groups()))
    return text
