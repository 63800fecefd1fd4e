"""Role plays of track 1: turns (V06), tags (V07), feelings given away (V21), forms of address (V22)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jatdae.benchmarks.munbench.reading.layout import TURNS
from jatdae.benchmarks.munbench.records import PHENOMENA
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem

FREE_TAGS = frozenset({"압박화법"})
"""Tags outside the vocabulary that the published items use."""

FEELINGS = (
    "서운", "섭섭", "서럽", "서러", "서글", "억울", "야속", "괘씸", "원망", "미안", "죄책감", "불안", "두려", "두렵",
    "외로", "소외", "실망", "체념", "자책", "자격지심", "부끄", "민망", "미련", "설렘", "조급",
    "체면", "자존심", "자존감", "자부심",
)  # fmt: skip
"""The lexicon of V21: stems of words for what a person feels, and for face. `눈치` is a skill and not among them."""

_MODEL = re.compile(
    r"(?<![가-힣A-Za-z])모델(?:네|은|는|이|가|의|을|를|에게|한테|과|와|도|만|로|이다|이며)?(?![가-힣A-Za-z])"
)
_YOU = re.compile(r"(?<![가-힣])당신(?:은|이|의|을|를|에게|한테|과|도|만)?(?![가-힣])")
_ADDRESSED = ("setup_ko", "setup_public_ko", "model_role_ko", "interlocutor_ko", "analysis_question_ko")


def check(folder: Folder) -> Iterator[Finding]:
    """V06, V07, V21 and V22 over track 1."""
    for item in folder.of_track(1):
        yield from _turns(item)
        yield from _tags(item)
        yield from _feelings(item)
        yield from _address(item)


def _turns(item: RawItem) -> Iterator[Finding]:
    value = item.record.get("turns_ko")
    if not isinstance(value, list):
        return
    if len(value) != TURNS:
        message = f"{len(value)} turns where {TURNS} are expected"
        yield error("V06", item.file, message, item=item.id, field="turns_ko")
    for number, turn in enumerate(value, 1):
        if isinstance(turn, str) and not turn.strip():
            yield error("V06", item.file, f"turn {number} is blank", item=item.id, field="turns_ko")


def _tags(item: RawItem) -> Iterator[Finding]:
    tags = item.texts("phenomena")
    for tag in sorted(set(tags)):
        if tag not in PHENOMENA and tag not in FREE_TAGS:
            message = f"the tag {tag!r:.40} is not in the vocabulary"
            yield warning("V07", item.file, message, item=item.id, field="phenomena")
        if tags.count(tag) > 1:
            yield warning("V07", item.file, f"the tag {tag!r:.40} is repeated", item=item.id, field="phenomena")


def _feelings(item: RawItem) -> Iterator[Finding]:
    """What the contestant is to infer must not be told. Where there is a version for the public, that one counts."""
    shown = [
        public if item.text(public).strip() else full
        for public, full in (("setup_public_ko", "setup_ko"), ("interlocutor_public_ko", "interlocutor_ko"))
    ]
    told = [field for field in shown if any(word in item.text(field) for word in FEELINGS)]
    if told:
        named = [word for word in FEELINGS if any(word in item.text(field) for field in told)]
        message = f"{' and '.join(told)} tell what the analysis asks to infer: {', '.join(named)}"
        yield warning("V21", item.file, message, item=item.id, field=told[0])


def _address(item: RawItem) -> Iterator[Finding]:
    """The contestant is its character or 당신. The word 모델 makes it step out of the play."""
    fields = [field for field in _ADDRESSED if _MODEL.search(item.text(field))]
    if fields:
        message = "the contestant is called 모델; use the character's name or 당신"
        if any(_YOU.search(item.text(field)) for field in _ADDRESSED):
            message = "the contestant is called both 모델 and 당신; use one form, the character's name or 당신"
        yield warning("V22", item.file, message, item=item.id, field=fields[0])
