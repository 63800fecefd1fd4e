"""One rater's way through a set: the order, what is answered, what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jatdae.errors import RequestError
from jatdae.judging.annotation.ordering import Side, balanced_order, left_side
from jatdae.judging.annotation.shown import pair_answer, pair_body, rubric_answer, rubric_body
from jatdae.store.annotations import Annotations, AnnotationSet


@dataclass
class Rating:
    """What one rater does with one set. Places count from 1."""

    tables: Annotations
    set: AnnotationSet
    rater: str

    @cached_property
    def order(self) -> list[str]:
        """The units as this rater meets them: a balanced order of their own."""
        cells = {unit: secret["cell"] for unit, secret in self.tables.secrets(self.set.id).items()}
        return balanced_order(cells, f"{self._seed}/{self.rater}")

    @cached_property
    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        """The rater's answers that count, by unit."""
        return {one.unit: one.value for one in self.tables.latest(self.set.id, self.rater)}

    @property
    def _seed(self) -> str:
        return self.set.settings["seed"]

    def unit_at(self, place: int) -> str:
        """Raises RequestError where there is no such place."""
        if not 1 <= place <= len(self.order):
            raise RequestError(f"the set has {len(self.order)} units; there is no {place}")
        return self.order[place - 1]

    def left(self, unit: str) -> Side:
        """Which text of a pair this rater sees on the left."""
        return left_side(self._seed, unit, self.rater)

    def next_place(self, after: int = 0) -> int | None:
        """The first unanswered place after one, else the first of all; None when everything is answered."""
        open_places = [place for place, unit in enumerate(self.order, 1) if unit not in self.answers]
        return next((place for place in open_places if place > after), open_places[0] if open_places else None)

    def say(self, unit: str, sent: Mapping[str, Any]) -> None:
        """Check an answer and store it. Raises RequestError for one that is none."""
        raw = self.tables.body(self.set.id, unit)
        comment = sent.get("comment", "")
        if self.set.kind == "rubric":
            value = rubric_answer(rubric_body(raw), sent.get("scores"), comment)
        else:
            value = pair_answer(sent.get("choice"), self.left(unit), comment)
        self.tables.say(self.set.id, unit, self.rater, value)
        self.__dict__.pop("answers", None)

    def shown(self, unit: str) -> dict[str, Any]:
        """What the page shows of a unit, by the names that its template uses."""
        raw = self.tables.body(self.set.id, unit)
        if self.set.kind == "rubric":
            return {"body": rubric_body(raw)}
        body = pair_body(raw)
        sides = (body.first, body.second) if self.left(unit) == "first" else (body.second, body.first)
        return {"body": body, "left": sides[0], "right": sides[1]}

    def given(self, unit: str) -> dict[str, Any] | None:
        """The rater's answer to a unit in the form in which the page sends it; None without one."""
        value = self.answers.get(unit)
        if value is None:
            return None
        if self.set.kind == "rubric":
            criteria = rubric_body(self.tables.body(self.set.id, unit)).criteria
            scores = [str(value["scores"][one.name]) for one in criteria]
            return {"scores": scores, "comment": value["comment"]}
        preferred = value["preferred"]
        choice = "tie" if preferred == "tie" else "left" if preferred == self.left(unit) else "right"
        return {"choice": choice, "comment": value["comment"]}
