"""A sampled sentence, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jatdae.korean.negation.kinds import SYNTACTIC, ClauseType, Negation, NegationType


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the corpus. `id` is file:passage:number, all counted from 1; `cluster` its block of the file."""

    id: str
    cluster: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence, its negations in order, and the id of an earlier sampled sentence with the same text, if any."""

    sentence: Sentence
    negations: tuple[Negation, ...]
    duplicate_of: str = ""

    @property
    def counted(self) -> tuple[Negation, ...]:
        """The negations that make the sentence negative: those of the five syntactic types that deny something."""
        return tuple(filter(is_counted, self.negations))


def is_counted(negation: Negation) -> bool:
    """Whether the study counts it: 아니다, lexical negation and confirmation forms are reported apart."""
    return negation.type in SYNTACTIC and not negation.confirmation


def study_clause(clause: ClauseType | None) -> ClauseType | None:
    """The clause by the study's convention, by which a coordinate main clause is a main clause."""
    return ClauseType.MAIN if clause is ClauseType.COORDINATE else clause


def negation_row(negation: Negation) -> dict[str, Any]:
    """A negation as JSON holds it."""
    return asdict(negation)


def negation_from(row: Mapping[str, Any]) -> Negation:
    """A negation as JSON held it. Raises KeyError, TypeError or ValueError for a row that is none."""
    clause = None if row["clause"] is None else ClauseType(row["clause"])
    return Negation(**{**row, "type": NegationType(row["type"]), "clause": clause})
