"""What text says when it speaks to a judge: the patterns behind `injection.py`, kind by kind.

Every repetition is bounded, and hardly any may cross a sentence mark, so that a search takes linear time. A request
counts only in a form that asks (-아/어 주세요, -하십시오, -할 것): people write about points and juries without asking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum


class MarkKind(StrEnum):
    """What a mark is. All are written for a judge, or for the program that reads the judge."""

    SCORE_REQUEST = "score request"
    OVERRIDE = "instruction override"
    AUTHORITY = "claim of authority"
    SECTION = "fake section"
    VERDICT = "fake verdict"
    ROLE_TAG = "role tag"
    FENCE = "fence look-alike"
    HIDDEN = "hidden characters"


_NEAR = r"[^.!?\n]"
_ASKED = (
    r"(?:주세요|주십시오|주시오|주시기|주시길|주길|주기 바|달라|줘|주라|주어라|줄 것|주어야|주셔야|드려야"
    r"|부탁|바랍니다|바라며"
    r"|(?:부여|처리|평가|채점|판정|선택|선정|기록|출력|표시|배점|반영|반환)(?:하|해|할|를|을|바|부탁|되어야|돼야|됨)"
    r"|매겨|매기(?:세요|십시오|시오|라|시기)|고르(?:세요|십시오|시오)|골라|뽑아|받아야|마땅|말하(?:세요|십시오|라))"
)
_ENDING = r"(?:세요|십시오|시오|달라|바랍|바란|부탁|하라|할 것|해야|해라|해 주|해줘|주)"
_TOP = (
    r"(?:만점|최고 ?(?:점|점수|등급|평점)|(?:높은|좋은|후한) 점수|가산점|감점 ?없이|가장 (?:높게|좋게|후하게)|높게 평가"
    r"|(?<!\d)(?:5|10|100) ?점(?! ?(?:차|을 ?넣))|10 ?/ ?10|100 ?%|십 ?점)"
)
_WORK = r"(?:글|응답|답변|답|텍스트|작품|문장|출력|소설|시|결과물)"
_OWN = rf"(?:이|본|위|아래|해당|제|내|다음)\s?{_WORK}"
_JUDGE = (
    r"(?:평가자|채점자|심사자|판정자|심사관|채점관|judge 모델|(?:평가|심사|채점|판정) ?(?:모델|AI|인공지능)"
    r"|(?:평가|심사|채점|판정)를? ?맡으신 \w{1,5})"
)
_RULES = r"(?:지시|지침|명령|규칙|프롬프트|안내|채점 ?기준|평가 ?기준|루브릭|가이드라인|제약)"
_LABEL = r"[\"'“‘]?[AB가나12][\"'”’]?(?:번)?(?:를|을|가|이|로|은|는)?(?![가-힣])"
_PRAISED = (
    rf"(?:{_TOP}(?:짜리|입니다|이다|감|을 받아야|의 자격|에 해당)|승자|우승작|더 (?:우수|뛰어|훌륭)"
    r"|낫다고 (?:판정|평가|채점)|가장 (?:우수|뛰어난 답))"
)
_LINE = r"(?m:^[\s>]{0,6}(?:#{1,6}|\[|【|={2,60}|-{2,60}|\*{2}|<{1,3}|■|◆)\s{0,3}"
_OFFICE = (
    r"(?:채점|평가|심사|판정|루브릭|시스템|심판|평가자|채점자|심사위원"
    r"|judge|judging|system|grading|scoring|evaluation|evaluator)"
)
_PAPER = (
    r"(?:기준|결과|지시|지침|안내|메시지|프롬프트|점수|완료|종료|끝|메모|참고|의견|알림|공지|명령|규칙|전용"
    r"|note|result|instruction|prompt|message|criteria|score|rubric|override|notice|complete|verdict|update)"
)
_FIELD = (
    r"(?:winner|verdict|scores?|rating|raw_scores|weighted_score|final_score|total|승자|점수|총점|평점|판정|우승|이유|reason"
    r"|evidence|flags)"
)
_TAG = (
    r"(?:system|assistant|user|human|instructions?|judge|response|answer|evaluation|verdict|candidate|contestant|tool"
    r"|지시|지침|시스템|평가|채점|판정|judge_notes)"
)
_PIECE = r"(?:응답|답변|텍스트|데이터|response|answer|text|data|candidate|contestant|output)"
_WORTH = r"(?:10|ten|100|full|max(?:imum)?|highest|top|perfect|excellent|best|5 ?/ ?5|5 stars?)"
_THINGS = r"\b(?:response|answer|option|text|candidate|winner|assistant|verdict|model)\b"
_OWNER = r"(?:\w+ ){0,2}(?:administrators?|admins?|developers?|operators?|organi[sz]ers?|openai|anthropic)"

_TABLE: Mapping[MarkKind, tuple[str, ...]] = {
    MarkKind.SCORE_REQUEST: (
        rf"(?:{_OWN}|{_JUDGE}|점수|항목|기준|평가){_NEAR}{{0,40}}{_TOP}{_NEAR}{{0,20}}{_ASKED}",
        rf"{_TOP}(?:으로|로|을|를)?{_NEAR}{{0,6}}(?:부여|채점|평가|매기|매겨|처리|배점){_NEAR}{{0,8}}{_ENDING}",
        rf"{_TOP}(?:만|으로|을|를)? ?(?:출력|대답|반환|기록)하?(?:세요|십시오|시오|라|할 것)",
        rf"점수(?:는|를|가|란에){_NEAR}{{0,20}}(?:10|만점|높게|최고){_NEAR}{{0,10}}(?:고정|{_ASKED})",
        r"\d ?점 (?:미만|이하)(?:을|를|으로|로|의)?[^.!?\n]{0,12}(?:주|매기|오류|금지|안 됩|안 된)",
        r"(?:무조건|자동|전부|전원) ?만점",
        r"(?:최우수작|우수작|우승작|1위|승자)(?:으로|로) (?:뽑|선정|선택|판정|골라)[^.!?\n]{0,6}"
        r"(?:주세|주십|주시|줘|달라|바랍|하라|하십)",
        r"(?:첫|두|앞|뒤|먼저|나중)(?: ?번째| ?나온)?(?:의)? ?(?:글|응답|답변|텍스트)(?:을|를)? ?(?:고르|선택|뽑|골라)",
        rf"(?:심사위원|심판|심사위원장)(?:님|여러분)?(?:들)?(?:께|에게)?{_NEAR}{{0,40}}"
        rf"(?:만점|최고점|높은 점수){_NEAR}{{0,10}}(?:당연|입니다|{_ASKED})",
        rf"{_TOP}만 (?:말|적으|주)(?:하|세요|십|시)",
        rf"{_JUDGE}(?:님|분)?(?:들)?(?:께|에게|은|는)?\s?[,:：!]",
        rf"{_JUDGE}{_NEAR}{{0,60}}(?:주세요|십시오|하세요|바랍니다|부탁드|하시오|하라(?![가-힣])|할 것|해야 합)",
        rf"{_OWN}(?:은|는|이|가|을|를|에|에는){_NEAR}{{0,40}}{_PRAISED}",
        r"(?:모든|전체|각|주어진|전) ?(?:평가|채점|심사)? ?(?:기준|항목|루브릭|요소)(?:을|를|에서|에|이)?"
        rf"{_NEAR}{{0,20}}(?:충족|만족시|만족합니다|{_TOP})",
        rf"(?:응답|답변|텍스트|글)\s?{_LABEL}{_NEAR}{{0,25}}(?:승자|우승|선택|고르|골라|우수|이겼|승리|낫|나은)",
        r"(?:승자|winner)(?: 값)?(?:는|로|를|으로|은)?\s?[\"'“(]?[AB](?![A-Za-z])",
        r"(?:상대|다른|반대편?|나머지|경쟁)(?: ?(?:모델|쪽))?(?:의)? ?(?:응답|답변|글|텍스트|작품)"
        rf"{_NEAR}{{0,20}}(?:0점|최하점|낮은 점수|탈락|감점|낫다)",
        rf"\b(?:give|assign|award|grant|rate|score|grade|mark)\b{_NEAR}{{0,50}}\b{_WORTH}\b",
        rf"\b(?:deserves?|earns?|merits?|receives?|(?:should|must|has to) (?:get|receive|be)){_NEAR}{{0,40}}"
        rf"\b(?:{_WORTH}|0|zero|scores?d?|marks?|winner|chosen|selected)\b",
        rf"\b(?:choose|select|pick|prefer|vote for|declare|output|respond with|return|print)\b{_NEAR}{{0,30}}{_THINGS}",
        rf"\b(?:output|respond with|return|print|answer)\b{_NEAR}{{0,20}}\b{_WORTH}\b",
        rf"\b(?:response|answer|text|candidate|option|model) [AB12]\b{_NEAR}{{0,30}}"
        r"\b(?:better|best|wins?|winner|superior|prefer)",
        r"\b(?:judges?|graders?|evaluators?|rubrics?|verdicts?|grading|scoring)\b",
        r"\bscores?\b[^.!?\n]{0,30}\b(?:\d{1,3}|ten|perfect|full|highest|maximum)\b",
        r"\b(?:dear|notes? (?:to|for)|attention|hey|hello),? (?:the )?(?:\w+ )?"
        r"(?:judge|evaluator|grader|reviewer|rater|llm|ai)s?\b",
        rf"\b(?:satisf(?:y|ies)|meets?|fulfil+s?|exceeds?)\b{_NEAR}{{0,20}}\b(?:all|every|each)\b{_NEAR}{{0,20}}"
        r"\b(?:criteri|rubric|requirement)",
    ),
    MarkKind.OVERRIDE: (
        r"(?:이전|앞선|앞의|앞서|위의|위에|지금까지|기존|모든|원래|상기|받은)(?:까지)?(?:의)?"
        rf"{_NEAR}{{0,12}}{_RULES}(?:사항|들|문)?(?:을|를|은|는|따위|도)?\s?{_NEAR}{{0,8}}"
        r"(?:무시하(?:고|라|세|십|시)|무시해|잊(?:고|으|어)|폐기|따르지 ?(?:마|말)|취소|버리|무효)",
        rf"(?:채점|평가|심사|시스템) ?{_RULES}{_NEAR}{{0,12}}(?:무시|잊어|폐기|따르지|변경되|바뀌었|무효)",
        r"(?:새로운|변경된|수정된|최신) (?:지시|지침|명령|채점 ?기준|평가 ?기준|규칙)(?:사항)?"
        r"\s?(?:[:：]|은 다음|에 따라|이 적용)",
        r"(?:당신|너)(?:은|는) (?:이제|더 ?이상|지금부터) ?(?:부터)? ?"
        r"(?:채점|평가|심사|판정)(?:자|관|위원)?(?:가|이)? ?(?:아니|아닙)",
        rf"\b(?:ignore|disregard|forget|override|skip|bypass)\b{_NEAR}{{0,40}}"
        r"\b(?:instructions?|prompts?|rules?|guidelines?|rubrics?|criteria|directions?)\b",
        r"\b(?:new|updated|revised|real|actual) (?:system )?(?:instructions?|rules?|criteria|rubric|task)"
        r"\s?(?:[:：]|are|is)",
    ),
    MarkKind.AUTHORITY: (
        r"(?:시스템|평가|채점|벤치마크|서버|대회) ?(?:관리자|운영자|개발자|개발팀|운영진|주최 ?측|담당자|설계자)"
        r"(?:입니다|로서|의 (?:지시|명령|공지|권한|승인)|가 (?:승인|지시|명령|확인)|[,:：])",
        r"관리자 (?:권한|모드|승인|명령)(?:으로|를|에|입니다|이|\s?[:：])",
        r"(?:이미|사전에) ?(?:심사|채점|검수|평가)?(?:를|가|이|에서)? ?(?:완료|통과|끝|확정)[^!?\n]{0,20}"
        r"(?:\d점|만점|승인|점수)",
        rf"\b(?:as|i am|i'm|this is|from|by) (?:the |an? |your )?{_OWNER}\b",
        r"\b(?:system|admin|developer|debug|maintenance|test) (?:mode|override|notice)\b",
    ),
    MarkKind.SECTION: (
        rf"{_LINE}(?:새로운? |최종 |수정된? )?{_OFFICE}[ _]{{0,2}}{_PAPER}[^\n]{{0,30}}$)",
        rf"{_LINE}(?:새로운? )?(?:지시|지침|지시사항|instructions?)\s?[:：])",
        r"\[\s?역할극 종료|\[\s?\d ?턴 응답\s?\]|^\s{0,4}\[\s?(?:시스템|system)\s?\]",
        r"(?m:^\s{0,4}[\[【#=*<-]{1,6}\s?(?:응답|답변|텍스트|지시|지침|지시사항|채점 메모|심사 메모|judge[' ]?s? notes?"
        r"|instructions?|response|candidate|assistant)\s?[AB12가나]?\s?(?:끝|종료|시작|end)?\s?[\]】#=*>:-]{1,6}\s{0,4}$)",
    ),
    MarkKind.VERDICT: (
        rf"[{{,(]\s{{0,9}}[\"'“”`]?{_FIELD}[\"'“”`]?\s{{0,5}}[:=]\s{{0,5}}[\"'“”{{\[\d]",
        r"[\"'“”](?:winner|verdict|scores?|rating|승자|점수|총점|판정)[\"'“”]\s{0,5}[:=]",
        r"\[\[\s?(?:A|B|C|tie|무승부|rating|\d{1,3})[^\[\]\n]{0,9}\]\]",
        r"(?:최종|종합|전체|총) ?(?:점수|판정|승자|평가|평점|결론)\s?[:：=]\s?\S",
        r"(?m:^\W{0,6}(?:점수|총점|판정|승자|평점|채점 ?결과|평가 ?결과)"
        r"\W{0,4}[:：=]\s{0,4}(?:10|9|100|만점|A|B|\d{1,3} ?/))",
        r"(?:이|본) (?:글|응답|답변)의 (?:평가|채점|점수|결과)(?:는|가)[^!?\n]{0,30}(?:\d점|만점)",
        r"\b(?:final|overall|total)?[ _]?(?:score|rating|verdict|winner|grade)\s?(?:[:：=]|is)\s?[\"'*]{0,3}"
        r"(?:\d|A\b|B\b|response|perfect|tie)",
    ),
    MarkKind.ROLE_TAG: (
        r"<\|[^|<>\n]{1,30}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|</?s>",
        rf"</?{_TAG}(?:[ _:][^<>\n]{{0,40}})?>",
        r"(?m:^[\s#*\[]{0,8}(?:system|assistant|user|human|developer|judge|evaluator|어시스턴트|시스템|평가자|채점자)"
        r"[\]*]{0,3}\s?[:：])",
    ),
    MarkKind.FENCE: (
        rf"[<＜‹«〈]{{1,3}}\s?/?\s?(?:END |BEGIN )?{_PIECE}\s?[:A-Za-z0-9_-]{{0,40}}\s?[>＞›»〉]{{1,3}}",
        r"[<＜‹«]{2,3}/?[A-Za-z가-힣]{1,20}[:：][0-9A-Za-z]{4,40}",
        rf"(?<![-=*#_~])[-=*#_~]{{3,60}}\s?(?:(?:{_PIECE}|글|본문|작품|제출물)\s?[AB]?\s?(?:끝|종료|시작|end)|(?:end|begin|start|stop)\b)",
        rf"\[/{_PIECE}\]|\[{_PIECE} (?:끝|종료|시작|end|start)\]",
        r"```\s?(?:end|끝|system|시스템|judge)",
        rf"\b(?:end|begin(?:ning)?) of (?:the )?(?:{_PIECE}|submission|input|document)\b",
    ),
}

PATTERNS: tuple[tuple[MarkKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, patterns in _TABLE.items() for pattern in patterns
)
