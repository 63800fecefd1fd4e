"""The Korean wording of all prompts, in one place. It is ours: KLUE was published for fine-tuning and has no prompts.

The words that stand for labels are compared by their log-likelihoods, so none of a task's is the beginning of another:
the shorter would never be the less likely one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jatdae.benchmarks.klue.labels import INFERENCE, RELATIONS, TOPICS
from jatdae.types import canonical, digest


@dataclass(frozen=True, slots=True)
class Wording:
    """What is said once before everything, a question's block up to the place of the answer, and a word a label.

    The names in braces are filled in with an item's texts.
    """

    description: str
    block: str
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """A digest of all of it, for the fingerprint of a result."""
        return digest(self.description, self.block, canonical([list(pair) for pair in self.words.items()]))


TOPIC = Wording(
    f"뉴스 제목을 읽고 어느 분야의 기사인지 답하세요. 분야는 {', '.join(TOPICS)} 가운데 하나입니다.\n\n",
    "제목: {title}\n분야:",
    {topic: topic for topic in TOPICS},
)

SIMILARITY = Wording(
    "두 문장의 뜻이 얼마나 비슷한지 0부터 5까지의 정수로 답하세요. "
    "뜻이 전혀 다르면 0, 중요한 내용이 같으면 3, 뜻이 똑같으면 5입니다.\n\n",
    "문장 1: {first}\n문장 2: {second}\n점수:",
    {str(score): str(score) for score in range(6)},
)

INFERENCES = Wording(
    "전제가 사실일 때 가설이 어떤지 답하세요. "
    "가설이 반드시 맞으면 '참', 맞을 수 없으면 '거짓', 전제만으로 알 수 없으면 '중립'입니다.\n\n",
    "전제: {premise}\n가설: {hypothesis}\n판단:",
    dict(zip(INFERENCE, ("참", "거짓", "중립"), strict=True)),
)

_RELATION_WORDS = (
    "관계 없음",
    "해산일",
    "설립일",
    "본부 소재지",
    "단체 별칭",
    "상위 단체",
    "회원 단체",
    "정치·종교 성향",
    "생산품",
    "설립자",
    "임직원",
    "인원수",
    "생년월일",
    "사망일",
    "출생지",
    "사망지",
    "거주지",
    "국적·출신",
    "직장",
    "다닌 학교",
    "인물 별칭",
    "부모",
    "자녀",
    "형제자매",
    "배우자",
    "그 밖의 가족",
    "동료",
    "작품",
    "종교",
    "직함",
)
RELATION = Wording(
    "문장에서 주체와 대상이 어떤 관계인지 답하세요. "
    f"대상이 주체의 무엇인지 다음 가운데 하나를 고릅니다: {', '.join(_RELATION_WORDS[1:])}. "
    f"어느 것도 아니면 '{_RELATION_WORDS[0]}'입니다.\n\n",
    "문장: {sentence}\n주체: {subject} ({subject_type})\n대상: {object} ({object_type})\n관계:",
    dict(zip(RELATIONS, _RELATION_WORDS, strict=True)),
)
ENTITY_WORDS: Mapping[str, str] = {
    "PER": "인물",
    "ORG": "단체",
    "LOC": "장소",
    "DAT": "날짜",
    "POH": "그 밖의 이름",
    "NOH": "그 밖의 수",
}

NO_ANSWER = "답 없음"
READING = Wording(
    "지문을 읽고 질문에 답하세요. 답은 지문에 있는 말 그대로 짧게 쓰고, "
    f"지문에 답이 없으면 '{NO_ANSWER}'이라고만 쓰세요.\n\n",
    "지문: {context}\n질문: {question}\n답:",
)
