"""What the families' sections say."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.reports.html.blocks import Lang

Words = Mapping[str, str]

ENGLISH: Words = {
    "model": "model",
    "percent": "percent",
    "subject": "subject",
    "category": "category",
    "kmmlu_help": (
        "The headline is the macro-average over subjects; micro stands beside it in the results. Subjects have 100 "
        "to 1,000 questions, so a single square is uncertain by 3 to 10 points: the table gives every interval."
    ),
    "kmmlu_heat": "{title}, {mode}, {shots}-shot: accuracy in each subject.",
    "kmmlu_categories": "{title}, {mode}, {shots}-shot: macro-average of each category with 95 % interval.",
    "rates": "Answers that could not be scored, in percent",
    "rate": "rate",
    "konubench_help": (
        "Accuracy by number of solved examples. The dashed lines are rules that never read the sentence to be "
        "negated: a model below them has not been shown to understand negation."
    ),
    "konubench_shots": "KoNUBench {mode}: {metric} by number of examples, with 95 % intervals; dashed: blind rules.",
    "konubench_one": (
        "KoNUBench {mode}, {shots}-shot: {metric} with 95 % interval; red ticks: the highest blind rule."
    ),
    "konubench_errors": "KoNUBench {mode}, {shots}-shot: share of items on which each wrong option was chosen.",
    "examples": "examples in the prompt",
    "local": "local negation",
    "contradiction": "contradiction",
    "paraphrase": "paraphrase",
    "klue_help": (
        "Official metrics and, beside them, the clean ones where the official scorer has an artefact. Intervals "
        "resample clusters of items; several seeds are crossed with items. Bars of a common scale are used and no "
        "radar, whose area depends on the order of its axes."
    ),
    "klue_bars": "{task}: official metrics with 95 % interval.",
    "klue_seeds": "seeds",
    "metric": "metric",
    "official": "official",
    "clean": "clean",
    "munbench_help": (
        "Scores of judges, out of 10, macro over tracks; ratings are Bradley–Terry on an Elo-like scale, 1,200 in "
        "the middle. Intervals resample items. A judge that was not validated against people shows what it likes, "
        "not what is good."
    ),
    "provisional": "Provisional: no people have rated these texts.",
    "munbench_overall": "Overall rubric mean with 95 % interval.",
    "munbench_tracks": "Rubric mean by track with 95 % interval.",
    "munbench_ratings": "Ratings from pairwise comparisons with 95 % interval, raw and with style held equal.",
    "munbench_judges": "What each judge gives each model, out of 10",
    "munbench_stored": "MunBench {task}: mean of the rubric with 95 % interval.",
    "judge": "judge",
    "points": "points out of 10",
    "rating": "rating",
    "raw": "raw",
    "style_controlled": "style controlled",
    "track": "track",
    "position": "Do the judges agree with themselves in both orders of a pair?",
    "consistency": "consistent",
    "first_wins": "first text wins",
    "longer_wins": "longer text wins",
}

KOREAN: Words = {
    "model": "모델",
    "percent": "퍼센트",
    "subject": "과목",
    "category": "분야",
    "kmmlu_help": (
        "대표 수치는 과목별 평균(macro)이고 문항 평균(micro)은 결과에 함께 있습니다. 한 과목은 100에서 "
        "1,000문항이므로 네모 하나는 3에서 10점까지 흔들립니다. 구간은 표에 모두 있습니다."
    ),
    "kmmlu_heat": "{title}, {mode}, 예시 {shots}개: 과목별 정확도.",
    "kmmlu_categories": "{title}, {mode}, 예시 {shots}개: 분야별 평균과 95 % 구간.",
    "rates": "점수를 매길 수 없던 답, 퍼센트",
    "rate": "비율",
    "konubench_help": (
        "풀어 보인 예시 수에 따른 정확도입니다. 점선은 부정할 문장을 읽지 않는 규칙입니다. 그보다 낮은 모델은 "
        "부정을 안다고 보인 것이 아닙니다."
    ),
    "konubench_shots": "KoNUBench {mode}: 예시 수에 따른 {metric}와 95 % 구간. 점선은 문장을 읽지 않는 규칙.",
    "konubench_one": (
        "KoNUBench {mode}, 예시 {shots}개: {metric}와 95 % 구간. 붉은 눈금은 문장을 읽지 않는 가장 높은 규칙."
    ),
    "konubench_errors": "KoNUBench {mode}, 예시 {shots}개: 틀린 선택지마다 그것을 고른 문항의 비율.",
    "examples": "프롬프트의 예시 수",
    "local": "국소 부정",
    "contradiction": "모순",
    "paraphrase": "바꿔 말하기",
    "klue_help": (
        "공식 지표와, 공식 채점기에 흠이 있는 곳에서는 바로잡은 지표를 나란히 둡니다. 구간은 문항 묶음을 다시 뽑은 "
        "것이고 시드가 여럿이면 문항과 교차합니다. 방사형 그림은 축의 차례에 따라 넓이가 달라지므로 쓰지 않습니다."
    ),
    "klue_bars": "{task}: 공식 지표와 95 % 구간.",
    "klue_seeds": "시드",
    "metric": "지표",
    "official": "공식",
    "clean": "바로잡음",
    "munbench_help": (
        "심판의 점수는 10점 만점이고 트랙의 평균입니다. 레이팅은 브래들리-테리이고 1,200이 가운데입니다. 구간은 "
        "문항을 다시 뽑은 것입니다. 사람과 맞추어 보지 않은 심판은 자기 취향을 보일 뿐입니다."
    ),
    "provisional": "잠정 결과: 사람이 이 글을 평가하지 않았습니다.",
    "munbench_overall": "전체 루브릭 평균과 95 % 구간.",
    "munbench_tracks": "트랙별 루브릭 평균과 95 % 구간.",
    "munbench_ratings": "둘씩 견준 레이팅과 95 % 구간: 그대로와 문체를 같게 놓았을 때.",
    "munbench_judges": "심판마다 모델에 준 점수, 10점 만점",
    "munbench_stored": "문벤치 {task}: 루브릭 평균과 95 % 구간.",
    "judge": "심판",
    "points": "점, 10점 만점",
    "rating": "레이팅",
    "raw": "그대로",
    "style_controlled": "문체를 같게",
    "track": "트랙",
    "position": "심판은 차례를 바꾸어도 같은 쪽을 고르는가?",
    "consistency": "일관됨",
    "first_wins": "앞의 글이 이김",
    "longer_wins": "긴 글이 이김",
}


def words(lang: Lang) -> Words:
    """The words of a language."""
    return KOREAN if lang == "ko" else ENGLISH
