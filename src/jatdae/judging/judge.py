"""What a judge is: something that scores one response, or compares two."""

from __future__ import annotations

from typing import Protocol as TypingProtocol

from jatdae.judging.cases import Case, Response, RubricScore, Verdict


class Judge(TypingProtocol):
    """A model that is asked, or a rule that computes. A bad or missing reply is said by the record, never raised."""

    @property
    def name(self) -> str: ...

    async def score(self, case: Case, response: Response, iteration: int) -> RubricScore: ...

    async def compare(self, case: Case, first: Response, second: Response) -> Verdict: ...
