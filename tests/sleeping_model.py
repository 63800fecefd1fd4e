"""A model that takes its time and answers by arithmetic, so that any number of copies agree."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from jatdae.errors import RequestFailed
from jatdae.models.base import Capabilities, ModelIdentity, Sent
from jatdae.types import Answer, Completion, OptionScore, Request, Score, Scores


class SleepingModel:
    """`seconds` for each request. Each process writes its id to `log`, one line a request."""

    capabilities = Capabilities(log_likelihoods=True, chat=True)
    notes = ("it slept",)

    def __init__(self, seconds: float = 0.0, log: Path | None = None, name: str = "sleeping") -> None:
        self.identity = ModelIdentity("hf:sleeping", {"name": name})
        self.settings = {"backend": "sleeping"}
        self._seconds, self._log = seconds, log

    def answer(self, requests: Sequence[Request]) -> Iterator[list[tuple[int, Answer | RequestFailed]]]:
        for index, request in enumerate(requests):
            time.sleep(self._seconds)
            if self._log is not None:
                with self._log.open("a") as file:
                    file.write(f"{os.getpid()}\n")
            yield [(index, reply(request))]

    def preview(self, request: Request) -> list[Sent]:
        return []

    def random_like(self, seed: int) -> None:
        return None


def reply(request: Request) -> Answer | RequestFailed:
    if isinstance(request, Score):
        return Scores(tuple(OptionScore(-float(_number(option)), 1, False) for option in request.options))
    if "refuse" in str(request.prompt):
        return RequestFailed("too long", kind="overlong")
    return Completion(f"{_number(str(request.prompt))}", "stop")


def _number(text: str) -> int:
    return zlib.crc32(text.encode()) % 1000 + 1
