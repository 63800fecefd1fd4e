"""The label names of KLUE's eight tasks, in the order of the original baseline and in that of the hub's copy.

The orders of topics, inference and entity tags differ between the two, so a number alone never says which label is
meant. Everything in Jatdae keeps names; these orders serve to number a model's outputs and to read the hub's numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from jatdae.errors import RequestError, did_you_mean


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TASKS = ("ynat", "sts", "nli", "ner", "re", "dp", "mrc", "wos")

TOPICS = ("정치", "경제", "사회", "생활문화", "세계", "IT과학", "스포츠")
HUB_TOPICS = ("IT과학", "경제", "사회", "생활문화", "세계", "스포츠", "정치")

SIMILARITY = ("negative", "positive")

INFERENCE = ("entailment", "contradiction", "neutral")
HUB_INFERENCE = ("entailment", "neutral", "contradiction")

ENTITY_TYPES = ("PS", "LC", "OG", "DT", "TI", "QT")
ENTITY_TAGS = (*(f"{place}-{kind}" for kind, place in product(ENTITY_TYPES, "BI")), "O")
HUB_ENTITY_TAGS = (*(f"{place}-{kind}" for kind, place in product(sorted(ENTITY_TYPES), "BI")), "O")

NO_RELATION = "no_relation"
RELATIONS = (
    NO_RELATION,
    "org:dissolved",
    "org:founded",
    "org:place_of_headquarters",
    "org:alternate_names",
    "org:member_of",
    "org:members",
    "org:political/religious_affiliation",
    "org:product",
    "org:founded_by",
    "org:top_members/employees",
    "org:number_of_employees/members",
    "per:date_of_birth",
    "per:date_of_death",
    "per:place_of_birth",
    "per:place_of_death",
    "per:place_of_residence",
    "per:origin",
    "per:employee_of",
    "per:schools_attended",
    "per:alternate_names",
    "per:parents",
    "per:children",
    "per:siblings",
    "per:spouse",
    "per:other_family",
    "per:colleagues",
    "per:product",
    "per:religion",
    "per:title",
)
SUBJECT_TYPES = ("PER", "ORG")
OBJECT_TYPES = ("PER", "ORG", "LOC", "DAT", "POH", "NOH")

DEPENDENCIES = _words(
    "NP NP_AJT VP NP_SBJ VP_MOD NP_OBJ AP NP_CNJ NP_MOD VNP DP VP_AJT VNP_MOD NP_CMP VP_SBJ VP_CMP VP_OBJ VNP_CMP "
    "AP_MOD X_AJT VP_CNJ VNP_AJT IP X X_SBJ VNP_OBJ VNP_SBJ X_OBJ AP_AJT L X_MOD X_CNJ VNP_CNJ X_CMP AP_CMP AP_SBJ "
    "R NP_SVJ"
)
SCORED_DEPENDENCIES = 15
"""So many of the dependency labels are scored one by one; the rarer rest counts as a single class."""
PARTS_OF_SPEECH = _words(
    "NNG NNP NNB NP NR VV VA VX VCP VCN MMA MMD MMN MAG MAJ JC IC JKS JKC JKG JKO JKB JKV JKQ JX EP EF EC ETN ETM "
    "XPN XSN XSV XSA XR SF SP SS SE SO SL SH SW SN NA"
)

_DOMAIN_SLOTS = {
    "관광": "경치 좋은,교육적,도보 가능,문화 예술,역사적,이름,종류,주차 가능,지역",
    "숙소": "가격대,도보 가능,수영장 유무,스파 유무,예약 기간,예약 명수,예약 요일,이름,"
    "인터넷 가능,조식 가능,종류,주차 가능,지역,헬스장 유무,흡연 가능",
    "식당": "가격대,도보 가능,야외석 유무,예약 명수,예약 시간,예약 요일,이름,"
    "인터넷 가능,종류,주류 판매,주차 가능,지역,흡연 가능",
    "지하철": "도착지,출발 시간,출발지",
    "택시": "도착 시간,도착지,종류,출발 시간,출발지",
}


def sorted_slots(slots: Iterable[str]) -> tuple[str, ...]:
    """The slots `domain-slot`, each once, by code point: the order in which the baseline numbers its outputs.

    Takes the keys of an ontology, or the slots of any number of states.
    """
    return tuple(sorted(set(slots)))


SLOTS = sorted_slots(f"{domain}-{slot}" for domain, slots in _DOMAIN_SLOTS.items() for slot in slots.split(","))
"""The 45 slots of the release's ontology."""

LABELS: Mapping[str, tuple[str, ...]] = {
    "ynat": TOPICS,
    "sts": SIMILARITY,
    "nli": INFERENCE,
    "ner": ENTITY_TAGS,
    "re": RELATIONS,
    "dp": DEPENDENCIES,
    "wos": SLOTS,
}
"""Task to label names, in the order of the original baseline. Answers of `mrc` are text and have no labels."""

HUB_LABELS: Mapping[str, tuple[str, ...]] = {
    **LABELS,
    "ynat": HUB_TOPICS,
    "nli": HUB_INFERENCE,
    "ner": HUB_ENTITY_TAGS,
}
"""Task to label names, in the order of the hub's numbers."""


def known_task(task: str) -> str:
    """The task's name without a leading `klue/`. Raises RequestError for a task that KLUE does not have."""
    name = task.removeprefix("klue/")
    if name not in TASKS:
        raise RequestError(f"KLUE has no task {task!r}; {did_you_mean(name, TASKS)}")
    return name
