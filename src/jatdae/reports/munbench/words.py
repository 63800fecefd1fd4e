"""The wording of leaderboards in English and Korean, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "ko")

BANNERS: Mapping[str, tuple[str, str]] = {
    "judge_missing": (
        "The judge {judge} lacks {share} % of its scores (2 % are allowed): overall scores are withheld. The same "
        "command asks again.",
        "심사 모델 {judge}의 점수가 {share} % 빠져 있어(허용 2 %) 종합 점수를 싣지 않는다. 같은 명령을 다시 실행하면 "
        "빠진 것만 다시 묻는다.",
    ),
    "missing_differs": (
        "The share of missing scores differs by {points} points between models (2 are allowed): overall scores are "
        "withheld.",
        "모델 사이에 빠진 점수의 비율이 {points}%p 차이 나서(허용 2%p) 종합 점수를 싣지 않는다.",
    ),
    "tracks_missing": (
        "Tracks are missing: {tracks}. Overall scores are withheld.",
        "빠진 트랙이 있다: {tracks}. 종합 점수를 싣지 않는다.",
    ),
    "coverage": (
        "{model} answered {coverage} % of the prompts ({least} % are needed): its overall score is withheld.",
        "{model}의 응답률이 {coverage} %로 기준({least} %)보다 낮아 종합 점수를 싣지 않는다.",
    ),
    "not_validated": (
        "Provisional: the judges of this run are not validated against people.",
        "잠정 결과: 이 실행의 심사 모델은 사람의 평가와 견주어 검증되지 않았다.",
    ),
    "rule_judge": (
        "The judge 'rule' computes surface measures. It is no substitute for a reader.",
        "심사자 'rule'은 겉으로 드러나는 수치만 계산한다. 글을 읽는 사람이나 모델을 대신하지 못한다.",
    ),
    "compat": (
        "Profile compat: numbers follow the published arithmetic, with self-judging counted, partial scores "
        "renormalised and nothing withheld.",
        "compat 프로필: 공개된 계산법을 따른다. 자기 심사를 포함하고, 빠진 기준은 가중치를 다시 나누며, 점수를 "
        "가리지 않는다.",
    ),
    "cli_route": (
        "Rows marked 'cli' were asked through a command-line client with a system prompt of its own. They are not "
        "comparable with rows from an API.",
        "'cli' 표시가 있는 행은 자체 시스템 프롬프트를 쓰는 명령줄 프로그램을 거쳤다. API로 물은 행과 견줄 수 없다.",
    ),
    "brought": (
        "Rows marked 'file' hold texts that were written elsewhere, by people for example.",
        "'file' 표시가 있는 행은 사람이 썼거나 다른 곳에서 만든 글이다.",
    ),
    "ratings_stale": (
        "The ratings are stale: they are not of the present comparisons. Run: jatdae munbench elo",
        "레이팅이 지금의 비교 결과와 맞지 않는다. 다시 계산하려면: jatdae munbench elo",
    ),
    "verdicts_missing": (
        "The judge {judge} lacks an outcome in {share} % of its comparisons (2 % are allowed): ratings are withheld "
        "from the main table.",
        "심사 모델 {judge}의 비교 가운데 {share} %에 결과가 없어(허용 2 %) 주요 표에 레이팅을 싣지 않는다.",
    ),
    "position_alarm": (
        "The judge {judge} chose the same place in both orders in {share} % of its comparisons (alarm from 25 %).",
        "심사 모델 {judge}은(는) 비교의 {share} %에서 두 순서 모두 같은 자리를 골랐다(경보 25 %).",
    ),
}

TITLES: Mapping[str, tuple[str, str]] = {
    "heading": ("MunBench leaderboard", "문벤치 순위표"),
    "provisional": ("provisional", "잠정"),
    "main": ("Leaderboard", "순위"),
    "intervals": ("Scores with 95 % intervals", "점수와 95 % 신뢰 구간"),
    "judges": ("Scores by judge", "심사 모델별 점수"),
    "completion": ("Completion", "완료 현황"),
    "culture": ("Culture pairs", "문화 명시·비명시 짝"),
    "variants": ("Main prompt minus contrast prompt", "원 과제와 대조 과제의 점수 차"),
    "spreads": ("Three spreads, in points", "세 가지 흩어짐(점)"),
    "groups": ("Scores by domain, form and subtype", "영역·형식·유형별 점수"),
    "tags": ("Track 1 by phenomenon", "트랙 1 현상별 점수"),
    "criteria": ("Scores by criterion", "기준별 점수"),
    "controls": ("Honorifics, gate and over-reading", "높임 기준·통과 기준·과잉 해석"),
    "texts": ("Measures without a judge", "심사 없이 재는 값"),
    "ratings": ("Ratings from comparisons", "비교 레이팅"),
    "wins": ("Points won / games, row against column", "행이 열을 상대로 얻은 점수/경기 수"),
    "positions": ("How steady the judges are", "심사의 일관성"),
    "style": ("What style buys, in nat", "글의 겉모습이 판정에 미치는 영향(nat)"),
    "own": ("Do judges favour their own?", "자기 모델 선호"),
    "own_wins": ("Own model's wins by its own and by other judges", "자기 모델의 승률: 자기 심사와 다른 심사"),
    "without": ("Order with one judge removed", "심사 모델을 하나씩 뺀 순위"),
    "items": ("Items", "문항"),
}

NOTES: Mapping[str, tuple[str, str]] = {
    "main": (
        "Track figures are mean ± spread over items, which is no interval. Equal ranks (=) differ by less than the "
        "noise floor of {floor}. The range is that of the rank when items are drawn anew. Scores are points out of 10.",
        "트랙 값은 평균 ± 문항 사이의 흩어짐이며 신뢰 구간이 아니다. 같은 순위(=)는 차이가 잡음 한계 {floor}보다 "
        "작다. 범위는 문항을 다시 뽑았을 때의 순위 범위이다. 점수는 10점 만점이다.",
    ),
    "judges": (
        "Mean (rank), and the residual: how far the judge lies from the other judges, leniency taken off. ◆ own model, "
        "◇ own family.",
        "평균(순위)과 잔차. 잔차는 후한 정도를 뺀 뒤 다른 심사 모델과의 차이이다. ◆ 자기 모델, ◇ 같은 계열.",
    ),
    "variants": ("Nothing is claimed from fewer than 10 pairs (*).", "짝이 10개보다 적으면(*) 결론을 내리지 않는다."),
    "spreads": (
        "Item spread: over items. Repeatability: one judge on one text again. Disagreement: judges on one text.",
        "문항: 문항 사이의 흩어짐. 반복: 한 심사 모델이 같은 글을 다시 볼 때. 불일치: 같은 글에 대한 심사 모델 사이.",
    ),
    "controls": (
        "The gate: share of track-3 texts under 3 points in honorifics. Over-reading: share of sincere words in which "
        "a grudge was seen. Fewer than 10 (*): no claim.",
        "통과 기준: 높임에서 3점 미만인 트랙 3 글의 비율. 과잉 해석: 진심인 말에서 서운함을 읽어 낸 비율. 10개 미만(*)"
        "이면 결론을 내리지 않는다.",
    ),
    "ratings": (
        "Elo points. An open end (∞) is bounded by the prior alone. Style-controlled: length and markup taken out.",
        "엘로 점수. 열린 끝(∞)은 사전 분포만이 제한한다. 문체 보정: 길이와 서식의 영향을 뺀 값.",
    ),
    "positions": (
        "Flips: the same place won both orders. γ: what being shown first adds, in nat.",
        "뒤집힘: 두 순서에서 같은 자리가 이긴 비율. γ: 먼저 보인 글이 얻는 이득(nat).",
    ),
    "own": (
        "Points more than the other judges give, on own texts minus on others', paired by item.",
        "다른 심사 모델보다 더 준 점수. 자기 글에서의 값 빼기 남의 글에서의 값(문항별 짝).",
    ),
    "items": (
        "Proposals to look at; no item is dropped. Weak: item-rest correlation under .1. Saturated: 90 % of the models "
        "at 9 points or more.",
        "살펴볼 문항의 제안일 뿐 문항을 빼지 않는다. 약함: 문항-나머지 상관 .1 미만. 포화: 모델의 90 %가 9점 이상.",
    ),
}

HEADERS: Mapping[str, tuple[str, str]] = {
    "rank": ("Rank", "순위"),
    "range": ("Range", "범위"),
    "model": ("Model", "모델"),
    "overall": ("Overall", "종합"),
    "interval": ("95 %", "95 %"),
    "elo": ("Elo", "엘로"),
    "slop": ("Slop/1k T1·T2·T3", "상투어/천 자 T1·T2·T3"),
    "switch": ("Switch % T1·T2·T3", "외국어 혼용 % T1·T2·T3"),
    "over_all": ("Over all items", "전체 문항"),
    "over_answered": ("Over answered items", "응답 문항"),
    "lead": ("Lead over next", "다음 모델과의 차"),
    "leniency": ("leniency", "후한 정도"),
    "missing": ("missing %", "누락 %"),
    "generations": ("Generations", "생성"),
    "errors": ("Errors", "오류"),
    "error_rate": ("Error %", "오류 %"),
    "slots": ("Judge slots", "심사 칸"),
    "failed": ("Failed", "실패"),
    "failure_rate": ("Failure %", "실패 %"),
    "coverage": ("Coverage %", "응답률 %"),
    "statuses": ("ok / truncated / empty / refused / error / partial / none", "정상/잘림/빈 글/거부/오류/일부/없음"),
    "pairs": ("Pairs", "짝 수"),
    "specified": ("Specified", "명시"),
    "neutral": ("Implied", "비명시"),
    "delta": ("Delta", "차이"),
    "kind": ("Kind", "종류"),
    "difference": ("Difference", "차이"),
    "track": ("Track", "트랙"),
    "item_spread": ("Item spread", "문항"),
    "repeatability": ("Judge repeatability", "심사 반복"),
    "disagreement": ("Judge disagreement", "심사 불일치"),
    "group": ("Group", "묶음"),
    "tag": ("Phenomenon", "현상"),
    "criterion": ("Criterion", "기준"),
    "gate": ("Gate failed %", "기준 미달 %"),
    "over_reading": ("Over-reading %", "과잉 해석 %"),
    "measure": ("Measure", "값"),
    "games": ("Games", "경기"),
    "style_controlled": ("Style-controlled", "문체 보정"),
    "single_orders": ("Single orders", "개별 순서"),
    "elo_compat": ("Published Elo", "공개 방식 엘로"),
    "judge": ("Judge", "심사 모델"),
    "comparisons": ("Comparisons", "비교"),
    "flips": ("Flips %", "뒤집힘 %"),
    "first_wins": ("First wins %", "앞자리 승 %"),
    "longer_wins": ("Longer wins %", "긴 글 승 %"),
    "gamma": ("γ", "γ"),
    "covariate": ("Covariate", "변수"),
    "coefficient": ("Coefficient", "계수"),
    "own": ("Own model", "자기 모델"),
    "family": ("Own family", "같은 계열"),
    "own_rate": ("By itself %", "자기 심사 %"),
    "other_rate": ("By others %", "다른 심사 %"),
    "removed": ("Removed", "뺀 심사 모델"),
    "order": ("Order", "순위"),
    "rank_shift": ("Largest shift", "가장 큰 순위 변화"),
    "models": ("Models", "모델 수"),
    "weak": ("Weak", "약함"),
    "saturated": ("Saturated", "포화"),
    "unknown_floor": ("(unknown: nothing was repeated)", "(모름: 반복이 없음)"),
    "points": ("points", "점"),
    "withheld": ("withheld", "보류"),
}

MEASURES: Mapping[str, tuple[str, str]] = {
    "characters": ("characters", "글자 수"),
    "strong_slop_per_1000": ("slop per 1,000", "상투어/천 자"),
    "weak_slop_per_1000": ("weak slop per 1,000", "약한 상투어/천 자"),
    "compat_slop_per_1000": ("slop per 1,000, as published", "상투어/천 자(공개 방식)"),
    "distinct_trigrams": ("distinct trigrams", "서로 다른 세 글자 비율"),
    "windowed_trigrams": ("distinct trigrams by window", "창 안의 세 글자 비율"),
    "repeats": ("repeats itself %", "되풀이 %"),
    "repeated_lines": ("repeated lines", "되풀이 행 비율"),
    "leaks_per_1000": ("foreign words per 1,000", "외국어/천 음절"),
    "code_switch": ("code switch %", "외국어 혼용 %"),
    "compat_code_switch": ("code switch, as published %", "외국어 혼용(공개 방식) %"),
    "length_ok": ("length kept %", "분량 준수 %"),
    "compat_length_ok": ("length kept, as published %", "분량 준수(공개 방식) %"),
    "length_ratio": ("length over what was asked", "요구 분량 대비"),
    "speech_mixture": ("speech levels mixed", "화계 섞임"),
    "politeness_mixture": ("polite and plain mixed", "존대·반말 섞임"),
    "checks_passed": ("checks passed", "점검 통과"),
    "says_it_is_a_model": ("says it is a model %", "모델임을 밝힘 %"),
    "speaks_to_the_judge": ("speaks to the judge %", "심사자에게 말함 %"),
    "shared_openings": ("begins like another %", "첫머리가 같음 %"),
    "length_and_score": ("length and score, ρ", "길이와 점수 ρ"),
}

KINDS: Mapping[str, tuple[str, str]] = {
    "culture_implied": ("culture named - implied", "문화 명시 - 비명시"),
    "decontextualised": ("idiom with - without scene", "관용구 장면 있음 - 없음"),
    "sincere_control": ("subtext - sincere", "속뜻 - 진심"),
}


@dataclass(frozen=True, slots=True)
class Words:
    """Wording in one language."""

    language: Language

    def __call__(self, name: str) -> str:
        """A header. Raises KeyError for a name without wording, as all of these do."""
        return self._of(HEADERS, name)

    def banner(self, code: str, values: Mapping[str, str]) -> str:
        return self._of(BANNERS, code).format(**values)

    def title(self, name: str) -> str:
        return self._of(TITLES, name)

    def note(self, name: str, **values: str) -> str:
        return self._of(NOTES, name).format(**values)

    def measure(self, name: str) -> str:
        return self._of(MEASURES, name)

    def kind(self, name: str) -> str:
        return self._of(KINDS, name)

    def _of(self, table: Mapping[str, tuple[str, str]], name: str) -> str:
        return table[name][LANGUAGES.index(self.language)]
