"""What a task would ask, without asking it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jatdae.benchmarks.base import Item, Task
from jatdae.errors import JatdaeError
from jatdae.types import Completion, Generate, Request, Score, Scores


class _Asked(Exception):
    """Not an error: it carries the first request out of a coroutine."""

    def __init__(self, request: Request) -> None:
        self.request = request


class _Listener:
    """A model that answers nothing and gives back what it was asked."""

    async def score(self, request: Score) -> Scores:
        raise _Asked(request)

    async def generate(self, request: Generate) -> Completion:
        raise _Asked(request)


def preview(task: Task, items: Sequence[Item]) -> list[tuple[str, Request]]:
    """The first request of each item, with the item's id."""

    async def first(item: Item) -> tuple[str, Request]:
        try:
            await task.evaluate(item, _Listener())
        except _Asked as asked:
            return item.id, asked.request
        raise JatdaeError(f"{task.name} asks nothing about {item.id}")

    async def all_of_them() -> list[tuple[str, Request]]:
        return [await first(item) for item in items]

    return asyncio.run(all_of_them())
