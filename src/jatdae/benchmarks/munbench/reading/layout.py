"""The names of MunBench's files and of the fields in them, as data that both the reader and the validator use.

Source: the published layout (specification, sections 1.1 to 1.7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ITEM_FILES: Mapping[int, str] = {
    1: "items/track1_emotion.json",
    2: "items/track2_literary.json",
    3: "items/track3_nuance.json",
}
RUBRIC_FILES: Mapping[int, str] = {track: f"rubrics/track{track}.json" for track in (1, 2, 3)}
SLOP_FILE = "slop_list.json"
MANIFEST = "manifest.json"
CHECKS = "checks.json"
VARIANTS = "variants.json"
APPLICABILITY = "rubrics/applicability.json"
CONSENSUS = "consensus.json"

REQUIRED = (*ITEM_FILES.values(), *RUBRIC_FILES.values(), SLOP_FILE)
SIDECARS = (MANIFEST, CHECKS, VARIANTS, APPLICABILITY, CONSENSUS)

TURNS = 3
ID_PATTERN = r"T[123]-[0-9]{2}-[0-9]{2}"

Seen = Literal["contestant", "judge", "nobody"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an item. `kind` is `text`, `texts` (a list) or `either`; `seen` says who gets to read it."""

    name: str
    kind: Literal["text", "texts", "either"] = "text"
    required: bool = True
    seen: Seen = "nobody"
    blank: bool = False
    """Whether the value may be blank or null, which then means none."""


def _contestant(name: str) -> Field:
    return Field(name, seen="contestant")


def _judge(name: str) -> Field:
    return Field(name, seen="judge")


def _optional(name: str, seen: Seen = "nobody") -> Field:
    return Field(name, required=False, seen=seen, blank=True)


FIELDS: Mapping[int, tuple[Field, ...]] = {
    1: (
        Field("id"),
        Field("title"),
        Field("domain"),
        _contestant("setup_ko"),
        _contestant("model_role_ko"),
        _contestant("interlocutor_ko"),
        Field("turns_ko", "texts", seen="contestant"),
        Field("phenomena", "texts"),
        _contestant("analysis_question_ko"),
        _judge("judge_notes_ko"),
        _optional("setup_public_ko", "contestant"),
        _optional("interlocutor_public_ko", "contestant"),
        _optional("split"),
    ),
    2: (
        Field("id"),
        Field("form"),
        _contestant("prompt_ko"),
        Field("constraints_ko", "either", seen="contestant", blank=True),
        Field("targeted_weakness"),
        _contestant("length_spec"),
        _judge("judge_notes_ko"),
        _optional("split"),
    ),
    3: (
        Field("id"),
        Field("subtype"),
        _contestant("prompt_ko"),
        _optional("variant_neutral_ko", "contestant"),
        _judge("expected_behavior_ko"),
        _judge("judge_notes_ko"),
        _optional("variant_kind"),
        _optional("variant_expected_ko", "judge"),
        _optional("variant_judge_notes_ko", "judge"),
        _optional("split"),
    ),
}

VARIANT_FIELDS: Mapping[str, str] = {
    "kind": "variant_kind",
    "text": "variant_neutral_ko",
    "expected": "variant_expected_ko",
    "judge_notes": "variant_judge_notes_ko",
}
"""The fields of an entry of `variants.json`, and the fields of the item that they replace."""

CRITERION_FIELDS = ("name_ko", "description_ko", "weight", "failure_signals_ko")
SLOP_KINDS = ("literal", "stem", "regex")
SLOP_STRENGTHS = ("strong", "weak")
SLOP_FIELDS = ("id", "kind", "pattern", "family", "strength", "gloss", "positives", "negatives")
