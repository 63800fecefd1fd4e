"""A deterministic backend for tests: answers are a pure function of the request; what was asked is written down."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence

from jatdae.errors import RequestFailed
from jatdae.models.base import Capabilities, ModelIdentity, Sent
from jatdae.types import Answer, Completion, OptionScore, Request, Score, Scores, request_json

Script = Callable[[Request], Answer | RequestFailed]


def hashed(request: Request) -> Answer:
    """Scores that look random but depend on nothing but the request; text that is always the same."""
    if not isinstance(request, Score):
        return Completion("정답: B", "stop", 10, 4)
    return Scores(
        tuple(OptionScore(-_uniform(request_json(request), option), 1, False) for option in request.options), 10
    )


def _uniform(*parts: str) -> float:
    value = int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:6], "big")
    return 1 + 9 * value / 2**48


class ScriptedBackend:
    """Answers `part` requests at a time by a script and remembers each request that it was asked."""

    def __init__(self, script: Script = hashed, *, name: str = "scripted", part: int = 16, delay: float = 0) -> None:
        self._script, self._part, self._delay = script, part, delay
        self.identity = ModelIdentity(f"hf:{name}", {"name": name})
        self.capabilities = Capabilities(log_likelihoods=True, chat=True)
        self.asked: list[Request] = []
        self.notes: list[str] = []
        self.settings: dict[str, str] = {}

    def answer(self, requests: Sequence[Request]) -> Iterator[list[tuple[int, Answer | RequestFailed]]]:
        for start in range(0, len(requests), self._part):
            chosen = list(enumerate(requests))[start : start + self._part]
            time.sleep(self._delay)
            self.asked += [request for _, request in chosen]
            yield [(index, self._script(request)) for index, request in chosen]

    def preview(self, request: Request) -> list[Sent]:
        return [Sent(request_json(request), ())]

    def random_like(self, seed: int) -> None:
        return None
