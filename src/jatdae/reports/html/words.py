"""What the report says, in English and Korean."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.reports.html.blocks import Lang

Words = Mapping[str, str]

ENGLISH: Words = {
    "title": "Jatdae report",
    "intro": "{results} results of {models} models, measured from {first} to {last}.",
    "contents": "Contents",
    "language": "한국어",
    "leaderboard": "Leaderboard",
    "leaderboard_help": (
        "Percent with 95 % interval and number of items. The rank range counts models whose interval lies wholly "
        "above or below; models that share a range cannot be told apart by it, the comparisons below are sharper. "
        "A floor never reads the question: a score whose interval reaches it shows nothing."
    ),
    "rank": "rank",
    "model": "model",
    "task": "task",
    "mode": "mode",
    "shots": "shots",
    "metric": "metric",
    "score": "score",
    "floor": "highest floor",
    "status": "status",
    "done": "complete",
    "incomplete": "incomplete",
    "overview_chart": "{task}, {mode}: {metric} in percent with 95 % interval; red ticks are the highest floors.",
    "percent": "percent",
    "comparisons": "Comparisons",
    "comparisons_help": (
        "For each question the best model against the others, item by item. p is corrected over all comparisons "
        "here (Holm)."
    ),
    "many_models": "Of {count} models the {shown} best are compared; `jatdae compare` takes any two.",
    "first": "best",
    "second": "other",
    "difference": "difference in points [95 %]",
    "corrected": "corrected p",
    "detectable": "detectable",
    "verdict": "in words",
    "refused": "not compared: {reason}",
    "protocol": "What each figure stands on",
    "signature": "signature",
    "run": "run",
    "fingerprint": "fingerprint",
    "data": "data",
    "identity": "model",
    "settings": "settings",
    "notes": "Notes",
    "samples": "Samples",
    "samples_help": (
        "{count} of {total} samples, drawn by a fixed seed, of every outcome some. `jatdae view` shows all of them."
    ),
    "search": "search",
    "all_results": "all results",
    "all_outcomes": "all outcomes",
    "result": "result",
    "outcome": "outcome",
    "item": "item",
    "prediction": "prediction",
    "target": "target",
    "prompt": "prompt",
    "answer": "answer",
    "options": "options and log-likelihoods",
    "details": "details",
    "found": "{count} fit",
    "cut": "… ({count} further characters)",
    "none": "none",
    "table": "the figures as a table",
    "right": "right",
    "wrong": "wrong",
    "unparsed": "unparsed",
    "truncated": "truncated",
    "refused_answer": "refused",
    "failed": "failed",
    "made": "Made by Jatdae {version} from a store; nothing on this page is fetched from anywhere.",
    "no_results": "Nothing finished fits; run a task first.",
    "sort": "sort by {name}",
    "skip": "Skip to the content",
}

KOREAN: Words = {
    "title": "잣대 보고서",
    "intro": "모델 {models}개의 결과 {results}개를 {first}부터 {last}까지 쟀습니다.",
    "contents": "차례",
    "language": "English",
    "leaderboard": "순위표",
    "leaderboard_help": (
        "점수는 퍼센트이고 95 % 구간과 문항 수가 붙습니다. 순위 범위는 구간이 완전히 위나 아래에 있는 모델만 "
        "셉니다. 범위가 같은 모델은 이것으로 가를 수 없고, 아래의 견주기가 더 날카롭습니다. 바닥값은 문제를 읽지 "
        "않고 얻는 점수입니다. 구간이 바닥값에 닿으면 아무것도 보인 것이 아닙니다."
    ),
    "rank": "순위",
    "model": "모델",
    "task": "과제",
    "mode": "방식",
    "shots": "예시 수",
    "metric": "지표",
    "score": "점수",
    "floor": "가장 높은 바닥값",
    "status": "상태",
    "done": "완전",
    "incomplete": "불완전",
    "overview_chart": "{task}, {mode}: {metric}, 퍼센트와 95 % 구간. 붉은 눈금은 가장 높은 바닥값입니다.",
    "percent": "퍼센트",
    "comparisons": "견주기",
    "comparisons_help": (
        "물음마다 가장 좋은 모델을 다른 모델과 문항별로 견줍니다. p는 여기의 모든 견주기에 걸쳐 고쳤습니다(Holm)."
    ),
    "many_models": (
        "모델 {count}개 가운데 가장 좋은 {shown}개를 견줍니다. `jatdae compare`로는 어느 둘이든 견줄 수 있습니다."
    ),
    "first": "최고",
    "second": "상대",
    "difference": "차이(점) [95 %]",
    "corrected": "고친 p",
    "detectable": "찾을 수 있는 차이",
    "verdict": "말로 하면",
    "refused": "견주지 않음: {reason}",
    "protocol": "수치의 근거",
    "signature": "서명",
    "run": "실행",
    "fingerprint": "지문",
    "data": "데이터",
    "identity": "모델",
    "settings": "설정",
    "notes": "알아둘 것",
    "samples": "표본",
    "samples_help": (
        "전체 {total}개 가운데 {count}개를 정해진 시드로 뽑았고 결과마다 조금씩 들어 있습니다. 모두 보려면 `jatdae "
        "view`를 쓰십시오."
    ),
    "search": "찾기",
    "all_results": "모든 결과",
    "all_outcomes": "모든 판정",
    "result": "결과",
    "outcome": "판정",
    "item": "문항",
    "prediction": "예측",
    "target": "정답",
    "prompt": "프롬프트",
    "answer": "답",
    "options": "선택지와 로그 가능도",
    "details": "세부 내용",
    "found": "{count}개가 맞습니다",
    "cut": "… (뒤로 {count}자)",
    "none": "없음",
    "table": "표로 보기",
    "right": "맞음",
    "wrong": "틀림",
    "unparsed": "답을 읽지 못함",
    "truncated": "잘림",
    "refused_answer": "거절",
    "failed": "실패",
    "made": "잣대 {version}이 저장소에서 만들었습니다. 이 쪽은 아무것도 밖에서 가져오지 않습니다.",
    "no_results": "맞는 결과가 없습니다. 먼저 과제를 재십시오.",
    "sort": "{name} 기준으로 정렬",
    "skip": "본문으로 건너뛰기",
}


def words(lang: Lang) -> Words:
    """The words of a language."""
    return KOREAN if lang == "ko" else ENGLISH
