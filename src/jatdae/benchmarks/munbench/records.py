"""MunBench's items, rubrics and word lists as records. Field names lose the files' `_ko`; blank strings become None.

Sources: the data layout is that of MunBench's published files (specification, section 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jatdae.judging.cases import Criterion

TRACKS: Mapping[int, str] = {1: "emotion", 2: "literary", 3: "nuance"}
DOMAINS = ("직장", "가족", "친구·연애", "이웃·서비스", "학교·선후배")
FORMS = ("단편소설 장면", "수필", "시", "대화문", "독백", "장르물", "제약 스토리")
SUBTYPES = ("register", "idiom", "culture-pair", "subtext")
PHENOMENA = ("눈치", "정", "체면", "존댓말", "반어", "서운함", "갑을관계")

VariantKind = Literal["culture_implied", "decontextualised", "sincere_control"]
KIND_OF: Mapping[str, VariantKind] = {
    "culture-pair": "culture_implied",
    "idiom": "decontextualised",
    "subtext": "sincere_control",
}


@dataclass(frozen=True, slots=True)
class EmotionItem:
    """A role play of track 1: three scripted lines and a question about the other party."""

    id: str
    title: str
    domain: str
    setup: str
    model_role: str
    interlocutor: str
    turns: tuple[str, ...]
    phenomena: tuple[str, ...]
    analysis_question: str
    judge_notes: str
    setup_public: str | None = None
    interlocutor_public: str | None = None
    split: str = "public"

    @property
    def group(self) -> str:
        return self.domain


@dataclass(frozen=True, slots=True)
class LiteraryItem:
    """A commission of track 2."""

    id: str
    form: str
    prompt: str
    constraints: tuple[str, ...]
    targeted_weakness: str
    length_spec: str
    judge_notes: str
    split: str = "public"

    @property
    def group(self) -> str:
        return self.form


@dataclass(frozen=True, slots=True)
class Variant:
    """The contrast prompt of a track-3 task. Its own expectation and notes, where given, replace the task's."""

    kind: VariantKind
    text: str
    expected: str | None = None
    judge_notes: str | None = None

    @property
    def scorable(self) -> bool:
        """A sincere control has another right answer than its task, so it needs an expectation of its own."""
        return self.kind != "sincere_control" or self.expected is not None


@dataclass(frozen=True, slots=True)
class NuanceItem:
    """A task of track 3."""

    id: str
    subtype: str
    prompt: str
    expected_behavior: str
    judge_notes: str
    variant: Variant | None = None
    split: str = "public"

    @property
    def group(self) -> str:
        return self.subtype


MunItem = EmotionItem | LiteraryItem | NuanceItem


@dataclass(frozen=True, slots=True)
class Rubric:
    """A track's criteria; their weights sum to 1."""

    track: int
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class SlopEntry:
    """An expression that language models overuse. `stem` is a verb's or adjective's stem, whose forms all match."""

    id: str
    kind: Literal["literal", "stem", "regex"]
    pattern: str
    family: str = ""
    strength: Literal["strong", "weak"] = "strong"
    gloss: str = ""
    positives: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlopList:
    """A list of version `1` (literal substrings) or `2`."""

    version: str
    entries: tuple[SlopEntry, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A declarative check of `checks.json`. `low` and `high` bound a count or a length, None for open."""

    type: Literal[
        "must_include", "must_not_include", "min_of", "count_range", "line_range", "char_range", "first_or_last_line"
    ]
    values: tuple[str, ...] = ()
    match: Literal["literal", "stem", "regex"] = "literal"
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """All that a data folder holds. `applicability` maps a subtype and a criterion's name to a factor on its weight.

    `hash` is SHA-256 over the canonical JSON of all files. `extra` keeps sidecars without a record of their own
    (`manifest.json`, `consensus.json`) as they are.
    """

    items: tuple[MunItem, ...]
    rubrics: Mapping[int, Rubric]
    slop: SlopList
    hash: str
    applicability: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    checks: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def of_track(self, track: int) -> list[MunItem]:
        """The items of a track, in file order."""
        return [item for item in self.items if track_of(item) == track]


def track_of(item: MunItem) -> int:
    """1, 2 or 3."""
    return {EmotionItem: 1, LiteraryItem: 2, NuanceItem: 3}[type(item)]
