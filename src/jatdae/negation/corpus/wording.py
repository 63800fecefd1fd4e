"""The words of the report in its two languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The report's words in one language; `{}` stands for what is filled in."""

    title: str
    about: str
    corpus: str
    sample: str
    cluster_sample: str
    overlong: str
    duplicates: str
    method: str
    methods: tuple[tuple[str, str], ...]
    splitter: str
    versions: str
    rate: str
    rate_rows: tuple[str, str]
    rate_header: tuple[str, str, str]
    types: str
    clauses: str
    no_clauses: str
    share_header: tuple[str, str, str, str, str]
    apart: str
    apart_header: tuple[str, str, str]
    doubled: str
    review: str
    reviewed: str
    not_reviewed: str
    examples: str
    none: str
    convention: str
    few_clusters: str
    missed: str


ENGLISH = Words(
    title="Negation in a corpus",
    about="What was studied",
    corpus="Corpus: {files:,} files, {passages:,} passages, {sentences:,} sentences in {clusters:,} clusters (blocks "
    "of {block:,} sentences of a file).",
    sample="Sample: {drawn:,} sentences at random, seed {seed}.",
    cluster_sample="Sample: {drawn:,} sentences, all those of {clusters:,} clusters drawn at random, seed {seed}.",
    overlong="Left out as longer than {limit:,} characters: {count:,}. Studied: {studied:,}.",
    duplicates="Sentences that repeat an earlier one of the sample: {}; they count, and the sheet notes them.",
    method="Detector: {}.",
    methods=(
        ("morphemes", "morphological analysis"),
        (
            "rules",
            "the published strings (no clauses; misses and mistakes what strings cannot tell)",
        ),
    ),
    splitter="Sentence splitter: {}.",
    versions="Versions that decide: {}.",
    rate="Negation rate",
    rate_rows=("sentences taken as independent", "by cluster"),
    rate_header=("interval", "negative sentences", "rate and 95 % interval"),
    types="Types",
    clauses="Clauses",
    no_clauses="The published rules tell no clauses.",
    share_header=("class", "occurrences", "sentences", "share", "95 % interval"),
    apart="Reported apart",
    apart_header=("kind", "occurrences", "sentences"),
    doubled="Sentences with a double negation: {doubled:,}; negations inside a quotation: {quoted:,}.",
    review="Review",
    reviewed="{decided:,} of {rows:,} negations were judged by a person: {kept:,} kept, {rejected:,} rejected, "
    "the type of {types:,} and the clause of {clauses:,} corrected. The figures above are after that.",
    not_reviewed="No person has judged these findings: fill in review.csv and give it back with --review.",
    examples="Examples",
    none="none",
    convention="Counted are occurrences of the five syntactic types. A coordinate main clause counts as 주절; "
    "confirmation forms (확인형), 아니다 and lexical negation are listed apart and are no part of the rate; a double "
    "negation counts twice. Shares are of all occurrences, their intervals from a bootstrap of clusters.",
    few_clusters="There are only {} clusters: intervals by cluster are rough, and those of shares may be too narrow.",
    missed="The sheet lists what was found: a review mends false findings and labels, not what the detector missed.",
)

KOREAN = Words(
    title="말뭉치의 부정 표현",
    about="조사 대상",
    corpus="말뭉치: 파일 {files:,}개, 글 {passages:,}개, 문장 {sentences:,}개, 군집 {clusters:,}개(한 파일에서 "
    "잇따른 문장 {block:,}개).",
    sample="표본: 무작위로 뽑은 문장 {drawn:,}개, 시드 {seed}.",
    cluster_sample="표본: 무작위로 뽑은 군집 {clusters:,}개의 문장 전부인 {drawn:,}개, 시드 {seed}.",
    overlong="{limit:,}자를 넘어 뺀 문장: {count:,}개. 조사한 문장: {studied:,}개.",
    duplicates="표본 안의 앞선 문장과 같은 문장: {}개. 그대로 세고 검토표에 적어 둔다.",
    method="탐지 방법: {}.",
    methods=(
        ("morphemes", "형태소 분석"),
        ("rules", "공개된 문자열 규칙(절을 가리지 못하며, 문자열만으로 알 수 없는 것은 놓치거나 잘못 찾는다)"),
    ),
    splitter="문장 분리기: {}.",
    versions="결과를 좌우하는 버전: {}.",
    rate="부정문 비율",
    rate_rows=("문장을 서로 독립으로 봄", "군집 단위"),
    rate_header=("구간", "부정문", "비율과 95 % 구간"),
    types="부정 유형",
    clauses="절 유형",
    no_clauses="공개된 규칙은 절을 가리지 못한다.",
    share_header=("갈래", "출현", "문장", "비율", "95 % 구간"),
    apart="따로 보이는 것",
    apart_header=("갈래", "출현", "문장"),
    doubled="이중부정이 든 문장: {doubled:,}개, 인용문 안의 부정: {quoted:,}개.",
    review="검토",
    reviewed="부정 {rows:,}개 가운데 {decided:,}개를 사람이 판정하였다. 유지 {kept:,}개, 기각 {rejected:,}개, 유형을 "
    "고친 것 {types:,}개, 절을 고친 것 {clauses:,}개. 위의 수치는 이를 반영한 것이다.",
    not_reviewed="아직 사람이 검토하지 않았다. review.csv를 채워 --review로 돌려주면 된다.",
    examples="예문",
    none="없음",
    convention="다섯 가지 통사적 부정의 출현을 센다. 대등하게 이어진 주절은 주절로 세고, 확인형과 ‘아니다’와 "
    "어휘적 부정은 따로 보이며 비율에 넣지 않는다. 이중부정은 둘로 센다. 비율은 전체 출현에 대한 것이고, 구간은 "
    "군집을 다시 뽑은 부트스트랩으로 구하였다.",
    few_clusters="군집이 {}개뿐이므로 군집 단위 구간은 어림값이며, 갈래별 비율의 구간은 실제보다 좁을 수 있다.",
    missed="검토표에는 찾은 것만 실리므로, 검토는 잘못 찾은 것과 잘못 단 표지를 고치되 놓친 것은 고치지 못한다.",
)
