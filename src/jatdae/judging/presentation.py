"""The parts that all prompts for judges share: headed context, criteria, and a response's sections."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from jatdae.judging.cases import Case, Criterion, Response, Section
from jatdae.types import digest


def headed(sections: Sequence[Section]) -> str:
    """Each section under its title in square brackets, blank lines between them."""
    return "\n\n".join(f"[{section.title}]\n{section.text}" for section in sections)


def context_of(case: Case, shown_elsewhere: Collection[str] = ()) -> str:
    """The case's context without the sections whose text the prompt shows in another place."""
    return headed([section for section in case.context if section.text not in shown_elsewhere])


def criterion_lines(criterion: Criterion, label: str, *, weighted: bool) -> str:
    """A criterion's label, weight where wanted, description and failure signals."""
    weight = f" (가중치 {criterion.weight:.3g})" if weighted else ""
    lines = [f"- {label}{weight}: {criterion.description}"]
    if criterion.failure_signals:
        lines.append(f"  실패 신호: {'; '.join(criterion.failure_signals)}")
    return "\n".join(lines)


def own_sections(response: Response) -> list[Section]:
    """The sections that the contestant wrote, without the scripted ones."""
    return [section for section in response.sections if not section.fixed]


def own_texts(response: Response) -> tuple[str, ...]:
    """The contestant's texts as they came."""
    return tuple(section.text for section in own_sections(response))


def text_hash(response: Response) -> str:
    """A hash over all sections of a response, titles included."""
    return digest(*(part for section in response.sections for part in (section.title, section.text)))
