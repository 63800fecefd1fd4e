"""The wording of the report in English and Korean, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from jatdae.benchmarks.konubench.artefacts import LONGEST, MARKER_NEAR_END, MOST_MARKERS

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

HEADING: tuple[str, str] = ("Negation: a study of models", "부정 이해: 모델 연구")

TITLES: Mapping[str, tuple[str, str]] = {
    "models": ("Models", "모델"),
    "scores": ("KoNUBench, mode {mode}, by number of examples", "KoNUBench {mode} 방식, 예시 수별 점수"),
    "means": ("Means over groups of models, mode {mode}", "모델 집단별 평균, {mode} 방식"),
    "pairs": ("Instruct minus base, models of one family and size", "같은 계열·크기의 지시 학습 모델 빼기 기본 모델"),
    "baselines": ("Beside the rules that never read the sentence", "원문을 읽지 않는 규칙과의 비교"),
    "wrong_options": ("Which wrong option was chosen, by model", "모델별로 고른 오답의 종류"),
    "pooled_wrong_options": ("Which wrong option was chosen, by group of models", "모델 집단별로 고른 오답의 종류"),
    "polarity": ("Affirmative and negated form of the same questions", "같은 질문의 긍정형과 부정형"),
    "polarity_gains": ("What the negated form costs, by group of models", "부정형에서 잃는 점수, 모델 집단별"),
    "tuned": ("Before and after fine-tuning", "미세 조정 전과 후"),
    "tuned_means": (
        "Before and after fine-tuning, mean over adapters",
        "미세 조정 전과 후, 어댑터 평균",
    ),
    "sizes": ("Accuracy by size within families", "계열 안에서 크기에 따른 정확도"),
    "breakdown": ("Items with a local negation, by {by}: model by model", "부분 부정이 있는 문항, {by}별(모델별)"),
    "mean_breakdown": (
        "Items with a local negation, by {by}: mean over models",
        "부분 부정이 있는 문항, {by}별(모델 평균)",
    ),
    "left_out": ("Left out", "빠진 것"),
}

NOTES: Mapping[str, tuple[str, str]] = {
    "models": (
        "Facts come from the models file. What it does not name is not guessed; such a model is in no group but “all”.",
        "모델 정보는 모델 파일에서 온다. 파일에 없는 모델은 추측하지 않으며 '전체' 말고는 어느 집단에도 넣지 않는다.",
    ),
    "scores": (
        "Percent with 95 % interval over items; clusters are items of one origin. Metric: {metric}. Without "
        "examples one pass; with examples the mean of the seeds {seeds}.",
        "백분율과 95 % 신뢰 구간(문항 표집, 출처가 같은 문항은 한 묶음). 지표: {metric}. 예시가 없으면 한 번, "
        "있으면 시드 {seeds}의 평균이다.",
    ),
    "means": (
        "Mean [95 % interval] (number of models). The interval is over models: it says how such a mean would lie "
        "with other models of the kind, and holds no error of the items. One model has none.",
        "평균 [95 % 신뢰 구간] (모델 수). 구간은 모델 표집에 대한 것으로, 같은 부류의 다른 모델을 쟀을 때의 변동을 "
        "뜻하며 문항의 오차는 담지 않는다. 모델이 하나면 구간이 없다.",
    ),
    "pairs": (
        "Points [95 % interval over pairs]. Falling: pairs in which the instruct model is lower.",
        "점수 차 [쌍에 대한 95 % 신뢰 구간]. 하락: 지시 학습 모델이 더 낮은 쌍의 수.",
    ),
    "baselines": (
        "Model minus rule in points, on the same items [95 % bootstrap interval over origins]. A model that is not "
        "above a rule that sees the options alone has not been shown to understand negation. The rules: the "
        "longest option; the one with most negation markers, then the longest; one with a marker among its last "
        "seven morphemes, then most markers, then the longest.",
        "같은 문항에서 모델 빼기 규칙의 점수 차 [출처 단위 부트스트랩 95 % 신뢰 구간]. 선택지만 보는 규칙보다 높지 "
        "않은 모델은 부정을 이해한다고 볼 근거가 없다. 규칙: 가장 긴 선택지 / 부정 표지가 가장 많고 같으면 긴 "
        "선택지 / 마지막 일곱 형태소 안에 표지가 있고 같으면 표지가 많고 긴 선택지.",
    ),
    "below": (
        "{cell}: {below} of {models} models score below “{rule}” ({value}).",
        "{cell}: 모델 {models}개 가운데 {below}개가 '{rule}'({value})보다 낮다.",
    ),
    "wrong_options": (
        "Share of the wrong predictions [95 % interval over origins]. “As released” takes the columns as they are "
        "stored; “put right” exchanges contradiction and paraphrase where the release has them in each other's "
        "column. Published shares are by the raw log-likelihood (metric acc) and as released.",
        "오답 가운데 비율 [출처 단위 95 % 신뢰 구간]. '공개된 대로'는 저장된 열을 그대로 읽고, '바로잡음'은 모순과 "
        "환언이 뒤바뀐 구간을 되돌려 읽는다. 발표된 비율은 원래 로그 가능도(acc)와 공개된 열을 따른 것이다.",
    ),
    "pooled_wrong_options": (
        "All wrong predictions of a group together; the interval is over the items' origins, not over models. "
        "Quartiles are of the models by their score in the cell.",
        "집단의 모든 오답을 합친 것으로, 구간은 문항 출처에 대한 것이며 모델에 대한 것이 아니다. 사분위는 해당 "
        "조건의 점수로 나눈 모델의 사분위이다.",
    ),
    "polarity": (
        "Metric acc, within items; the difference is affirmative minus negated.",
        "지표 acc, 같은 문항끼리의 비교. 차이는 긍정형 빼기 부정형이다.",
    ),
    "polarity_gains": (
        "Negated minus affirmative [95 % interval over models].",
        "부정형 빼기 긍정형 [모델에 대한 95 % 신뢰 구간].",
    ),
    "tuned": (
        "After minus before in points, over the items that both answered [95 % bootstrap interval]; p corrected "
        "over the questions of one adapter.",
        "둘 다 답한 문항에서 조정 후 빼기 조정 전의 점수 차 [부트스트랩 95 % 신뢰 구간]. p는 한 어댑터의 여러 "
        "과제에 대해 보정했다.",
    ),
    "tuned_means": (
        "After minus before [95 % interval over adapters] for adapters that learned in one mode.",
        "같은 방식으로 배운 어댑터들의 조정 후 빼기 조정 전 [어댑터에 대한 95 % 신뢰 구간].",
    ),
    "sizes": (
        "Bootstrap intervals over origins. The step is the difference to the next smaller model of the family and "
        "tuning, on the same items: a step below zero is a fall with size.",
        "출처 단위 부트스트랩 구간. '변화'는 같은 계열·같은 학습 방식의 바로 아래 크기 모델과 같은 문항에서 본 "
        "차이로, 0보다 작으면 커지면서 떨어진 것이다.",
    ),
    "breakdown": (
        "Accuracy, then the share of items whose local negation was chosen (by the headline), each with 95 % "
        "interval and number of items. Markers and distances come from Jatdae's detector.",
        "정확도와, 부분 부정을 고른 문항의 비율(대표 지표 기준)과 95 % 신뢰 구간, 문항 수. 표지와 거리는 잣대의 "
        "부정 탐지기로 얻었다.",
    ),
}

WORDS: Mapping[str, tuple[str, str]] = {
    "model": ("Model", "모델"),
    "reference": ("Reference", "참조"),
    "family": ("Family", "계열"),
    "parameters": ("B", "크기(10억)"),
    "band": ("Size", "크기 구간"),
    "tuning": ("Tuning", "학습 방식"),
    "language": ("Language", "언어"),
    "unknown": ("not in the models file", "모델 파일에 없음"),
    "adapter": ("adapter of {base}", "{base}의 어댑터"),
    "shots": ("{shots}-shot", "예시 {shots}개"),
    "group": ("Group", "집단"),
    "pairs": ("Pairs", "쌍"),
    "falling": ("Falling", "하락"),
    "gain": ("Gain", "차이"),
    "column": ("Mode and examples", "방식과 예시 수"),
    "mode": ("Mode", "방식"),
    "metric": ("Metric", "지표"),
    "columns": ("Columns", "열"),
    "wrong": ("Wrong", "오답 수"),
    "local": ("Local negation", "부분 부정"),
    "contradiction": ("Contradiction", "모순"),
    "paraphrase": ("Paraphrase", "환언"),
    "no valid letter": ("No valid letter", "유효한 글자 없음"),
    "as released": ("as released", "공개된 대로"),
    "put right": ("put right", "바로잡음"),
    "score": ("Score", "점수"),
    "standing": ("Standing", "판정"),
    "above_all": ("above all", "모두보다 높음"),
    "below": ("below", "낮음"),
    "level": ("not told apart", "차이를 말할 수 없음"),
    "study": ("Study", "연구"),
    "positive": ("Affirmative", "긍정형"),
    "negative": ("Negated", "부정형"),
    "difference": ("Difference", "차이"),
    "both": ("Both right", "둘 다 맞음"),
    "models": ("Models", "모델 수"),
    "base_model": ("Base model", "바탕 모델"),
    "tuned_model": ("Adapter", "어댑터"),
    "supervision": ("Learned in mode", "학습 방식(모드)"),
    "adapters": ("Adapters", "어댑터 수"),
    "task": ("Task", "과제"),
    "before": ("Before", "전"),
    "after": ("After", "후"),
    "p": ("Corrected p", "보정한 p"),
    "accuracy": ("Accuracy", "정확도"),
    "step": ("Step", "변화"),
    "taken": ("Local negation chosen", "부분 부정을 고름"),
    "items": ("Items", "문항 수"),
    "why": ("Why", "까닭"),
    "incomplete": ("incomplete", "미완"),
    "clause": ("clause", "절"),
    "marker": ("marker", "부정 표지"),
    "words after the marker": ("words after the marker", "표지 뒤 어절 수"),
    "all": ("all", "전체"),
    "Korean": ("Korean", "한국어 모델"),
    "non-Korean": ("non-Korean", "그 밖의 모델"),
    "base": ("base", "기본"),
    "instruct": ("instruct", "지시 학습"),
    "Korean base": ("Korean base", "한국어 기본"),
    "Korean instruct": ("Korean instruct", "한국어 지시 학습"),
    "non-Korean base": ("non-Korean base", "그 밖의 기본"),
    "non-Korean instruct": ("non-Korean instruct", "그 밖의 지시 학습"),
    "size": ("size", "크기"),
    "language and tuning": ("language and tuning", "언어와 학습 방식"),
    "quartile": ("accuracy quartile", "점수 사분위"),
    "axis": ("By", "기준"),
    "no marker added": ("no marker added", "부정 표지 없음"),
    "1 (lowest)": ("1 (lowest)", "1(최저)"),
    "4 (highest)": ("4 (highest)", "4(최고)"),
    LONGEST: ("longest option", "가장 긴 선택지"),
    MOST_MARKERS: ("most markers", "표지가 가장 많은 선택지"),
    MARKER_NEAR_END: ("marker near the end", "끝에 표지가 있는 선택지"),
}


@dataclass(frozen=True, slots=True)
class Words:
    """Wording in one language."""

    language: Language

    def __call__(self, name: str, **values: str) -> str:
        """A header or a word of a cell; a name without wording (a family, a label of the data) stays as it is."""
        return self._of(WORDS[name]).format(**values) if name in WORDS else name

    def title(self, name: str, **values: str) -> str:
        return self._of(TITLES[name]).format(**values)

    def note(self, name: str, **values: str) -> str:
        return self._of(NOTES[name]).format(**values)

    @property
    def heading(self) -> str:
        return self._of(HEADING)

    def _of(self, pair: tuple[str, str]) -> str:
        return pair[LANGUAGES.index(self.language)]
