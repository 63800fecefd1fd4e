"""Many item coroutines at once, in a bounded window, each isolated from the others' failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")

WINDOW = 2048
"""Items in flight: enough to share prefixes and fill batches, few enough for memory to stay bounded."""


async def run_items(items: Iterable[T], work: Callable[[T], Awaitable[S]], window: int = WINDOW) -> AsyncIterator[S]:
    """Run `work` over the items, at most `window` at once, and yield what it returns as it comes.

    When one raises, the others are cancelled and the error goes to the caller.
    """
    waiting = iter(items)
    running: set[asyncio.Future[S]] = set()
    done: asyncio.Queue[asyncio.Future[S]] = asyncio.Queue()
    try:
        while True:
            for item in islice(waiting, window - len(running)):
                future = asyncio.ensure_future(work(item))
                future.add_done_callback(done.put_nowait)
                running.add(future)
            if not running:
                return
            finished = await done.get()
            result = finished.result()
            running.discard(finished)
            yield result
    finally:
        for future in running:
            future.cancel()
        await asyncio.gather(*running, return_exceptions=True)
