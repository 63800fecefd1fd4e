"""What a judge is told of a unit, and how a contestant's outputs are laid out for judging.

Names of contestants, titles, tags and targeted weaknesses stay out. In the `standard` profile a track-3 criterion
counts as far as it applies to the task's subtype; in `compat` every criterion applies to every item.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jatdae.benchmarks.munbench.generations import Generation
from jatdae.benchmarks.munbench.prompts import nuance_prompt
from jatdae.benchmarks.munbench.records import Dataset, EmotionItem, LiteraryItem, NuanceItem
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit
from jatdae.judging.cases import Case, Criterion, Profile, Response, Section

REPLY, ANALYSIS, WHOLE = "응답", "분석", "응답"
GATE = ("경어 층위 전환 정확성", "층위 전환의 자연성(억지스러움 없음)")
"""Criteria of track 3 that must reach 3 points: honorifics that fail are told whatever the mean."""


def case_of(unit: Unit, dataset: Dataset, profile: Profile = "standard") -> Case:
    """The case of a unit. Raises KeyError when the data set has no rubric for its track."""
    criteria = dataset.rubrics[unit.track].criteria
    if profile == "standard" and isinstance(unit.item, NuanceItem):
        criteria = applied(criteria, dataset.applicability.get(unit.item.subtype, {}))
    return Case(
        item=unit.item.id,
        variant=unit.variant,
        track=unit.track,
        stratum=unit.group,
        context=_context(unit),
        notes=_notes(unit),
        criteria=criteria,
    )


def applied(criteria: tuple[Criterion, ...], factors: Mapping[str, float]) -> tuple[Criterion, ...]:
    """Weights times their factors, summing to 1 again; a factor of 0 leaves the criterion out."""
    kept = [replace(one, weight=one.weight * factors.get(one.name, 1.0)) for one in criteria]
    kept = [one for one in kept if one.weight > 0]
    total = sum(one.weight for one in kept)
    return tuple(replace(one, weight=one.weight / total) for one in kept)


def _context(unit: Unit) -> tuple[Section, ...]:
    item = unit.item
    if isinstance(item, EmotionItem):
        return (
            Section("상황", item.setup),
            Section("맡은 인물", item.model_role),
            Section("대화 상대", item.interlocutor),
            *(Section(f"상대의 {number}번째 말", line) for number, line in enumerate(item.turns, 1)),
            Section("분석 질문", item.analysis_question),
        )
    if isinstance(item, LiteraryItem):
        constraints = "\n".join(f"- {constraint}" for constraint in item.constraints)
        asked = (Section("의뢰", item.prompt), Section("조건", constraints), Section("분량", item.length_spec))
        return tuple(section for section in asked if section.text)
    expected = item.expected_behavior
    if unit.variant == NEUTRAL and item.variant is not None:
        expected = item.variant.expected or expected
    return (Section("과제", nuance_prompt(item, unit.variant)), Section("기대하는 처리", expected))


def _notes(unit: Unit) -> str:
    item = unit.item
    if unit.variant == NEUTRAL and isinstance(item, NuanceItem) and item.variant is not None:
        return item.variant.judge_notes or item.judge_notes
    return item.judge_notes


def response_of(unit: Unit, generation: Generation) -> Response:
    """The outputs in reading order. In a role play the scripted lines stand between them, marked as fixed."""
    item, outputs = unit.item, generation.outputs
    if not isinstance(item, EmotionItem):
        sections = tuple(Section(WHOLE, output) for output in outputs)
        return Response(generation.model, sections, generation.index)
    played: list[Section] = []
    for number, (line, reply) in enumerate(zip(item.turns, outputs, strict=False), 1):
        played += [Section(f"{number}턴 상대", line, fixed=True), Section(f"{number}턴 {REPLY}", reply)]
    if len(outputs) > len(item.turns):
        played.append(Section(ANALYSIS, outputs[len(item.turns)]))
    return Response(generation.model, tuple(played), generation.index)
