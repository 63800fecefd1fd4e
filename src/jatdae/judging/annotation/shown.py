"""What is shown of a unit, and what a rater may answer to it: checked on the way in, plain JSON in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.errors import RequestError
from jatdae.judging.annotation.ordering import Side
from jatdae.judging.fence import cleaned
from jatdae.judging.scales import HIGHEST, LOWEST

LONGEST_COMMENT = 4000
LONGEST_NAME = 40
"""Characters."""


@dataclass(frozen=True, slots=True)
class ShownCriterion:
    """One thing to score from 0 to 10."""

    name: str
    description: str
    failure_signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A headed piece of a prompt or a response. `fixed` marks scripted lines inside a response, not to be judged."""

    title: str
    text: str
    fixed: bool = False


Sections = tuple[ShownSection, ...]


@dataclass(frozen=True, slots=True)
class RubricBody:
    """A response to be scored. No field holds who wrote it."""

    prompt: Sections
    response: Sections
    criteria: tuple[ShownCriterion, ...]


@dataclass(frozen=True, slots=True)
class PairBody:
    """Two responses to one prompt. Their order is drawn when the set is made."""

    prompt: Sections
    first: Sections
    second: Sections


def rubric_body(raw: Mapping[str, Any]) -> RubricBody:
    """A body as the store has it."""
    criteria = (
        ShownCriterion(one["name"], one["description"], tuple(one["failure_signals"])) for one in raw["criteria"]
    )
    return RubricBody(_sections(raw["prompt"]), _sections(raw["response"]), tuple(criteria))


def pair_body(raw: Mapping[str, Any]) -> PairBody:
    """A body as the store has it."""
    return PairBody(_sections(raw["prompt"]), _sections(raw["first"]), _sections(raw["second"]))


def _sections(raw: Sequence[Mapping[str, Any]]) -> Sections:
    return tuple(ShownSection(one["title"], one["text"], one["fixed"]) for one in raw)


def as_text(sections: Sections) -> str:
    """The sections as a sheet for spreadsheets has them."""
    return "\n\n".join(f"[{one.title}{' · 대본' if one.fixed else ''}]\n{one.text}" for one in sections)


def rubric_answer(body: RubricBody, scores: Any, comment: Any) -> dict[str, Any]:
    """The value to store: a whole number from 0 to 10 for every criterion, given in their order.

    Raises RequestError otherwise.
    """
    if not isinstance(scores, list) or len(scores) != len(body.criteria):
        raise RequestError(f"{len(body.criteria)} scores are needed, one for each criterion")
    named = {one.name: _score(score, one.name) for one, score in zip(body.criteria, scores, strict=True)}
    return {"scores": named, "comment": _comment(comment)}


def _score(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise RequestError(f"{name}: {str(value)[:20]!r} is no score; a whole number from 0 to 10 is needed")
    return value


def pair_answer(choice: Any, left: Side, comment: Any) -> dict[str, Any]:
    """The value to store: which text is better, and which stood on the left. Raises RequestError otherwise.

    `choice` is where the better one stood: left, right, or tie.
    """
    right: Side = "second" if left == "first" else "first"
    preferred = {"left": left, "right": right, "tie": "tie"}.get(choice) if isinstance(choice, str) else None
    if preferred is None:
        raise RequestError(f"{str(choice)[:20]!r} is no choice; left, right or tie is needed")
    return {"preferred": preferred, "left": left, "comment": _comment(comment)}


def _comment(value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError("a comment has to be a text")
    if len(value) > LONGEST_COMMENT:
        raise RequestError(f"the comment has {len(value):,} characters; at most {LONGEST_COMMENT:,} are kept")
    return cleaned(value).strip()


def rater_name(text: str) -> str:
    """A rater's name as it is kept: cleaned, single blanks. Raises RequestError for none and for a long one."""
    name = " ".join(cleaned(text).replace("\ufffd", " ").split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise RequestError(f"a name of 1 to {LONGEST_NAME} characters is needed")
    return name
