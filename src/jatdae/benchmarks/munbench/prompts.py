"""What a contestant is sent. Notes for judges, expectations, tags, titles and targeted weaknesses never are.

The wording is this project's own; form and order follow the specification, section 2.1.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jatdae.benchmarks.munbench.records import EmotionItem, LiteraryItem, NuanceItem
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit
from jatdae.types import Message, digest

MARKER = "[역할극 종료 — 분석 질문]"
CONSTRAINTS_HEADING = "[지켜야 할 조건]"
LENGTH_LABEL = "분량:"


@cache
def _role_play() -> str:
    return (Path(__file__).parent / "wording" / "role_play.txt").read_text(encoding="utf-8")


def prompt_hash() -> str:
    """A digest of all wording of our own that surrounds the items."""
    return digest(_role_play(), MARKER, CONSTRAINTS_HEADING, LENGTH_LABEL)


def opening(unit: Unit) -> tuple[Message, ...]:
    """The messages of a unit's first call."""
    item = unit.item
    if isinstance(item, EmotionItem):
        return (Message("system", role_play_system(item)), Message("user", item.turns[0]))
    if isinstance(item, LiteraryItem):
        return (Message("user", commission(item)),)
    return (Message("user", nuance_prompt(item, unit.variant)),)


def role_play_system(item: EmotionItem) -> str:
    """Who the contestant plays, where, and by what rules. A public version of a text goes before the full one."""
    wording = _role_play()
    values = {
        "{model_role}": item.model_role,
        "{setup}": item.setup_public or item.setup,
        "{interlocutor}": item.interlocutor_public or item.interlocutor,
        "{marker}": MARKER,
    }
    for name, value in values.items():
        wording = wording.replace(name, value)
    return wording.strip()


def later_lines(item: EmotionItem) -> tuple[str, ...]:
    """The user's lines after the first: the scripted ones, then the question about the other party."""
    return (*item.turns[1:], f"{MARKER} {item.analysis_question}")


def commission(item: LiteraryItem) -> str:
    """The commission, its constraints as bullets where there are any, and the length asked for."""
    parts = [item.prompt]
    if item.constraints:
        parts.append("\n".join([CONSTRAINTS_HEADING, *(f"- {constraint}" for constraint in item.constraints)]))
    parts.append(f"{LENGTH_LABEL} {item.length_spec}")
    return "\n\n".join(parts)


def nuance_prompt(item: NuanceItem, variant: str) -> str:
    """The task as it stands, or its contrast variant."""
    if variant == NEUTRAL and item.variant is not None:
        return item.variant.text
    return item.prompt
